// The jitter buffer's packets, in the order of their sequence numbers. Realtime after construction.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

#include "lanes/rtp/packet.h"

namespace trunkline::rtp {

// Extends sequence numbers and timestamps of 16 and 32 bits to 64.
template <typename Wire>
class Unwrapped {
 public:
  int64_t Of(Wire value) {
    if (!begun_) {
      begun_ = true;
      last_ = value;
      return last_;
    }
    using Signed = std::make_signed_t<Wire>;
    const int64_t now = last_ + static_cast<Signed>(static_cast<Wire>(value - static_cast<Wire>(last_)));
    if (now > last_) last_ = now;
    return now;
  }
  void Reset() { begun_ = false; }

 private:
  bool begun_ = false;
  int64_t last_ = 0;
};

class JitterBuffer {
 public:
  static constexpr int64_t kSlots = 64;
  static constexpr size_t kMaxPayload = 1280;

  struct Stored {
    bool held = false;
    int64_t number = 0;     // sequence number, unwrapped
    int64_t timestamp = 0;  // unwrapped
    uint8_t payload_type = 0;
    uint16_t size = 0;
    std::array<uint8_t, kMaxPayload> bytes;
    base::ByteView payload() const { return {bytes.data(), size}; }
  };
  enum class Verdict : uint8_t { kStored, kTwice, kLate, kTooLarge };

  JitterBuffer();

  // A packet further ahead than all slots restarts the buffer and discards what waits.
  Verdict Put(int64_t number, int64_t timestamp, const Packet& packet);
  // Returns the packet of this number, or null when it has not come.
  const Stored* At(int64_t number) const;
  // Returns the oldest waiting packet, or null.
  const Stored* First() const;
  int64_t next() const { return next_; }
  bool begun() const { return begun_; }
  // Discards everything before this number.
  void PlayFrom(int64_t number);
  int64_t held() const { return held_; }
  void Reset();

 private:
  std::unique_ptr<Stored[]> slots_;
  bool begun_ = false;
  int64_t next_ = 0;
  int64_t held_ = 0;
};

}  // namespace trunkline::rtp
