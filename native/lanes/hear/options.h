// What hearing reads from packed options; the same names for lanes and jobs.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "asr/asr.h"
#include "engine/engine.h"
#include "lanes/hear/listener.h"

namespace trunkline::hear {

std::optional<asr::Language> ReadLanguage(const engine::Options& options);
// Null when there are no terms, and nothing that texts go on from.
std::shared_ptr<const asr::Vocabulary> ReadVocabulary(const engine::Options& options,
                                                      const text::ByteTokens& tokens);
base::Result<HearOptions> ReadHearOptions(const engine::Options& options, const text::ByteTokens& tokens);

}  // namespace trunkline::hear
