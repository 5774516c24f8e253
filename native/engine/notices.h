// Records of jobs and of the engine itself. Not for the frame path, because pool threads and JavaScript share
// its lock.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

#include "engine/outbox.h"

namespace trunkline::engine {

class Notices {
 public:
  // `replace`: replaces the last notice when that has the same sender and type.
  void Add(LaneId from, uint16_t type, base::ByteView bytes, bool replace = false);
  // Returns false when `writer` is full and something is left.
  bool DrainTo(PackedWriter& writer);

 private:
  struct Notice {
    LaneId from;
    uint16_t type;
    std::string bytes;
  };
  std::mutex mutex_;
  std::deque<Notice> waiting_;
};

}  // namespace trunkline::engine
