// Which tokens may follow: no marks or names of tasks, no tokens that the weights' authors forbid, and for
// Hindi none that would write another script than Devanagari. Immutable; every thread shares it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "asr/language.h"
#include "asr/whisper_settings.h"
#include "text/byte_tokens.h"

namespace trunkline::asr {

// Bytes of a Devanagari letter that have been written, while it is incomplete: a token may end inside a
// letter.
enum class Letter : uint8_t { kWhole = 0, kOneByte = 1, kTwoBytes = 2 };

class TokenRules {
 public:
  TokenRules() = default;
  TokenRules(const text::ByteTokens& tokens, const WhisperSettings& settings, text::TokenId end_of_text);

  // Sets what may not come to minus infinity. `first`: nothing of the text has been written.
  void Apply(std::span<float> logits, Language language, Letter letter, bool first) const;
  // The letter's state after `token` in Hindi; always kWhole in the other languages.
  Letter Next(Language language, Letter letter, text::TokenId token) const;

 private:
  static constexpr size_t kLetters = 3;
  static constexpr uint8_t kForbidden = 255;

  std::vector<int32_t> suppress_;
  std::vector<int32_t> suppress_begin_;
  text::TokenId end_of_text_ = 0;
  // next_[letter][token]: the Letter after it, or kForbidden.
  std::array<std::vector<uint8_t>, kLetters> next_;
};

}  // namespace trunkline::asr
