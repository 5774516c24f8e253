// Recognizes one window of speech, in steps small enough for more urgent work in between: encodes the window,
// identifies its language, decodes a few tokens at a time, retries at higher temperatures when the text looks
// hallucinated, then times the words.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "asr/language.h"
#include "asr/language_tracker.h"
#include "asr/softmax.h"
#include "asr/text_search.h"
#include "asr/vocabulary.h"
#include "asr/whisper_decoder.h"
#include "asr/word_times.h"
#include "base/status.h"

namespace trunkline::asr {

struct TranscribeOptions {
  // Without a language, the model identifies it among the eight.
  std::optional<Language> language;
  // The language of the preceding audio, if known; another language needs clearer evidence.
  std::optional<Language> expected;
  LanguageSet among = kAllLanguages;
  // Pieces of speech between which the language may change. Without them, or with `language`, it does not.
  std::span<const Span> phrases;
  // 0: greedy or beam search. Retries of a doubted text use higher temperatures.
  float temperature = 0;
  uint64_t seed = 0;
  // The beam width, and the number of samples of a retry. A requested temperature samples a single text.
  size_t width = 1;
  // A doubted text is decoded again at most this often.
  int retries = 3;
  bool word_times = true;
  // The text is an English translation, whose words have no times.
  bool translate = false;
  // The texts have timestamps, as in training: better texts, for a few more tokens.
  bool marks = false;
  // The text begins with these words, which the client received as stable.
  std::string prefix;
  std::shared_ptr<const Vocabulary> vocabulary;
  // The order of its work on a GPU.
  onnx::DeviceWork::Urgency urgency;
};

struct Transcript {
  std::string text;
  std::vector<Word> words;  // seconds from the start of the window
  Language language = Language::kEn;
  // The probability of `language` among those that were allowed; 0: the language was given.
  float language_odds = 0;
  float mean_logprob = 0;
  float no_speech = 0;
};

class Transcriber {
 public:
  // With a device, windows are decoded on the GPU; phrases of other languages are identified on the processor.
  explicit Transcriber(const std::shared_ptr<const WhisperModel>& model,
                       std::shared_ptr<RecognizerDevice> device = nullptr)
      : decoder_(model, std::move(device)), languages_(model) {}

  // The samples (16 kHz, at most 30 s), `speech` (may be empty) and the phrases are read by the steps and
  // must live until the last.
  void Begin(std::span<const float> samples, std::span<const Span> speech, const TranscribeOptions& options);
  // A step of about 20 ms, except for encoding. Returns true when the transcript is there, or when the window
  // is in several languages and each of languages() needs a window of its own.
  base::Result<bool> Step(const onnx::RunOptions* stop = nullptr);
  // Returns whether the next step needs a result of the GPU: a task that calls Submit() makes that step after `done`,
  // which is called once, on any thread. Without Submit(), the window stays on the processor.
  bool pending() const { return decoder_.pending(); }
  void Submit(std::function<void()> done) { decoder_.Submit(std::move(done)); }
  // Gives up an unfinished recognition, whose work is not in flight.
  void Release() { decoder_.Release(); }
  const Transcript& transcript() const { return transcript_; }
  // The languages of the phrases; empty when they were not requested.
  const std::vector<LanguageRun>& languages() const { return languages_.runs(); }

 private:
  enum class Stage { kRead, kPrompt, kStart, kLanguages, kWrite, kTime, kWords, kDone };
  static constexpr size_t kTokensPerStep = 4;
  struct Attempts {
    TextSearch search;
    Chance chance{0};
    bool marks = false;                  // the current attempt has timestamps
    std::optional<Hypothesis> left_out;  // an attempt with timestamps that omits some of the speech
    int retry = 0;
    std::optional<Hypothesis> best;
  };

  base::Result<bool> Advance(const onnx::RunOptions* stop);
  base::Status Start();
  base::Status ReadStart();
  base::Status FollowLanguages(const onnx::RunOptions* stop);
  base::Status StartAttempt(float temperature);
  std::vector<text::TokenId> TaskTokens() const;
  // `given` are the words with which the text begins.
  base::Status ReadPrompt(bool marks, std::span<const text::TokenId> given);
  void TakePrefix();
  base::Status WriteToken();
  bool IsUnreliable(const Hypothesis& text) const;
  base::Status NextAttempt();
  // Returns whether the text ends, by its last timestamp, long before the speech does.
  bool LeavesOut(const Hypothesis& text) const;
  // Returns the tokens of the best text after those of the prefix.
  std::vector<text::TokenId> BestTokens() const;
  size_t PromptTokens() const;
  base::Status ReadText();
  base::Status TimeText();
  Attention AttentionOf(std::span<const text::TokenId> tokens) const;
  // Writes vocabulary terms that were spoken and recognized as other words; `first_token` is that
  // of each word.
  base::Status MendTerms(std::span<const text::TokenId> tokens, std::vector<size_t> first_token);
  // Returns the model's preference of `written` to `term` after `before`, as a difference of log
  // probabilities.
  base::Result<float> Likelier(std::span<const text::TokenId> before, std::span<const text::TokenId> written,
                               std::span<const text::TokenId> term);
  size_t MaxTokens() const;
  double SpeechSeconds() const;

  WhisperDecoder decoder_;
  std::span<const float> samples_;
  std::span<const Span> speech_;
  TranscribeOptions options_;
  Stage stage_ = Stage::kDone;
  std::vector<text::TokenId> prefix_;
  std::vector<text::TokenId> given_;  // the prefix, after its timestamp if there are timestamps

  LanguageTracker languages_;
  Attempts attempts_;
  Transcript transcript_;
};

}  // namespace trunkline::asr
