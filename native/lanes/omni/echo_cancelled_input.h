// The caller's audio without the agent's echo, and the level of the echo that may be left, 10 ms at a time.
// Media thread; no allocation once frames have had their size.
//
// The input has its own time: it advances by the audio that has come. Ten frames that come at once are
// processed at once, as if each had come when it was spoken. An input without frames becomes silent after a
// moment, and sooner if its frames were never late.
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

class EchoCancelledInput {
 public:
  explicit EchoCancelledInput(int rate);

  // Takes a frame that came at this moment of the media clock and returns it without echo, in blocks of 10
  // ms; a remainder comes with the next frame. Valid until the next call.
  std::span<const int16_t> Take(std::span<const int16_t> frame, uint64_t clock, const Playout& playout);
  // Counts samples of silence that replaced missing frames.
  void TakeSilence(size_t samples) { given_ += samples; }
  // Called once a tick, before its steps, with the level of the agent at the caller.
  void Tick(float played_dbfs);
  // Advances by 10 ms of audio that ends before `until_s`, or, once a tick, of silence. Returns false when
  // there is nothing to advance by.
  bool Step(double until_s);
  bool behind() const { return waiting_ticks_ >= newest_ticks_ && waiting_ticks_ > 0; }

  // The number of ticks for which the next frame has been due; 0 before the first.
  int late_ticks() const { return lateness_.ticks(); }
  // The input's time, and the position reached in all audio that was returned.
  int64_t now_ms() const { return now_ms_; }
  double reached_s() const { return reached_s_; }
  float level_dbfs() const { return level_; }
  // The loudest echo that is expected after cancellation, and whether the audio is nothing but echo.
  float echo_dbfs() const { return heard_.expected_dbfs() - canceller_.taken_out_db(); }
  bool echo() const { return left_.Likely() || copy_.found(); }
  // Called every few steps of a suspected sound: whether it is an echo with a delay that is not known yet.
  bool Compare(const Playout& playout);
  void ForgetCompared() { copy_.Forget(); }

 private:
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
  EchoLevelEstimator heard_, left_;
  std::vector<int16_t> rest_, clean_, far_;
  EchoCopyDetector copy_;
  uint64_t taken_ = 0;  // samples, cleaned
  uint64_t given_ = 0;  // those, and silence
  int64_t offset_ = 0;
  bool aligned_ = false;

  std::array<Piece, kPieces> pieces_{};
  size_t first_ = 0, count_ = 0;
  int waiting_ticks_ = 0;
  int newest_ticks_ = 0;
  std::array<float, kPlayed> played_{};
  uint64_t ticks_ = 0;
  FrameLateness lateness_;
  bool stepped_ = false;
  int64_t now_ms_ = 0;
  double reached_s_ = 0;
  float level_ = dsp::kSilenceDbfs;
};

}  // namespace trunkline::omni
