// Which tokens may follow: no marks or names of tasks, no tokens that the weights' authors forbid, and for
// Hindi none that would write another script than Devanagari. Immutable; every thread shares it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "asr/language.h"
#include "asr/timestamp_rules.h"
#include "asr/whisper_settings.h"
#include "text/tokens/tokens.h"

namespace trunkline::asr {

// Bytes of a Devanagari letter that have been written, while it is incomplete: a token may end inside a
// letter.
enum class Letter : uint8_t { kWhole = 0, kOneByte = 1, kTwoBytes = 2 };

class TokenRules {
 public:
  // What of a text decides how it may go on.
  struct Written {
    bool nothing = true;
    Letter letter = Letter::kWhole;
    // Of a text with marks of time.
    std::optional<TimestampRules::State> marks;
  };

  TokenRules() = default;
  // `first_mark` of time; -1: there are none.
  TokenRules(const text::ByteTokens& tokens, const WhisperSettings& settings, text::TokenId end_of_text,
             text::TokenId first_mark = -1);

  // A text of which nothing is written; with `marks` of time, where the model knows them.
  Written Begin(bool marks) const;
  // Sets what may not come to minus infinity.
  void Apply(std::span<float> logits, Language language, const Written& written) const;
  Written Next(Language language, Written written, text::TokenId token) const;
  bool is_timestamp(text::TokenId token) const { return marks_ && marks_->is_timestamp(token); }

 private:
  static constexpr size_t kLetters = 3;
  static constexpr uint8_t kForbidden = 255;

  // The letter's state after `token` in Hindi; always kWhole in the other languages.
  Letter NextLetter(Language language, Letter letter, text::TokenId token) const;

  std::optional<TimestampRules> marks_;
  std::vector<int32_t> suppress_;
  std::vector<int32_t> suppress_begin_;
  text::TokenId end_of_text_ = 0;
  // next_[letter][token]: the Letter after it, or kForbidden.
  std::array<std::vector<uint8_t>, kLetters> next_;
};

}  // namespace trunkline::asr
