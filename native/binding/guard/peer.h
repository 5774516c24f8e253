// Peer: the connection of one WebSocket client below the listener's library.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "binding/guard/client_frames.h"

namespace trunkline::guard {

class Peer {
 public:
  Peer(int fd, uint64_t most) : fd_(fd), frames_(most) {}

  // As recv() answers: whole headers and what belongs to them. In place of what the protocol forbids comes a close frame of
  // the client's with the code, which the library answers with the same code behind all that it has to send. What the client
  // sends after it is read and thrown away.
  ssize_t Receive(std::span<uint8_t> room, int flags);

 private:
  ssize_t Judge(std::span<uint8_t> room, size_t filled);
  ssize_t Refuse(std::span<uint8_t> room, size_t good, Fault fault);
  ssize_t Discard(std::span<uint8_t> room, int flags) const;

  const int fd_;
  ClientFrames frames_;
  bool is_refused_ = false;
  std::array<uint8_t, kMostHeld> held_{};
  size_t holds_ = 0;
};

}  // namespace trunkline::guard
