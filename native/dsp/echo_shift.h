// Detects by correlation that an echo comes earlier or later than a filter expects it. Realtime: no lock, no
// allocation after construction.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace trunkline::dsp {

class EchoShift {
 public:
  // `radius` is the largest shift to either side. Both are samples.
  EchoShift(size_t block, size_t radius);

  // Takes a block of the expected echo and of the recorded audio.
  void Take(std::span<const float> expected, std::span<const float> heard);
  std::span<const float> Expected(size_t count) const { return std::span<const float>(echoes_).last(count); }
  // Returns the recorded audio of the latest time that can be compared, and the echo that was
  // expected then.
  std::span<const float> HeardThen() const { return std::span<const float>(nears_).first(block_); }
  std::span<const float> ExpectedThen() const {
    return std::span<const float>(echoes_).subspan(radius_, block_);
  }
  // Called after each block with an expected echo. Returns the number of samples by which the echo is
  // late once that is certain, else 0.
  ptrdiff_t Check();
  void Forget();
  void ForgetExpected();

 private:
  size_t block_, radius_;  // samples
  std::vector<float> echoes_, nears_;
  std::vector<float> similarity_;
  float seen_ = 0;
  ptrdiff_t likeliest_ = 0;
  int likely_ = 0;
};

}  // namespace trunkline::dsp
