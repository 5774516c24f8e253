#include "lanes/rtp/time_scale.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace trunkline::rtp {
namespace {

// The similarity that two periods need, and the mean square below which any part may go.
constexpr double kLike = 0.85;
constexpr double kQuiet = 60.0 * 60.0;

}  // namespace

TimeScale::TimeScale(int rate)
    : shortest_(static_cast<size_t>(rate) / 400), longest_(static_cast<size_t>(rate) / 100) {}

std::optional<size_t> TimeScale::Period(std::span<const int16_t> sound) const {
  double power = 0;
  for (size_t i = 0; i < 2 * longest_; ++i) power += static_cast<double>(sound[i]) * sound[i];
  if (power / static_cast<double>(2 * longest_) < kQuiet) return longest_;
  const size_t step = std::max<size_t>(1, shortest_ / 20);
  double best = kLike;
  std::optional<size_t> found;
  for (size_t lag = shortest_; lag <= longest_; lag += step) {
    double product = 0, first = 1, second = 1;
    for (size_t i = 0; i < longest_; i += step) {
      const double a = sound[i], b = sound[i + lag];
      product += a * b;
      first += a * a;
      second += b * b;
    }
    const double similarity = product / std::sqrt(first * second);
    if (similarity <= best) continue;
    best = similarity;
    found = lag;
  }
  return found;
}

size_t TimeScale::Shorten(std::span<int16_t> sound) const {
  if (sound.size() < needed()) return 0;
  const auto lag = Period(sound);
  if (!lag) return 0;
  for (size_t i = 0; i < *lag; ++i) {
    const float in = static_cast<float>(i + 1) / static_cast<float>(*lag + 1);
    const float mixed = static_cast<float>(sound[i]) * (1 - in) + static_cast<float>(sound[i + *lag]) * in;
    sound[i] = static_cast<int16_t>(std::lrintf(mixed));
  }
  std::memmove(sound.data() + *lag, sound.data() + 2 * *lag, (sound.size() - 2 * *lag) * sizeof(int16_t));
  return *lag;
}

size_t TimeScale::Lengthen(std::span<int16_t> room, size_t size) const {
  if (size < needed() || room.size() < size + longest_) return 0;
  const auto lag = Period(room.first(size));
  if (!lag) return 0;
  // The period comes once unchanged and once more, cross-faded into the audio after it.
  std::memmove(room.data() + *lag, room.data(), size * sizeof(int16_t));
  for (size_t i = 0; i < *lag; ++i) {
    const float in = static_cast<float>(i + 1) / static_cast<float>(*lag + 1);
    const float next = static_cast<float>(room[i + 2 * *lag]), again = static_cast<float>(room[i + *lag]);
    room[i + *lag] = static_cast<int16_t>(std::lrintf(next * (1 - in) + again * in));
  }
  return *lag;
}

}  // namespace trunkline::rtp
