// One window of speech to words, in steps small enough that more urgent work can go in between: read the
// window, find its language, write a few tokens at a time, again and warmer where the text looks invented,
// then time the words.
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
  // Empty: found by the model, among the eight.
  std::optional<Language> language;
  // What was spoken before, where that is known: a language that is found has to be clearer than it.
  std::optional<Language> expected;
  // Pieces of the speech between which the language may change. Without them, or with a language, it does not.
  std::span<const Span> phrases;
  // 0: the likeliest token each time. The warmer retries of a doubted text start above this.
  float temperature = 0;
  uint64_t seed = 0;
  // Texts that are followed at once: the width of the beam, and how many the retries draw. Whoever asks for a
  // temperature gets the one that is drawn.
  size_t width = 1;
  // How often a doubted text is decoded again.
  int retries = 3;
  bool word_times = true;
  // The text is what was said in English, whatever is spoken: no word of it has a time of its own.
  bool translate = false;
  // The texts are written with marks of time, as the model was trained: better texts, for a few tokens more.
  bool marks = false;
  // The text begins with these words: they have been told to the customer as settled.
  std::string prefix;
  // Null: none.
  std::shared_ptr<const Vocabulary> vocabulary;
};

struct Transcript {
  std::string text;
  std::vector<Word> words;  // seconds from the start of the window
  Language language = Language::kEn;
  float mean_logprob = 0;
  float no_speech = 0;
};

class Transcriber {
 public:
  explicit Transcriber(std::shared_ptr<const WhisperModel> model) : decoder_(model), languages_(model) {}

  // The samples (16 kHz, at most 30 s), `speech` (where a voice was heard; may be empty) and the phrases are
  // read by the steps and must live until the last.
  void Begin(std::span<const float> samples, std::span<const Span> speech, const TranscribeOptions& options);
  // A step of about 20 ms, but those that read sound. True when the transcript is there, or none can be: the
  // window is in several languages, and each of languages() wants a window of its own.
  base::Result<bool> Step(const onnx::RunOptions* stop = nullptr);
  const Transcript& transcript() const { return transcript_; }
  // Of the phrases; empty where they were not asked for.
  const std::vector<LanguageRun>& languages() const { return languages_.runs(); }

 private:
  enum class Stage { kRead, kPrompt, kLanguages, kWrite, kTime, kDone };
  static constexpr size_t kTokensPerStep = 4;
  // The texts of one window: the one in work and what came before it.
  struct Attempts {
    TextSearch search;
    Chance chance{0};
    bool marks = false;                  // the text in work is written with marks
    std::optional<Hypothesis> left_out;  // with marks, but not all of the speech
    int retry = 0;
    std::optional<Hypothesis> best;
  };

  base::Status Prompt();
  base::Status ReadStart();
  base::Status FollowLanguages(const onnx::RunOptions* stop);
  base::Status StartAttempt(float temperature);
  // With `given`, the words that the text begins with, if any.
  base::Status ReadPrompt(bool marks, std::span<const text::TokenId> given);
  void TakePrefix();
  base::Status WriteToken();
  bool Doubted(const Hypothesis& text) const;
  base::Status NextAttempt();
  // Whether the text ends, by its last mark of time, long before the speech does.
  bool LeavesOut(const Hypothesis& text) const;
  base::Status TimeText();
  base::Result<Attention> ReadAttention(std::span<const text::TokenId> tokens);
  // Writes the terms of the vocabulary where they were said and not written; `first_token` of each word.
  base::Status MendTerms(std::span<const text::TokenId> tokens, std::vector<size_t> first_token);
  // How much likelier the model finds `written` after `before` than `term`, in all.
  base::Result<float> Likelier(std::span<const text::TokenId> before, std::span<const text::TokenId> written,
                               std::span<const text::TokenId> term);
  size_t MostTokens() const;
  double SpeechSeconds() const;

  WhisperDecoder decoder_;
  std::span<const float> samples_;
  std::span<const Span> speech_;
  TranscribeOptions options_;
  Stage stage_ = Stage::kDone;
  std::vector<text::TokenId> prefix_;
  std::vector<text::TokenId> given_;  // the prefix, with the mark before it where there are marks

  LanguageTracker languages_;
  Attempts attempts_;
  Transcript transcript_;
};

}  // namespace trunkline::asr
