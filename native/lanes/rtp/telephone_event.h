// Keys that travel beside the sound (RFC 4733). Realtime.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"

namespace trunkline::rtp {

struct TelephoneEvent {
  char key = 0;
  bool ended = false;
  uint32_t duration = 0;  // in units of its clock
};

// Nothing for what is no key: other tones have numbers of their own.
std::optional<TelephoneEvent> ReadEvent(base::ByteView payload);
// Four bytes; 0 for a key that is none.
size_t WriteEvent(const TelephoneEvent& event, base::MutableBytes out);
bool IsKey(char key);

// Each key once, however many packets tell of it.
class KeyReader {
 public:
  std::optional<char> Take(base::ByteView payload, uint32_t timestamp);

 private:
  std::optional<uint32_t> last_;
};

// Keys to be pressed, one after the other, in steps of 20 ms.
class KeyPress {
 public:
  static constexpr size_t kMostKeys = 64;

  // False: there is no room for all of them, or one is no key.
  bool Press(std::string_view keys);
  bool idle() const { return count_ == 0; }

  struct Step {
    std::optional<TelephoneEvent> event;  // absent: a pause between two keys
    bool first = false;
  };
  // Once for each step of a key or its pause; not when idle.
  Step Next(int clock);

 private:
  std::array<char, kMostKeys> keys_{};
  size_t first_ = 0, count_ = 0;
  uint32_t step_ = 0;
};

}  // namespace trunkline::rtp
