// Estimates the level of the agent's echo on the caller's line. Media thread; no allocation; levels in dBFS,
// one of each side a tick of 10 ms.
//
// An echo is the played audio, later and quieter by a constant: at the right delay the difference of the two
// levels hardly varies, while a caller's voice differs in every syllable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace trunkline::omni {

class EchoLevelEstimator {
 public:
  void Tick(float played_dbfs, float heard_dbfs);
  // An echo was found that is quieter than its source by `db`.
  void Found(float db);

  // The loudest echo to expect now. At first it is that of a loud line. Once the delay is known, only the
  // audio played at that time counts, so that the agent's pauses do not mask the caller.
  float expected_dbfs() const;
  bool Likely() const { return likely_; }

 private:
  static constexpr size_t kHeard = 40;
  // The round trip to the caller, through the room, and back.
  static constexpr size_t kMaxDelay = 45;
  static constexpr size_t kPlayed = kHeard + kMaxDelay;
  static constexpr float kQuiet = -127;
  static constexpr float kLoudLine = -17;

  float Played(size_t ago) const { return played_[(ticks_ - 1 - ago) % kPlayed]; }
  float Heard(size_t ago) const { return heard_[(ticks_ - 1 - ago) % kHeard]; }
  bool known() const;
  void Measure();
  void LearnQuiet();

  std::array<float, kPlayed> played_{};
  std::array<float, kHeard> heard_{};
  uint64_t ticks_ = 0;
  int loud_ticks_ = 0;  // consecutive ticks with audible agent audio
  // The greatest ratio of echo to source.
  float coupling_db_ = kLoudLine;
  bool was_same_ = false, likely_ = false;
  // The measured delay, while it is recent.
  size_t delay_ = 0;
  uint64_t delay_seen_ = 0;  // the tick; 0: never
};

}  // namespace trunkline::omni
