// The loudness half of barge-in: is the caller loud enough, for long enough, to be meant? (Whether it is
// speech is for the voice activity detector to say.) Realtime.
#pragma once

#include <optional>
#include <string_view>

#include "dsp/level.h"

namespace trunkline::dsp {

struct BargeSensitivity {
  float threshold_dbfs;  // smoothed level that opens the gate
  float above_floor_db;  // and how far above the noise floor it must lie; negative: the floor plays no part
  int open_after_ms;     // of level above the threshold, without a gap
  static constexpr float kHysteresisDb = 4;
  static constexpr int kCloseAfterMs = 200;

  static BargeSensitivity High();  // yields easily
  static BargeSensitivity Normal();
  static BargeSensitivity Low();  // clear, deliberate speech only
  // A threshold of one's own, -90 to 0 dBFS; the more negative, the more sensitive. Taken as it is, without
  // regard to the noise floor.
  static std::optional<BargeSensitivity> Number(double dbfs);
  // "high", "normal", "low" or a number.
  static std::optional<BargeSensitivity> Parse(std::string_view text);
};

class BargeGate {
 public:
  explicit BargeGate(const BargeSensitivity& sensitivity) : sensitivity_(sensitivity) {}

  // One reading a window; true while the gate is open.
  bool Process(const LevelReading& reading);
  bool open() const { return open_; }
  void Reset();

 private:
  BargeSensitivity sensitivity_;
  bool open_ = false;
  int above_ms_ = 0;
  int below_ms_ = 0;
};

}  // namespace trunkline::dsp
