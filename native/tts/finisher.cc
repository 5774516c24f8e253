#include "tts/finisher.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trunkline::tts {
namespace {

constexpr float kSilenceDb = -45;
constexpr float kActiveSpeechDb = -38;
// A longer silence is played although the clause may end in it, so that playback does not stall. The
// slowest voice ends a clause in 0.8 s of silence.
constexpr float kLongestHeldSeconds = 1.0F;
constexpr float kRunInSeconds = 0.010F;
constexpr float kRunOutSeconds = 0.030F;
// The leveller follows the mean power of about this much speech, with a small range: it evens clauses, not
// words.
constexpr float kLevelSeconds = 0.3F;
constexpr float kMaxLevelDb = 4;
constexpr float kKnee = 0.8F;
constexpr float kCeiling = 0.97F;

float FromDb(float db) {
  return std::pow(10.0F, db / 20);
}

// Linear up to the knee, then bent towards the ceiling, which is never reached, so no sample clips.
float Limit(float sample) {
  const float size = std::abs(sample);
  if (size <= kKnee) return sample;
  const float headroom = kCeiling - kKnee;
  return std::copysign(kKnee + headroom * std::tanh((size - kKnee) / headroom), sample);
}

float Power(std::span<const float> frame) {
  float sum = 0;
  for (const float s : frame) sum += s * s;
  return sum / static_cast<float>(std::max<size_t>(1, frame.size()));
}

}  // namespace

Finisher::Finisher(const FinishOptions& options)
    : options_(options),
      frame_(static_cast<size_t>(options.rate) / 200),
      tilt_(options.rate, options.tilt_db),
      power_(std::pow(10.0F, options.target_db / 10)) {}

void Finisher::BeginClause(int pause_ms) {
  pause_ =
      sounded_ ? static_cast<size_t>(options_.rate) * static_cast<size_t>(std::max(0, pause_ms)) / 1000 : 0;
  begun_ = false;
  partial_.clear();
  held_.clear();
  tilt_.Reset();
  // Each clause starts from the voice's own loudness, not from where the last one ended.
  Expect(0);
  Lift({}, 1);
}

void Finisher::Lift(std::vector<float> gains, size_t each) {
  lifting_ = {.gains = std::move(gains), .each = std::max<size_t>(each, 1)};
}

void Finisher::Expect(float louder_db) {
  power_ = std::pow(10.0F, (options_.target_db + louder_db) / 10);
  level_ = WantedLevel();
}

float Finisher::WantedLevel() const {
  const float target = std::pow(10.0F, options_.target_db / 10);
  const float most = FromDb(kMaxLevelDb);
  return std::clamp(std::sqrt(target / std::max(power_, 1e-6F)), 1 / most, most);
}

void Finisher::Add(std::span<const float> samples, std::vector<float>& out) {
  for (const float raw : samples) {
    const float sample = std::isfinite(raw) ? raw * options_.gain : 0.0F;
    partial_.push_back(options_.tilt_db == 0 ? sample : tilt_.Next(sample));
    if (partial_.size() < frame_) continue;
    AddFrame(partial_, out);
    partial_.clear();
  }
}

void Finisher::AddFrame(std::span<const float> frame, std::vector<float>& out) {
  lifting_.taken += frame.size();
  const float power = Power(frame);
  const bool silent = power < std::pow(10.0F, kSilenceDb / 10);
  const auto rate = static_cast<float>(options_.rate);
  if (!begun_) {
    if (silent) {  // only the run-in stays
      held_.insert(held_.end(), frame.begin(), frame.end());
      const auto keep = static_cast<size_t>(kRunInSeconds * rate);
      if (held_.size() > keep) held_.erase(held_.begin(), held_.end() - static_cast<std::ptrdiff_t>(keep));
      return;
    }
    begun_ = true;
    out.insert(out.end(), pause_, 0.0F);
    for (size_t i = 0; i < held_.size(); ++i)
      held_[i] *= static_cast<float>(i) / static_cast<float>(held_.size());
  }
  if (silent) {
    held_.insert(held_.end(), frame.begin(), frame.end());
    if (static_cast<float>(held_.size()) < kLongestHeldSeconds * rate) return;
  }
  if (!held_.empty()) {
    for (float& sample : held_) sample *= level_;
    Emit(held_, out);
    held_.clear();
  }
  if (silent) return;
  std::vector<float> levelled(frame.begin(), frame.end());
  Level(levelled, power);
  Emit(levelled, out);
  sounded_ = true;
}

// The gain glides over the frame, because one gain would step at its edges.
void Finisher::Level(std::span<float> frame, float power) {
  if (power > std::pow(10.0F, kActiveSpeechDb / 10)) {
    const float share = 0.005F / kLevelSeconds;
    power_ += share * (power - power_);
  }
  const float from = level_ * lifting_.last;
  level_ = WantedLevel();
  lifting_.last = lifting_.Now();
  const float wanted = level_ * lifting_.last;
  for (size_t i = 0; i < frame.size(); ++i) {
    frame[i] *= from + (wanted - from) * static_cast<float>(i) / static_cast<float>(frame.size());
  }
}

void Finisher::Emit(std::span<const float> frame, std::vector<float>& out) {
  for (const float sample : frame) out.push_back(Limit(sample));
}

void Finisher::EndClause(std::vector<float>& out) {
  if (!begun_) return;
  held_.insert(held_.end(), partial_.begin(), partial_.end());
  partial_.clear();
  const auto keep = static_cast<size_t>(kRunOutSeconds * static_cast<float>(options_.rate));
  if (held_.size() > keep) held_.resize(keep);
  for (size_t i = 0; i < held_.size(); ++i) {
    held_[i] *= level_ * (1 - static_cast<float>(i + 1) / static_cast<float>(held_.size()));
  }
  Emit(held_, out);
  held_.clear();
}

}  // namespace trunkline::tts
