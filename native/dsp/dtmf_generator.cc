#include <algorithm>
#include <cmath>
#include <numbers>

#include "dsp/dtmf.h"

namespace trunkline::dsp {
namespace {

constexpr size_t kMaxDigits = 256;
constexpr int kWaitMs = 500;
constexpr int kEdgeMs = 2;  // the rise and the fall of a digit avoid clicks

// Returns the index into the key pad, 16 for a wait, or nothing.
std::optional<int> PlaceOf(char digit) {
  if (digit == 'w' || digit == 'W' || digit == ',') return 16;
  for (int place = 0; place < 16; ++place) {
    const char key = DtmfKey(place / 4, place % 4);
    if (key == digit || (key >= 'A' && key + 32 == digit)) return place;
  }
  return std::nullopt;
}

float AmplitudeOf(float dbfs) {
  return std::pow(10.0f, dbfs / 20) * std::numbers::sqrt2_v<float>;
}

}  // namespace

std::optional<DtmfGenerator> DtmfGenerator::Create(int rate, std::string_view digits,
                                                   const DtmfTiming& timing) {
  if (digits.empty() || digits.size() > kMaxDigits || rate < 8000 || rate > 48000) return std::nullopt;
  if (timing.tone_ms < 2 * kEdgeMs || timing.pause_ms < 0) return std::nullopt;
  if (!std::ranges::all_of(digits, [](char digit) { return PlaceOf(digit).has_value(); }))
    return std::nullopt;
  return DtmfGenerator(rate, std::string(digits), timing);
}

DtmfGenerator::DtmfGenerator(int rate, std::string digits, const DtmfTiming& timing)
    : rate_(rate), digits_(std::move(digits)), timing_(timing) {}

size_t DtmfGenerator::LengthOf(char digit) const {
  const int ms = *PlaceOf(digit) == 16 ? kWaitMs : timing_.tone_ms + timing_.pause_ms;
  return static_cast<size_t>(ms) * static_cast<size_t>(rate_) / 1000;
}

size_t DtmfGenerator::Process(std::span<float> out) {
  size_t written = 0;
  while (written < out.size() && !done()) {
    out[written++] = Sample(position_++);
    if (position_ >= LengthOf(digits_[at_])) {
      ++at_;
      position_ = 0;
    }
  }
  return written;
}

float DtmfGenerator::Sample(size_t position) const {
  const int place = *PlaceOf(digits_[at_]);
  const size_t tone = static_cast<size_t>(timing_.tone_ms) * static_cast<size_t>(rate_) / 1000;
  if (place == 16 || position >= tone) return 0;
  const double seconds = static_cast<double>(position) / rate_;
  const double low = std::sin(2 * std::numbers::pi * kDtmfLow[static_cast<size_t>(place / 4)] * seconds);
  const double high = std::sin(2 * std::numbers::pi * kDtmfHigh[static_cast<size_t>(place % 4)] * seconds);
  const double edge =
      static_cast<double>(std::min(position, tone - 1 - position)) / (kEdgeMs * rate_ / 1000.0);
  const double shape = edge >= 1 ? 1 : 0.5 - 0.5 * std::cos(std::numbers::pi * edge);
  return static_cast<float>(shape *
                            (AmplitudeOf(timing_.low_dbfs) * low + AmplitudeOf(timing_.high_dbfs) * high));
}

}  // namespace trunkline::dsp
