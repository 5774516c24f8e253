// What of the agent's own voice may come back from the caller's line. Media thread; no allocation; levels in
// dBFS, one of each side a tick of 10 ms.
//
// An echo is what was played, later and quieter by a constant: for the right delay the difference of the two
// levels hardly varies. A caller's voice differs from the agent's in every syllable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace trunkline::omni {

class EchoLevelEstimator {
 public:
  void Tick(float played_dbfs, float heard_dbfs);
  // An echo was found that is so much quieter than what made it.
  void Found(float db);

  // The loudest echo to be expected now: at first that of a loud line, until this one is known. Once it is
  // known how late it comes, only what was played then counts: a caller is heard in the agent's pauses.
  float expected_dbfs() const;
  // What was heard lately is what was played before.
  bool Likely() const { return likely_; }

 private:
  static constexpr size_t kHeard = 40;
  // To the caller's ear, round the room, and back.
  static constexpr size_t kMostDelay = 45;
  static constexpr size_t kPlayed = kHeard + kMostDelay;
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
  int loud_ticks_ = 0;  // in a row in which the agent could be heard
  // How much quieter the echo is, at most.
  float coupling_db_ = kLoudLine;
  bool was_same_ = false, likely_ = false;
  // How late the echo comes, as long as that was seen lately.
  size_t delay_ = 0;
  uint64_t delay_seen_ = 0;  // the tick; 0: never
};

}  // namespace trunkline::omni
