#include "dsp/barge_gate.h"

#include <algorithm>
#include <charconv>

namespace trunkline::dsp {

BargeSensitivity BargeSensitivity::High() {
  return {-50, 6, 30};
}
BargeSensitivity BargeSensitivity::Normal() {
  return {-42, 9, 60};
}
BargeSensitivity BargeSensitivity::Low() {
  return {-32, 12, 120};
}

std::optional<BargeSensitivity> BargeSensitivity::Number(double dbfs) {
  if (!(dbfs >= -90 && dbfs <= 0)) return std::nullopt;
  return BargeSensitivity{static_cast<float>(dbfs), -1, 60};
}

std::optional<BargeSensitivity> BargeSensitivity::Parse(std::string_view text) {
  if (text == "high") return High();
  if (text == "normal") return Normal();
  if (text == "low") return Low();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return Number(number);
}

bool BargeGate::Process(const LevelReading& reading) {
  float threshold = sensitivity_.threshold_dbfs;
  if (sensitivity_.above_floor_db >= 0) {
    threshold = std::max(threshold, reading.floor_dbfs + sensitivity_.above_floor_db);
  }
  if (open_) {
    const bool below = reading.smooth_dbfs < threshold - BargeSensitivity::kHysteresisDb;
    below_ms_ = below ? below_ms_ + LevelMeter::kWindowMs : 0;
    if (below_ms_ >= BargeSensitivity::kCloseAfterMs) Reset();
  } else {
    above_ms_ = reading.smooth_dbfs >= threshold ? above_ms_ + LevelMeter::kWindowMs : 0;
    open_ = above_ms_ >= sensitivity_.open_after_ms;
  }
  return open_;
}

void BargeGate::Reset() {
  open_ = false;
  above_ms_ = below_ms_ = 0;
}

}  // namespace trunkline::dsp
