// Peer: the connection of one WebSocket client below the listener's library.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "guard/client_frames.h"

namespace trunkline::guard {

class Peer {
 public:
  Peer(int fd, uint64_t most) : fd_(fd), frames_(most) {}

  // As recv() answers: whole headers and what belongs to them. What the protocol forbids is answered to the client, and given
  // to the library in a form that it cuts too.
  ssize_t Receive(std::span<uint8_t> room, int flags);

  // The library has sent so many of so many bytes.
  void Sent(ssize_t sent, size_t asked) { behind_ = sent < 0 || static_cast<size_t>(sent) < asked; }

 private:
  enum class State : uint8_t { kReading, kDoomed, kRefused };

  ssize_t Judge(std::span<uint8_t> room, size_t filled);
  void Doom(Fault fault, std::span<const uint8_t> rest);
  ssize_t GiveRest(std::span<uint8_t> room);
  void Refuse(Fault fault) const;

  const int fd_;
  ClientFrames frames_;
  State state_ = State::kReading;
  Fault fault_ = Fault::kNone;
  // Part of a frame may have left: nothing may be said in its middle.
  bool behind_ = false;
  std::array<uint8_t, kMostHeld> held_{};
  size_t holds_ = 0;
};

}  // namespace trunkline::guard
