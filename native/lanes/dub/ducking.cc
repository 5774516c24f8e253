#include "lanes/dub/ducking.h"

#include <algorithm>
#include <cmath>

#include "base/speech_thresholds.h"

namespace trunkline::dub {
namespace {

// -50 dBFS.
constexpr float kVoice = 0.00316f;
constexpr double kAhead = 0.12;
// The gain does not pump between the words of a sentence.
constexpr double kHold = base::kSpeechHoldProbability;
constexpr double kFall = 0.05;
constexpr double kRise = 0.25;

float Towards(double seconds, int rate) {
  return static_cast<float>(1 - std::exp(-1 / (seconds * rate)));
}

}  // namespace

std::vector<float> DuckingGain(std::span<const float> voices, int rate, float depth) {
  std::vector<float> gain(voices.size());
  const auto ahead = static_cast<size_t>(kAhead * rate), hold = static_cast<size_t>(kHold * rate);
  const float fall = Towards(kFall, rate), rise = Towards(kRise, rate);
  float now = 1;
  size_t seen = 0, held = 0;
  for (size_t i = 0; i < voices.size(); ++i) {
    for (; seen < std::min(voices.size(), i + ahead + 1); ++seen) {
      if (std::abs(voices[seen]) > kVoice) held = seen + hold;
    }
    const float wanted = i < held ? depth : 1;
    now += (wanted - now) * (wanted < now ? fall : rise);
    gain[i] = now;
  }
  return gain;
}

}  // namespace trunkline::dub
