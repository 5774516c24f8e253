// Finds the language of each phrase of a window. The window is encoded once: the decoder predicts the
// language of each phrase while it attends to that phrase alone, which costs one token. A phrase that seems
// to be in another language is then encoded separately, because the audio around it may have influenced the
// result. Short phrases are encoded separately only when a longer one is clearly in another language.
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

// Consecutive phrases in one language, from the first one's start to the last one's end.
struct LanguageRun {
  Language language = Language::kEn;
  Span span;
};

// The probabilities of the eight languages, from the logits after the start of a text.
LanguageOdds OddsOf(std::span<const float> logits, const WhisperTimestamps& marks);

class LanguageTracker {
 public:
  explicit LanguageTracker(std::shared_ptr<const WhisperModel> model) : model_(std::move(model)) {}

  // The steps read `samples` and `phrases`. `language`: of the window as a whole.
  void Begin(std::span<const float> samples, std::span<const Span> phrases, Language language,
             std::optional<Language> expected);
  // `window` has encoded the samples; its text is lost. Returns true when runs() are known.
  base::Result<bool> Step(WhisperDecoder& window, const onnx::RunOptions* stop);
  const std::vector<LanguageRun>& runs() const { return runs_; }

 private:
  bool InWindowsLanguage(const LanguageOdds& odds) const;
  bool InAnother(const PhraseOdds& phrase) const;
  base::Result<LanguageOdds> Within(WhisperDecoder& window, Span phrase);
  base::Result<LanguageOdds> Alone(size_t phrase, const onnx::RunOptions* stop);
  void FindRuns();

  std::shared_ptr<const WhisperModel> model_;
  std::unique_ptr<WhisperDecoder> alone_;  // the first phrase that needs it makes it
  std::span<const float> samples_;
  std::span<const Span> phrases_;
  Language language_ = Language::kEn;
  std::optional<Language> expected_;
  std::vector<PhraseOdds> odds_;
  size_t next_ = 0;
  std::vector<size_t> left_;  // short phrases that may be of another language, the first last
  bool changes_ = false;      // a longer phrase is in another language
  std::vector<LanguageRun> runs_;
};

}  // namespace trunkline::asr
