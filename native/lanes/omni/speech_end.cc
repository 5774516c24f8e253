#include "lanes/omni/speech_end.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace trunkline::omni {
namespace {

constexpr size_t kBlock = 160;  // 10 ms
constexpr size_t kMaxBlocks = 1600;
constexpr double kBlockSeconds = 0.01;
constexpr size_t kRun = 3;
// 15.9 dB: audio further below the active speech level is breath, background noise or hiss.
constexpr double kMargin = 0.0257;
constexpr int kRounds = 20;

double PowerOf(std::span<const float> block) {
  double power = 0;
  for (const float sample : block) power += static_cast<double>(sample) * sample;
  return power / static_cast<double>(block.size());
}

// The mean of all values that are within the margin of that mean.
double ActivePower(std::span<const double> powers) {
  double active = 0;
  for (int round = 0; round < kRounds; ++round) {
    double sum = 0;
    size_t count = 0;
    for (const double power : powers) {
      if (power < active * kMargin) continue;
      sum += power;
      ++count;
    }
    const double next = sum / static_cast<double>(std::max<size_t>(count, 1));
    if (next == active) break;
    active = next;
  }
  return active;
}

}  // namespace

double SecondsSinceSpeech(std::span<const float> sound) {
  sound = sound.last(std::min(sound.size(), kMaxBlocks * kBlock));
  std::array<double, kMaxBlocks> levels;
  const size_t count = sound.size() / kBlock;
  // Blocks are aligned to the end of the audio.
  for (size_t i = 0; i < count; ++i) levels[i] = PowerOf(sound.last((count - i) * kBlock).first(kBlock));
  const std::span<const double> powers(levels.data(), count);
  const double least = ActivePower(powers) * kMargin;
  size_t loud = 0;
  for (size_t i = count; i-- > 0;) {
    loud = least > 0 && powers[i] >= least ? loud + 1 : 0;
    if (loud == kRun) return static_cast<double>(count - i - kRun) * kBlockSeconds;
  }
  return static_cast<double>(count) * kBlockSeconds;
}

}  // namespace trunkline::omni
