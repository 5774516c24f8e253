// Decides which tokens may follow: no special tokens, none that the weights' authors suppress, and for Hindi
// none in another script than Devanagari. Immutable; shared by all threads.
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

// The bytes written of a Devanagari letter, since a token may end inside a letter.
enum class Letter : uint8_t { kWhole = 0, kOneByte = 1, kTwoBytes = 2 };

class TokenRules {
 public:
  struct Written {
    bool nothing = true;
    Letter letter = Letter::kWhole;
    // Set for a text with timestamps.
    std::optional<TimestampRules::State> marks;
  };

  TokenRules() = default;
  // `first_mark`: the first timestamp; -1: there are none.
  TokenRules(const text::ByteTokens& tokens, const WhisperSettings& settings, text::TokenId end_of_text,
             text::TokenId first_mark = -1);

  // The state of an empty text; with `marks`, it has timestamps if the model supports them.
  Written Begin(bool marks) const;
  // Sets forbidden tokens to minus infinity.
  void Apply(std::span<float> logits, Language language, const Written& written) const;
  Written Next(Language language, Written written, text::TokenId token) const;
  bool is_timestamp(text::TokenId token) const { return marks_ && marks_->is_timestamp(token); }

 private:
  static constexpr size_t kLetters = 3;
  static constexpr uint8_t kForbidden = 255;

  // The letter's state after `token` in Hindi; always kWhole in other languages.
  Letter NextLetter(Language language, Letter letter, text::TokenId token) const;

  std::optional<TimestampRules> marks_;
  std::vector<int32_t> suppress_;
  std::vector<int32_t> suppress_begin_;
  text::TokenId end_of_text_ = 0;
  // next_[letter][token]: the Letter after it, or kForbidden.
  std::array<std::vector<uint8_t>, kLetters> next_;
};

}  // namespace trunkline::asr
