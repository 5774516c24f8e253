// Loudness of a lane, window by window. Realtime: no lock, no allocation; any split of the input gives the
// same readings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace trunkline::dsp {

// Decibels below overload: a full-scale square wave has an RMS of 0 dBFS, a full-scale sine one of -3.01 (the
// dBov of G.711 and RFC 6464). Digital silence reads kSilenceDbfs.
constexpr float kSilenceDbfs = -127;

float ToDbfs(double power);  // mean square to dBFS
// The level of all samples; kSilenceDbfs for none.
float LevelOf(std::span<const int16_t> samples);

struct LevelReading {
  float rms_dbfs;
  float peak_dbfs;    // largest sample of this window
  float smooth_dbfs;  // RMS that rises within kAttackMs and falls within kReleaseMs
  float floor_dbfs;   // steady noise under the speech
};

class LevelMeter {
 public:
  static constexpr int kWindowMs = 10;
  static constexpr int kMaxRate = 48000;
  // Time constants: after one of them, 63 % of a step of the power is reached.
  static constexpr int kAttackMs = 20;
  static constexpr int kReleaseMs = 150;
  // The noise floor is the least smoothed power of the last eight spans, so it follows louder noise after 1.6
  // s and softer noise at once. Speech pauses at least once in that time; a longer steady sound is noise by
  // definition.
  static constexpr int kFloorSpans = 8;
  static constexpr int kFloorSpanMs = 200;

  // `rate`: 8000 to kMaxRate, a multiple of 100; another rate is replaced by the nearest valid
  // one.
  explicit LevelMeter(int rate);

  // Writes a reading for every window that `samples` completes. `out` should hold
  // WindowsIn(samples.size()); further readings are lost.
  size_t Process(std::span<const float> samples, std::span<LevelReading> out);
  size_t WindowsIn(size_t samples) const { return (filled_ + samples) / window_; }
  void Reset();

 private:
  LevelReading Measure();
  float TrackFloor(double power);

  size_t window_;
  size_t filled_ = 0;
  std::array<float, kMaxRate / 1000 * kWindowMs> samples_;
  float held_ = 0;
  double smooth_ = 0;
  double floor_smooth_ = 0;
  std::array<double, kFloorSpans> span_minima_;
  int span_windows_ = 0;
  bool started_ = false;
};

}  // namespace trunkline::dsp
