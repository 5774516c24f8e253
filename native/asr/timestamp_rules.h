// Rules for timestamp tokens. Whisper was trained to write a timestamp where a stretch of speech begins and
// ends, and writes better texts with them (docs/decisions/085). Their values are not used: words are timed by
// attention.
//
// The rules are those of Whisper's own decoder: the first timestamp is within a second, timestamps come in
// pairs between stretches and never go back, and a timestamp is written where timestamps together are more
// likely than the best word.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "text/tokens/tokens.h"

namespace trunkline::asr {

// The score of a token that must not be written.
inline constexpr float kNever = -std::numeric_limits<float>::infinity();

class TimestampRules {
 public:
  enum class Place : uint8_t {
    kStart,   // nothing is written
    kOpened,  // a stretch has begun
    kWords,   // inside it
    kClosed,  // it has ended
  };
  struct State {
    Place place = Place::kStart;
    text::TokenId last = 0;
  };

  // `first` is the timestamp of zero; all tokens from it on are timestamps. `end`: the end of the text.
  TimestampRules(text::TokenId first, text::TokenId end) : first_(first), end_(end) {}

  bool is_timestamp(text::TokenId token) const { return token >= first_; }
  text::TokenId first() const { return first_; }
  State After(State state, text::TokenId token) const;
  // Sets forbidden tokens to minus infinity.
  void Apply(std::span<float> logits, State state) const;

 private:
  text::TokenId first_;
  text::TokenId end_;
};

}  // namespace trunkline::asr
