#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "asr/asr.h"
#include "engine/engine.h"
#include "lanes/hear/listener.h"
#include "lanes/hear/models.h"

namespace trunkline::hear {

std::optional<asr::Language> ReadLanguage(const engine::Options& options);
// The languages among which each utterance is identified; 0 where there are not several.
asr::LanguageSet ReadLanguages(const engine::Options& options);
// Returns null without terms and without preceding text.
std::shared_ptr<const asr::Vocabulary> ReadVocabulary(const engine::Options& options,
                                                      const text::ByteTokens& tokens);
// The recognizer that the options name, or the stock one. Returns kNotReady for one that is not open, and
// kInvalidArgument for one that does not know the languages.
base::Result<std::shared_ptr<Recognizer>> ReadRecognizer(const engine::Options& options, HearModels& models);
// The quick recognizer that the options name, or the stock one. Returns kNotReady for one that is not open.
base::Result<std::shared_ptr<QuickRecognizer>> ReadQuick(const engine::Options& options, HearModels& models);
base::Result<HearOptions> ReadHearOptions(const engine::Options& options, HearModels& models);

}  // namespace trunkline::hear
