// The connection of one WebSocket client below the listener's library.
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

  // Answers like recv(), with whole headers and their payload. A violation is replaced by a close frame with
  // its code, which the library echoes after everything that it has to send. Whatever the client sends after
  // that is discarded.
  ssize_t Receive(std::span<uint8_t> room, int flags);

 private:
  ssize_t Judge(std::span<uint8_t> room, size_t filled);
  ssize_t Refuse(std::span<uint8_t> room, size_t good, Fault fault);
  ssize_t Discard(std::span<uint8_t> room, int flags) const;

  const int fd_;
  ClientFrames frames_;
  bool is_refused_ = false;
  std::array<uint8_t, kMaxHeld> held_{};
  size_t holds_ = 0;
};

}  // namespace trunkline::guard
