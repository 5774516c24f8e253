// Detects whether the caller's audio is a delayed copy of the agent's: an echo with an unknown delay. Media
// thread; no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dsp/dsp.h"
#include "lanes/omni/playout.h"

namespace trunkline::omni {

class EchoCopyDetector {
 public:
  explicit EchoCopyDetector(int rate);

  // Takes audio of the line, at its rate.
  void Heard(std::span<const int16_t> piece);

  struct Found {
    bool again = false;  // a copy, at the same delay as at the look before
    bool first = false;  // the delay was not known before
    float db = 0;
  };
  // `clock` is the end of the audio that was added.
  Found Find(int64_t clock, const Playout& playout);
  void Forget();
  bool found() const { return found_; }

 private:
  dsp::DelayedCopy copy_;
  std::vector<int16_t> recent_;
  std::vector<int16_t> played_;
  std::vector<int16_t> heard_then_, played_then_;
  std::optional<size_t> delay_;
  bool found_ = false;
};

}  // namespace trunkline::omni
