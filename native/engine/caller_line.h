// What a caller's line brings, without the agent's echo, and how loud what is left of that may be. Media
// thread; no allocation once frames have had their size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsp/echo_canceller.h"
#include "dsp/level.h"
#include "engine/echo_gauge.h"
#include "engine/playout.h"

namespace trunkline::engine {

class CallerLine {
 public:
  explicit CallerLine(int rate) : canceller_(rate) {}

  // A frame that came at this moment of the media clock, cleaned: in blocks of 10 ms, so that what is left of
  // a frame of another length comes with the next. Valid until the next.
  std::span<const int16_t> Take(std::span<const int16_t> frame, uint64_t clock, const Playout& playout);
  // Once a tick, with what the caller hears of the agent.
  void Tick(float played_dbfs);

  // For how long the next frame has been due; 0 before the first.
  int late_ticks() const { return frame_ticks_ == 0 ? 0 : quiet_ticks_ - frame_ticks_; }
  // Of the newest frame; silence once no other has come in time.
  float level_dbfs() const { return level_; }
  // The loudest echo to be expected in that, and whether it is nothing but echo.
  float echo_dbfs() const { return heard_.expected_dbfs() - canceller_.taken_out_db(); }
  bool echo() const { return left_.Likely(); }

 private:
  void Align(uint64_t clock);

  dsp::EchoCanceller canceller_;
  EchoGauge heard_, left_;  // of the line as it is, and of what is left of the echo
  std::vector<int16_t> waiting_, clean_, far_;
  uint64_t taken_ = 0;  // samples, cleaned
  int64_t offset_ = 0;  // from those to the media clock
  bool aligned_ = false;
  float raw_level_ = dsp::kSilenceDbfs, level_ = dsp::kSilenceDbfs;
  int quiet_ticks_ = 0;
  int frame_ticks_ = 0;  // of the newest frame: a client may send some hundred milliseconds at once
};

}  // namespace trunkline::engine
