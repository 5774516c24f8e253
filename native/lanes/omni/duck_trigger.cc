#include "lanes/omni/duck_trigger.h"

#include <algorithm>

namespace trunkline::omni {
namespace {

// A longer dip begins another sound.
constexpr int64_t kDuckDipMs = 60;
constexpr float kMinNoise = -75;
// The noise floor rises slowly and falls at once; dB a tick, and a share.
constexpr float kNoiseRisesDb = 0.08f, kNoiseFalls = 0.2f;

}  // namespace

void DuckTrigger::Listen(int64_t now_ms, float level_dbfs, float echo_dbfs, uint64_t frames,
                         float probability) {
  const float least = std::max({options_.gate_dbfs, noise_dbfs_ + options_.above_db, echo_dbfs});
  if (level_dbfs >= least && heard_) {
    if (since_ms_ < 0) {
      since_ms_ = now_ms;
      frames_ = frames;
      possible_ = false;
    }
    last_ms_ = now_ms;
  } else if (now_ms - last_ms_ > kDuckDipMs) {
    since_ms_ = -1;
    spent_ = false;
  }
  if (since_ms_ >= 0 && frames != frames_ && probability >= options_.possible) possible_ = true;
  likely_ = probability >= options_.likely;
  FollowNoise(level_dbfs);
}

void DuckTrigger::FollowNoise(float level_dbfs) {
  const float level = std::max(level_dbfs, kMinNoise);
  if (!heard_) noise_dbfs_ = level;
  heard_ = true;
  noise_dbfs_ += level < noise_dbfs_ ? kNoiseFalls * (level - noise_dbfs_)
                                     : std::min(kNoiseRisesDb, level - noise_dbfs_);
}

DuckTrigger::Step DuckTrigger::Decide(int64_t now_ms) {
  if (ducked_) {
    const int64_t hold_ms = likely_ ? options_.likely_hold_ms : options_.hold_ms;
    const bool over = since_ms_ < 0 || now_ms - ducked_ms_ >= hold_ms;
    if (!over) return Step::kNone;
    ducked_ = false;
    pause_ms_ = std::clamp(2 * pause_ms_, options_.pause_ms, options_.max_pause_ms);
    paused_until_ms_ = now_ms + pause_ms_;
    return Step::kUnduck;
  }
  const bool stands_out = since_ms_ >= 0 && last_ms_ == now_ms && now_ms - since_ms_ >= options_.min_ms;
  if (!stands_out || !possible_ || spent_ || now_ms < paused_until_ms_) return Step::kNone;
  ducked_ = spent_ = true;
  ducked_ms_ = now_ms;
  return Step::kDuck;
}

}  // namespace trunkline::omni
