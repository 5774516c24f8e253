// The last half-minute of a stream's audio. Media thread; it allocates when it is made.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace trunkline::hear {

class SoundRing {
 public:
  static constexpr double kRate = 16000;

  SoundRing();

  void Add(std::span<const float> samples);
  double seconds() const { return static_cast<double>(total_) / kRate; }
  // The audio between two seconds of the stream; valid until the next call.
  std::span<const float> Range(double start_s, double end_s);

 private:
  static constexpr size_t kSize = 1 << 19;  // 32 s

  std::vector<float> ring_, range_;
  uint64_t total_ = 0;
};

}  // namespace trunkline::hear
