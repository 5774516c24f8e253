// Bridges two lanes inside the engine: the audio output of each is the other's input.
//
// Engine::Join makes a bridge (JavaScript thread); each lane's media thread reads one ring and writes the
// other, so that lanes of different media threads may be joined. Audio that finds a full ring is dropped,
// because live audio must not be late. The bridge lives until both slots are free.
#pragma once

#include <array>
#include <cstdint>

#include "base/block_pool.h"
#include "base/bytes.h"
#include "base/spsc_ring.h"
#include "engine/records.h"

namespace trunkline::engine {

class BridgeEnd {
 public:
  // The ring holds one second of PCM16 at 16 kHz, and headers.
  static constexpr size_t kRingBytes = 32 * 1024;

  // `observed`: JavaScript gets the lane's audio output too.
  BridgeEnd(base::ByteRing& in, base::ByteRing& out, bool observed)
      : in_(in), out_(out), observed_(observed) {}

  base::ByteRing& in() { return in_; }
  bool observed() const { return observed_; }

  void Write(InputKind kind, base::ByteView head, base::ByteView body) {
    std::array<uint8_t, kInputHeader> header{};
    base::Store(header.data(), static_cast<uint16_t>(kind));
    base::Store(header.data() + 4, static_cast<uint32_t>(head.size() + body.size()));
    out_.Push(header, head, body);
  }

 private:
  base::ByteRing& in_;
  base::ByteRing& out_;
  const bool observed_;
};

class LaneBridge {
 public:
  LaneBridge(base::BlockPool& memory, bool first_observed, bool second_observed)
      : to_first_(BridgeEnd::kRingBytes, memory),
        to_second_(BridgeEnd::kRingBytes, memory),
        first_(to_first_, to_second_, first_observed),
        second_(to_second_, to_first_, second_observed) {}

  BridgeEnd& first() { return first_; }
  BridgeEnd& second() { return second_; }

 private:
  base::ByteRing to_first_, to_second_;
  BridgeEnd first_, second_;
};

}  // namespace trunkline::engine
