// Detects hold music: continuous sound with held pitches that is not speech. Realtime after construction; any
// split of the input gives the same answers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsp/real_fft.h"

namespace trunkline::dsp {

// The features of a frame of 64 ms, one every 32 ms.
struct MusicFrame {
  float level_dbfs = 0;
  // The share of the power in pitches that have been held for an eighth of a second, but not for two seconds
  // as a hum is.
  float held = 0;
};

// The spectral part, at 8 kHz.
class HeldPitches {
 public:
  static constexpr size_t kFrame = 512, kHop = 256;
  HeldPitches();
  // `hop` has kHop samples.
  MusicFrame Frame(std::span<const float> hop);

 private:
  RealFft fft_;
  std::vector<float> window_, samples_, work_, re_, im_, power_;
  std::vector<uint16_t> age_, aged_;  // hops for which a bin has been a peak
};

class MusicWatch {
 public:
  enum class Change : uint8_t { kNone, kBegan, kEnded };

  // Takes each frame with its speech probability. After a change, at_s() has its time.
  Change Frame(const MusicFrame& frame, float speech, double end_s);
  void End(double at_s);
  bool playing() const { return playing_; }
  double at_s() const { return at_s_; }

 private:
  static constexpr size_t kFrames = 94;  // three seconds
  struct Sums {
    double held = 0, speech = 0;
    int sounding = 0;
  };
  struct Seen {
    float held = 0, speech = 0;
    bool sounding = false;
  };
  void Count(const Seen& seen, int sign);

  std::array<Seen, kFrames> seen_ = {};
  Sums sums_;
  size_t frames_ = 0;
  int unlike_ = 0;
  bool playing_ = false;
  double at_s_ = 0;
};

}  // namespace trunkline::dsp
