// In which language each phrase of a window is spoken. The window is read once: the decoder is asked for the
// language of each phrase while it attends to that phrase alone, which costs one token. What the sounds around
// it may have coloured there is read again by itself, and only where it seems to be another language.
// Short phrases are read by themselves only when a longer one is clearly of another language.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "asr/language_runs.h"
#include "asr/whisper_decoder.h"
#include "asr/word_times.h"
#include "base/status.h"

namespace trunkline::asr {

// Phrases that follow each other in one language, and the time from the first one's start to the last one's end.
struct LanguageRun {
  Language language = Language::kEn;
  Span span;
};

// Of the eight, by the logits behind the start of a text.
LanguageOdds OddsOf(std::span<const float> logits, const WhisperTimestamps& marks);

class LanguageTracker {
 public:
  explicit LanguageTracker(std::shared_ptr<const WhisperModel> model) : model_(std::move(model)) {}

  // `samples` and `phrases` are read by the steps. `language`: of the window as a whole.
  void Begin(std::span<const float> samples, std::span<const Span> phrases, Language language,
             std::optional<Language> expected);
  // `window` has read the samples; whatever text it holds is lost. True when runs() are known.
  base::Result<bool> Step(WhisperDecoder& window, const onnx::RunOptions* stop);
  const std::vector<LanguageRun>& runs() const { return runs_; }

 private:
  bool InWindowsLanguage(const LanguageOdds& odds) const;
  bool InAnother(const PhraseOdds& phrase) const;
  base::Result<LanguageOdds> Within(WhisperDecoder& window, Span phrase);
  base::Result<LanguageOdds> Alone(size_t phrase, const onnx::RunOptions* stop);
  void FindRuns();

  std::shared_ptr<const WhisperModel> model_;
  std::unique_ptr<WhisperDecoder> alone_;  // made for the first that needs it
  std::span<const float> samples_;
  std::span<const Span> phrases_;
  Language language_ = Language::kEn;
  std::optional<Language> expected_;
  std::vector<PhraseOdds> odds_;
  size_t next_ = 0;
  std::vector<size_t> left_;  // short phrases that may be of another language, the first last
  bool changes_ = false;      // some longer one is
  std::vector<LanguageRun> runs_;
};

}  // namespace trunkline::asr
