#include "hear/audio.h"

#include <algorithm>
#include <cmath>

#include "base/voice_odds.h"
#include "dsp/dsp.h"
#include "hear/tasks.h"

namespace trunkline::hear {
namespace {

constexpr float kSpeech = base::kVoiceHolds;
// A shorter gap does not part two stretches of speech.
constexpr double kGapS = 0.1;
constexpr size_t kSpans = 256;

}  // namespace

HearAudio::HearAudio(int rate)
    : vad_rate_(rate == 8000 ? vad::VadRate::k8k : vad::VadRate::k16k), ring_(kRing), heard_(kHistory) {
  if (rate != 16000) resampler_ = dsp::Resampler::Create(rate, 16000, dsp::Grade::kSpeech);
  pending_.reserve(2 * kMostPending);
  scratch_.reserve(1 << 16);
  resampled_.reserve(1 << 17);
  range_.reserve(kTaskSamples);
  speech_.reserve(kSpans);
}

bool HearAudio::Push(std::span<const int16_t> pcm) {
  if (!takes()) return false;
  scratch_.resize(pcm.size());
  dsp::ToFloat(pcm, scratch_);
  std::span<const float> wide = scratch_;
  if (resampler_) {
    resampled_.resize(resampler_->OutputSize(scratch_.size()));
    resampler_->Process(std::span<const float>(scratch_), std::span<float>(resampled_));
    wide = resampled_;
  }
  for (const float sample : wide) ring_[total_++ % kRing] = sample;
  if (pending_first_ > 0) {
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(pending_first_));
    pending_first_ = 0;
  }
  const std::span<const float> heard =
      vad_rate_ == vad::VadRate::k8k ? std::span<const float>(scratch_) : wide;
  pending_.insert(pending_.end(), heard.begin(), heard.end());
  return true;
}

void HearAudio::Frame(vad::VadItem& item) {
  item.state = &vad_state_;
  item.frame = std::span<const float>(pending_).subspan(pending_first_, vad::FrameSamples(vad_rate_));
}

void HearAudio::Heard(float probability) {
  const auto frame = std::span<const float>(pending_).subspan(pending_first_, vad::FrameSamples(vad_rate_));
  double power = 0;
  for (const float x : frame) power += static_cast<double>(x) * x;
  const float level = dsp::ToDbfs(power / static_cast<double>(frame.size()));
  pending_first_ += frame.size();
  heard_[frames_ % kHistory] = {probability, level};
  ++frames_;
  NoteSpeech(probability, heard_s());
}

// Stretches of speech of the last utterances, for the words' times.
void HearAudio::NoteSpeech(float probability, double end_s) {
  if (probability < kSpeech) return;
  const double start_s = end_s - vad::kFrameSeconds;
  if (!speech_.empty() && start_s - speech_.back().end < kGapS) {
    speech_.back().end = end_s;
    return;
  }
  if (speech_.size() == kSpans) speech_.erase(speech_.begin(), speech_.begin() + kSpans / 2);
  speech_.push_back({start_s, end_s});
}

std::span<const float> HearAudio::Range(double start_s, double end_s) {
  const auto last = std::min(total_, static_cast<uint64_t>(std::llround(end_s * kRate)));
  auto first = static_cast<uint64_t>(std::llround(std::max(0.0, start_s) * kRate));
  const uint64_t oldest = total_ > kRing ? total_ - kRing : 0;
  first = std::max({first, oldest, last > kTaskSamples ? last - kTaskSamples : 0});
  range_.clear();
  for (uint64_t i = first; i < last; ++i) range_.push_back(ring_[i % kRing]);
  return range_;
}

std::span<const asr::Span> HearAudio::SpeechSince(double start_s) const {
  size_t first = speech_.size();
  while (first > 0 && speech_[first - 1].end > start_s) --first;
  return std::span<const asr::Span>(speech_).subspan(first);
}

void HearAudio::FramesSince(uint64_t first, std::vector<asr::Heard>& out) const {
  out.clear();
  for (uint64_t i = first; i < frames_; ++i) out.push_back(heard_[i % kHistory]);
}

}  // namespace trunkline::hear
