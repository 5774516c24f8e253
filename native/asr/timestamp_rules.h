// Marks of time between the words of a text. Whisper was trained to write one where a stretch of speech
// begins and one where it ends, and writes better texts when it may (docs/decisions/085). What they say is
// not used: words are timed by attention.
//
// The rules are those of Whisper's own decoder: the first mark is within a second, marks come in pairs
// between stretches and never go back, and where some mark is likelier than the likeliest word, a mark is
// written.
#pragma once

#include <cstdint>
#include <span>

#include "text/tokens/tokens.h"

namespace trunkline::asr {

class TimestampRules {
 public:
  // How far a text is.
  enum class Place : uint8_t {
    kStart,   // nothing is written
    kOpened,  // a stretch has begun
    kWords,   // inside it
    kClosed,  // it has ended
  };
  struct State {
    Place place = Place::kStart;
    text::TokenId last = 0;  // the latest mark
  };

  // `first` is the mark of no time at all; all tokens from it on are marks. `end`: of the text.
  TimestampRules(text::TokenId first, text::TokenId end) : first_(first), end_(end) {}

  bool is_timestamp(text::TokenId token) const { return token >= first_; }
  text::TokenId first() const { return first_; }
  State After(State state, text::TokenId token) const;
  // Sets to minus infinity what may not come next.
  void Apply(std::span<float> logits, State state) const;

 private:
  text::TokenId first_;
  text::TokenId end_;
};

}  // namespace trunkline::asr
