// Tells by its level whether a sound may be the caller's while the speaker lock holds. Media thread; no allocation.
//
// A sound passes while kPassesMs of the last kWindowMs are speech above the gate. The loudest moments of a quieter
// voice reach the caller's level too, but rarely for that long; the caller passes within the first syllable.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

namespace trunkline::omni {

struct GateLevels {
  float loud_dbfs = -127;
  // Speech above this level is the caller's although the voice of the sound so far was another's.
  float sure_dbfs = -127;
};

class SoundGate {
 public:
  static constexpr int kWindowMs = 400, kPassesMs = 80;

  // Nothing while the lock is open.
  void Set(std::optional<GateLevels> levels) { levels_ = levels; }
  // Called every 10 ms of the caller's line.
  void Tick(float level_dbfs, bool speech);
  // The voice of the sound is known: the caller's, however quiet, or another's.
  void Known(bool callers) { voice_ = callers ? Voice::kCallers : Voice::kOthers; }
  // Returns whether the lock holds and the sound is not the caller's by what is known so far.
  bool holds_back() const;

 private:
  enum class Voice : uint8_t { kUnknown, kCallers, kOthers };
  static constexpr int kTickMs = 10;
  static constexpr uint64_t kWindow = (uint64_t{1} << (kWindowMs / kTickMs)) - 1;

  static int Ms(uint64_t ticks) { return std::popcount(ticks & kWindow) * kTickMs; }

  std::optional<GateLevels> levels_;
  Voice voice_ = Voice::kUnknown;
  uint64_t speech_ = 0, loud_ = 0, sure_ = 0;  // the last ticks, the newest in the lowest bit
};

}  // namespace trunkline::omni
