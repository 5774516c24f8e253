#include "lanes/rtp/sender.h"

#include <algorithm>
#include <cmath>

#include "lanes/rtp/comfort_noise.h"

namespace trunkline::rtp {
namespace {

constexpr size_t kMaxWaitingS = 2;
constexpr size_t kFadeMs = 5;
// Comfort noise is repeated this often, for ends and routers that lost it.
constexpr int kNoiseSteps = 25;
constexpr float kNoiseDbfs = -65;

}  // namespace

Sender::Sender(int rate, StreamStart start)
    : rate_(static_cast<size_t>(rate)),
      at_(start),
      waiting_(kMaxWaitingS * rate_),
      frame_(rate_ / 50),
      narrow_(rate_ / 50 + 16),
      payload_(kMaxPacket - kRtpHeader) {}

size_t Sender::Push(std::span<const int16_t> samples) {
  const size_t taken = std::min(samples.size(), free_samples());
  for (size_t i = 0; i < taken; ++i) waiting_[(first_ + count_ + i) % waiting_.size()] = samples[i];
  count_ += taken;
  taken_ += taken;
  return taken;
}

void Sender::Clear() {
  const size_t fade = std::min(count_, rate_ * kFadeMs / 1000);
  for (size_t i = 0; i < fade; ++i) {
    int16_t& sample = waiting_[(first_ + i) % waiting_.size()];
    const float gain = 1 - static_cast<float>(i + 1) / static_cast<float>(fade + 1);
    sample = static_cast<int16_t>(std::lrintf(static_cast<float>(sample) * gain));
  }
  count_ = fade;
}

bool Sender::Press(std::string_view keys) {
  return speaking_ != nullptr && speaking_->event_type >= 0 && keys_.Press(keys);
}

void Sender::ExpectLoss(int percent) {
  if (speaking_ != nullptr) speaking_->encoder->ExpectLoss(percent);
}

size_t Sender::Step(bool sends, base::MutableBytes out) {
  said_ = {};
  if (speaking_ == nullptr) return 0;
  size_t sent = 0;
  if (!sends) {
    TakeFrame();  // audio that comes while the call is held is discarded and not counted as sent
  } else if (!keys_.idle()) {
    TakeFrame();  // audio that comes during a key is discarded
    sent = SendKey(out);
  } else if (count_ > 0 || speaking_->noise_type < 0) {
    sent = SendSound(out);
  } else {
    sent = SendNoise(out);
  }
  at_.timestamp += static_cast<uint32_t>(speaking_->encoder->clock() / 50);
  paused_ = sent == 0;
  return sent;
}

// Takes 20 ms, padded with silence.
void Sender::TakeFrame() {
  const size_t taken = std::min(count_, frame_.size());
  for (size_t i = 0; i < taken; ++i) frame_[i] = waiting_[(first_ + i) % waiting_.size()];
  std::fill(frame_.begin() + static_cast<ptrdiff_t>(taken), frame_.end(), int16_t{0});
  first_ = (first_ + taken) % waiting_.size();
  count_ -= taken;
}

size_t Sender::SendSound(base::MutableBytes out) {
  TakeFrame();
  said_ = frame_;
  silent_steps_ = 0;
  std::span<const int16_t> frame(frame_);
  if (speaking_->resampler) {
    const auto progress = speaking_->resampler->Process(frame, std::span<int16_t>(narrow_));
    frame = std::span<const int16_t>(narrow_).first(progress.produced);
  }
  const size_t size = speaking_->encoder->Encode(frame, payload_);
  if (size == 0) return 0;
  const base::ByteView payload = base::ByteView(payload_).first(size);
  const bool silent = speaking_->encoder->Pauses(payload);
  if (silent && sent_silent_) return 0;
  sent_silent_ = silent;
  return Write(speaking_->payload_type, paused_, at_.timestamp, payload, out);
}

size_t Sender::SendKey(base::MutableBytes out) {
  const KeyPress::Step step = keys_.Next(speaking_->event_clock);
  if (!step.event) return 0;
  if (step.first) key_began_ = at_.timestamp;
  const size_t size = WriteEvent(*step.event, payload_);
  return Write(static_cast<uint8_t>(speaking_->event_type), step.first, key_began_,
               base::ByteView(payload_).first(size), out);
}

size_t Sender::SendNoise(base::MutableBytes out) {
  if (silent_steps_++ % kNoiseSteps != 0) return 0;
  payload_[0] = ComfortNoise::LevelByte(kNoiseDbfs);
  return Write(static_cast<uint8_t>(speaking_->noise_type), false, at_.timestamp,
               base::ByteView(payload_).first(1), out);
}

size_t Sender::Write(uint8_t type, bool marker, uint32_t timestamp, base::ByteView payload,
                     base::MutableBytes out) {
  const Header header{.payload_type = type,
                      .marker = marker,
                      .sequence = at_.sequence,
                      .timestamp = timestamp,
                      .ssrc = at_.ssrc};
  const size_t size = WriteRtp(header, payload, out);
  if (size == 0) return 0;
  ++at_.sequence;
  ++packets_;
  bytes_ += static_cast<uint32_t>(payload.size());
  return size;
}

}  // namespace trunkline::rtp
