// Whether an echo comes later or sooner than a filter expects it, told by likeness: of the same sounds, moved. Realtime: no lock, no
// allocation after construction.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace trunkline::dsp {

class EchoShift {
 public:
  // Shifts of up to so many blocks to either side.
  EchoShift(size_t block, size_t reach);

  // A block of what was expected and of what was heard.
  void Take(std::span<const float> expected, std::span<const float> heard);
  // The newest samples of what was expected.
  std::span<const float> Expected(size_t count) const { return std::span<const float>(echoes_).last(count); }
  // What was heard as long ago as it can be judged by, and what was expected then.
  std::span<const float> HeardThen() const { return std::span<const float>(nears_).first(block_); }
  std::span<const float> ExpectedThen() const {
    return std::span<const float>(echoes_).subspan(reach_, block_);
  }
  // After each block in which an echo was expected: by how many samples it is later, once that is believed; else 0.
  ptrdiff_t Look();
  // What was alike is so no more.
  void Forget();
  void ForgetExpected();

 private:
  size_t block_, reach_;               // samples
  std::vector<float> echoes_, nears_;  // of the last blocks
  std::vector<float> likeness_;        // for every shift
  float seen_ = 0;
  ptrdiff_t likeliest_ = 0;
  int likely_ = 0;
};

}  // namespace trunkline::dsp
