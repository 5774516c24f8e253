#include "lanes/omni/echo_level_estimator.h"

#include <algorithm>
#include <cmath>

namespace trunkline::omni {
namespace {

// Below this nothing is said about an echo.
constexpr float kAudible = -65;
// Quieter moments of what was played are lost in the line's noise.
constexpr float kRange = 18;
constexpr int kLeast = 24;
// How far the difference may vary for an echo, and how far what was played must for a verdict.
constexpr double kSameDb = 2.8;
constexpr double kLivelyDb = 3.0;
// An echo is quieter than what makes it.
constexpr double kLoudestCoupling = -6;
constexpr float kMarginDb = 3;
// While the agent speaks and less comes back than was expected, less is expected, by this much a tick.
constexpr float kUnlearn = 0.2f;
// An agent that speaks, however it pauses.
constexpr float kSpeaking = -40;
constexpr int kSpeakingTicks = 20;
// Of the delays at which that is looked at.
constexpr size_t kSteps = 3;
// Around the delay that was measured: a level is that of 20 ms, and a room rings on.
constexpr size_t kSooner = 4, kLater = 12;
// A delay that was not seen again for so long may have changed.
constexpr uint64_t kKnownTicks = 1000;
// Measuring is a few thousand multiplications; every third tick will do.
constexpr uint64_t kEvery = 3;

}  // namespace

void EchoLevelEstimator::Tick(float played_dbfs, float heard_dbfs) {
  if (ticks_ == 0) {
    played_.fill(-127);
    heard_.fill(-127);
  }
  played_[ticks_ % kPlayed] = played_dbfs;
  heard_[ticks_ % kHeard] = heard_dbfs;
  ++ticks_;
  LearnQuiet();
  if (ticks_ % kEvery == 0 && ticks_ >= kPlayed) Measure();
}

void EchoLevelEstimator::Found(float db) {
  coupling_db_ = std::max(coupling_db_, std::min(db, static_cast<float>(kLoudestCoupling)) + kMarginDb);
}

float EchoLevelEstimator::expected_dbfs() const {
  const size_t from = known() ? delay_ - std::min(delay_, kSooner) : 0;
  const size_t to = known() ? std::min(delay_ + kLater, kPlayed) : kMostDelay;
  float loudest = kQuiet;
  for (size_t ago = from; ago < to && ago < ticks_; ++ago) loudest = std::max(loudest, Played(ago));
  return loudest + coupling_db_;
}

bool EchoLevelEstimator::known() const {
  return delay_seen_ > 0 && ticks_ - delay_seen_ < kKnownTicks;
}

// What was heard is held against what was played as long before, at whatever delay it tells the least: in the
// agent's own pause nothing comes back either.
void EchoLevelEstimator::LearnQuiet() {
  float played = 0, heard = kQuiet;
  const size_t from = known() ? delay_ : 0, to = known() ? delay_ + 1 : kMostDelay;
  for (size_t delay = from; delay < to; delay += kSteps) {
    float loudest = kQuiet;
    for (size_t ago = 0; ago < kHeard && ago + delay < ticks_; ++ago) {
      loudest = std::max(loudest, Played(ago + delay));
    }
    played = std::min(played, loudest);
  }
  loud_ticks_ = played >= kSpeaking ? loud_ticks_ + 1 : 0;
  if (loud_ticks_ < kSpeakingTicks) return;
  for (size_t ago = 0; ago < kHeard; ++ago) heard = std::max(heard, Heard(ago));
  const float back = heard - played + kMarginDb;
  if (back < coupling_db_) coupling_db_ = std::max(back, coupling_db_ - kUnlearn);
}

void EchoLevelEstimator::Measure() {
  bool same = false;
  size_t likeliest = 0;
  double least = kSameDb;
  for (size_t delay = 0; delay < kMostDelay; ++delay) {
    float loudest = kQuiet;
    for (size_t ago = 0; ago < kHeard; ++ago) loudest = std::max(loudest, Played(ago + delay));
    if (loudest < kAudible) continue;
    double sum = 0, squares = 0, played = 0, played_squares = 0;
    int count = 0;
    for (size_t ago = 0; ago < kHeard; ++ago) {
      const double made = Played(ago + delay);
      if (made < loudest - kRange) continue;
      const double difference = Heard(ago) - made;
      sum += difference;
      squares += difference * difference;
      played += made;
      played_squares += made * made;
      ++count;
    }
    if (count < kLeast) continue;
    const double mean = sum / count, level = played / count;
    const double spread = std::sqrt(std::max(0.0, squares / count - mean * mean));
    const double lively = std::sqrt(std::max(0.0, played_squares / count - level * level));
    if (spread > kSameDb || lively < kLivelyDb || mean > kLoudestCoupling || level + mean < kAudible)
      continue;
    same = true;
    if (spread <= least) {
      least = spread;
      likeliest = delay;
    }
    if (!was_same_) continue;
    coupling_db_ = std::max(coupling_db_, static_cast<float>(mean) + kMarginDb);
  }
  if (same && was_same_) {
    delay_ = likeliest;
    delay_seen_ = ticks_;
  }
  // Once may be chance.
  likely_ = same && was_same_;
  was_same_ = same;
}

}  // namespace trunkline::omni
