// Telephone events (RFC 4733). Realtime.
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
  uint32_t duration = 0;  // units of the event's clock
};

// Returns nothing for events that are not keys.
std::optional<TelephoneEvent> ReadEvent(base::ByteView payload);
// Writes four bytes; 0 for an invalid key.
size_t WriteEvent(const TelephoneEvent& event, base::MutableBytes out);
bool IsKey(char key);

// Reports each key once, however many packets carry it.
class KeyReader {
 public:
  std::optional<char> Take(base::ByteView payload, uint32_t timestamp);

 private:
  std::optional<uint32_t> last_;
};

// Sends keys one after the other, in steps of 20 ms.
class KeyPress {
 public:
  static constexpr size_t kMaxKeys = 64;

  // Returns false when not all keys fit, or one is not a key.
  bool Press(std::string_view keys);
  bool idle() const { return count_ == 0; }

  struct Step {
    std::optional<TelephoneEvent> event;  // nothing in a pause between two keys
    bool first = false;
  };
  // Called for each step of a key or its pause; not when idle.
  Step Next(int clock);

 private:
  std::array<char, kMaxKeys> keys_{};
  size_t first_ = 0, count_ = 0;
  uint32_t step_ = 0;
};

}  // namespace trunkline::rtp
