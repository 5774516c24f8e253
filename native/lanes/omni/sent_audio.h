// The audio that was sent to a caller, by the moment at which it is to be played. Media thread; no allocation
// after construction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trunkline::omni {

class SentAudio {
 public:
  static constexpr size_t kStoredS = 4;

  explicit SentAudio(int rate) : samples_(kStoredS * static_cast<size_t>(rate)) {}

  // Adds silence up to this moment of the clock, and then the audio.
  void Add(uint64_t clock, std::span<const int16_t> sound) {
    const uint64_t oldest = clock - std::min<uint64_t>(clock, samples_.size());
    for (uint64_t at = std::max(to_, oldest); at < clock; ++at) samples_[at % samples_.size()] = 0;
    for (size_t i = 0; i < sound.size(); ++i) samples_[(clock + i) % samples_.size()] = sound[i];
    to_ = clock + sound.size();
  }
  // Audio after this moment is never played.
  void Truncate(uint64_t clock) { to_ = std::min(to_, clock); }
  // Reads from this moment on, for a client that lags by `lag`.
  void Read(uint64_t clock, uint64_t lag, std::span<int16_t> out) const {
    for (size_t i = 0; i < out.size(); ++i) {
      const uint64_t at = clock + i - std::min(clock + i, lag);
      const bool stored = clock + i >= lag && at < to_ && at + samples_.size() >= to_;
      out[i] = stored ? samples_[at % samples_.size()] : int16_t{0};
    }
  }

 private:
  std::vector<int16_t> samples_;
  uint64_t to_ = 0;
};

}  // namespace trunkline::omni
