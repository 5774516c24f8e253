// What a caller's line brings, without the agent's echo, and how loud what is left of that may be: 10 ms at a
// time, however the frames come. Media thread; no allocation once frames have had their size.
//
// A line has a time of its own: it moves on by what has come, and stands still until more does. Frames that
// come ten at a time are moved through at once up to the newest, as if each had come when it was spoken; a
// line whose frames don't come is silent after a moment, and sooner where they never come late.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dsp/dsp.h"
#include "lanes/omni/echo_copy_detector.h"
#include "lanes/omni/echo_level_estimator.h"
#include "lanes/omni/frame_lateness.h"
#include "lanes/omni/playout.h"

namespace trunkline::omni {

class CallerLine {
 public:
  explicit CallerLine(int rate);

  // A frame that came at this moment of the media clock, cleaned: in blocks of 10 ms, so that what is left of
  // a frame of another length comes with the next. Valid until the next.
  std::span<const int16_t> Take(std::span<const int16_t> frame, uint64_t clock, const Playout& playout);
  // So many samples of silence stand in what was given out, in the place of frames that did not come.
  void TakeSilence(size_t samples) { given_ += samples; }
  // Once a tick, before its steps, with what the caller hears of the agent.
  void Tick(float played_dbfs);
  // Moves on by 10 ms: of what came, if it ends by this second of all that was given out, or, once a tick, of
  // silence. False: there is nothing to move on by.
  bool Step(double until_s);
  // The newest frame is still to come to: another step belongs to this tick.
  bool behind() const { return waiting_ticks_ >= newest_ticks_ && waiting_ticks_ > 0; }

  // For how long the next frame has been due; 0 before the first.
  int late_ticks() const { return lateness_.ticks(); }
  // The line's time, and the end of what it has come to in all that was given out.
  int64_t now_ms() const { return now_ms_; }
  double reached_s() const { return reached_s_; }
  float level_dbfs() const { return level_; }
  // The loudest echo to be expected in that, and whether it is nothing but echo.
  float echo_dbfs() const { return heard_.expected_dbfs() - canceller_.taken_out_db(); }
  bool echo() const { return left_.Likely() || copy_.found(); }
  // While a sound is suspected, every few steps: whether it is an echo of which nothing is known yet.
  bool Compare(const Playout& playout);
  void ForgetCompared() { copy_.Forget(); }

 private:
  // Of a frame: 20 ms, or what is left of it.
  struct Piece {
    int ticks = 0;
    float raw_dbfs = 0, dbfs = 0;
    double end_s = 0;
  };
  static constexpr size_t kPieces = 512;
  static constexpr uint64_t kPlayed = 256;

  void Align(uint64_t clock);
  void Clean(std::span<int16_t> piece, const Playout& playout);
  void Note(const Piece& piece);
  float Played() const;

  const int rate_;
  dsp::EchoCanceller canceller_;
  EchoLevelEstimator heard_, left_;  // of the line as it is, and of what is left of the echo
  std::vector<int16_t> rest_, clean_, far_;
  EchoCopyDetector copy_;
  uint64_t taken_ = 0;  // samples, cleaned
  uint64_t given_ = 0;  // those, and silence
  int64_t offset_ = 0;  // from the first to the media clock
  bool aligned_ = false;

  std::array<Piece, kPieces> pieces_{};  // not moved through yet
  size_t first_ = 0, count_ = 0;
  int waiting_ticks_ = 0;  // of all pieces
  int newest_ticks_ = 0;   // of the newest, as it came
  std::array<float, kPlayed> played_{};
  uint64_t ticks_ = 0;
  FrameLateness lateness_;
  bool stepped_ = false;  // in this tick
  int64_t now_ms_ = 0;
  double reached_s_ = 0;
  float level_ = dsp::kSilenceDbfs;
};

}  // namespace trunkline::omni
