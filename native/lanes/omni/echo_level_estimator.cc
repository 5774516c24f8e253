#include "lanes/omni/echo_level_estimator.h"

#include <algorithm>
#include <cmath>

namespace trunkline::omni {
namespace {

// The estimator ignores audio below this level.
constexpr float kAudible = -65;
// Quieter moments of the played audio are lost in the line's noise.
constexpr float kRange = 18;
constexpr int kMin = 24;
// In an echo, the difference varies less than the first; a verdict needs a played level that varies more
// than the second.
constexpr double kSameDb = 2.8;
constexpr double kLivelyDb = 3.0;
// An echo is quieter than its source.
constexpr double kLoudestCoupling = -6;
constexpr float kMarginDb = 3;
// The expectation falls by this much a tick while the agent speaks and less comes back.
constexpr float kUnlearn = 0.2f;
// The mean level of an agent that speaks, pauses included.
constexpr float kSpeaking = -40;
constexpr int kSpeakingTicks = 20;
// This many delays around the measured one are tried.
constexpr size_t kSteps = 3;
// The window around the measured delay: a level covers 20 ms, and a room reverberates.
constexpr size_t kSooner = 4, kLater = 12;
// A delay that was not measured again for this long may have changed.
constexpr uint64_t kKnownTicks = 1000;
// Measuring takes a few thousand multiplications, so it runs every third tick.
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
  const size_t to = known() ? std::min(delay_ + kLater, kPlayed) : kMaxDelay;
  float loudest = kQuiet;
  for (size_t ago = from; ago < to && ago < ticks_; ++ago) loudest = std::max(loudest, Played(ago));
  return loudest + coupling_db_;
}

bool EchoLevelEstimator::known() const {
  return delay_seen_ > 0 && ticks_ - delay_seen_ < kKnownTicks;
}

// Lowers the expectation by the delay at which the audio contradicts it least, because nothing comes back in
// the agent's own pauses either.
void EchoLevelEstimator::LearnQuiet() {
  float played = 0, heard = kQuiet;
  const size_t from = known() ? delay_ : 0, to = known() ? delay_ + 1 : kMaxDelay;
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
  for (size_t delay = 0; delay < kMaxDelay; ++delay) {
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
    if (count < kMin) continue;
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
  // A single match may be chance.
  likely_ = same && was_same_;
  was_same_ = same;
}

}  // namespace trunkline::omni
