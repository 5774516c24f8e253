#include "lanes/hear/audio.h"

#include "dsp/dsp.h"

namespace trunkline::hear {

HearAudio::HearAudio(int rate)
    : vad_rate_(rate == 8000 ? vad::VadRate::k8k : vad::VadRate::k16k), heard_(kHistory) {
  if (rate != 16000) resampler_ = dsp::Resampler::Create(rate, 16000, dsp::Grade::kSpeech);
  pending_.reserve(2 * kMaxPending);
  scratch_.reserve(1 << 16);
  resampled_.reserve(1 << 17);
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
  sound_.Add(wide);
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
  speech_.Note(probability, heard_s());
}

void HearAudio::FramesSince(uint64_t first, std::vector<asr::SpeechFrame>& out) const {
  out.clear();
  for (uint64_t i = first; i < frames_; ++i) out.push_back(heard_[i % kHistory]);
}

}  // namespace trunkline::hear
