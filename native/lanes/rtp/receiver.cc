#include "lanes/rtp/receiver.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace trunkline::rtp {
namespace {

// A stream without a packet for this long has stopped and is restarted by the next. A sender in DTX sends
// every 400 ms.
constexpr size_t kStoppedMs = 200, kPauseStoppedMs = 1000;
// A longer gap in timestamps is a pause, not a loss.
constexpr size_t kMaxLostMs = 400;
// The tolerance around the target delay, and how often the delay is adapted.
constexpr double kSlackMs = 12, kAdaptEveryMs = 30;
constexpr int kStrays = 25;
constexpr std::array<int, 4> kRates = {8000, 16000, 24000, 48000};

}  // namespace

Receiver::Receiver(int rate, ReceiverOptions options)
    : rate_(rate),
      options_(options),
      delay_(options.delay),
      sound_(3 * kMaxSamples),
      resampled_(3 * kMaxSamples) {
  for (size_t i = 0; i < kRates.size(); ++i) {
    if (kRates[i] <= std::max(rate, 8000)) concealments_[i] = std::make_unique<Concealment>(kRates[i]);
  }
}

void Receiver::Use(Listening* listening) {
  listening_ = listening;
  stream_ = nullptr;
  Restart();
  if (listening_ != nullptr && !listening_->streams.empty()) Choose(&listening_->streams[0]);
}

void Receiver::Restart() {
  store_.Reset();
  numbers_.Reset();
  timestamps_.Reset();
  delay_.Reset();
  reception_.Reset();
  phase_ = Phase::kWaiting;
  pausing_ = false;
  made_ = starved_ = 0;
  strays_ = 0;
}

Listening::Stream* Receiver::StreamOf(uint8_t payload_type) {
  if (listening_ == nullptr) return nullptr;
  for (Listening::Stream& stream : listening_->streams) {
    if (stream.payload_type == payload_type) return &stream;
  }
  return nullptr;
}

void Receiver::Choose(Listening::Stream* stream) {
  stream_ = stream;
  made_ = 0;
  const int rate = stream->decoder->rate();
  for (size_t i = 0; i < kRates.size(); ++i) {
    if (kRates[i] == rate) concealment_ = concealments_[i].get();
  }
  concealment_->Reset();
  time_scale_.emplace(rate);
  frame_ = static_cast<size_t>(rate) / 50;
}

double Receiver::MediaMs(int64_t timestamp) const {
  return static_cast<double>(timestamp) * 1000.0 / clock();
}

size_t Receiver::ToSamples(int64_t clock_units) const {
  return static_cast<size_t>(clock_units * stream_->decoder->rate() / stream_->decoder->clock());
}

void Receiver::Take(const Packet& packet, double arrival_ms) {
  if (stream_ == nullptr) return;
  const uint8_t type = packet.header.payload_type;
  const bool sound = StreamOf(type) != nullptr;
  if (!sound && type != listening_->noise_type && type != listening_->event_type) return;
  const int64_t number = numbers_.Of(packet.header.sequence);
  const int64_t timestamp = timestamps_.Of(packet.header.timestamp);
  const double media_ms = MediaMs(timestamp);
  std::optional<double> transit;
  if (sound) transit = (arrival_ms - media_ms) * clock() / 1000;
  const auto verdict = store_.Put(number, timestamp, packet);
  if (verdict == JitterBuffer::Verdict::kTwice) {
    ++counts_.twice;
    return;
  }
  reception_.Took(number, transit);
  if (sound) delay_.Came(arrival_ms, media_ms);
  if (verdict != JitterBuffer::Verdict::kLate) {
    strays_ = 0;
    return;
  }
  ++counts_.late;
  // The sender has restarted its sequence numbers.
  if (number < store_.next() - JitterBuffer::kSlots && ++strays_ >= kStrays) Restart();
}

bool Receiver::TimeToBegin(double now_ms) const {
  const JitterBuffer::Stored* first = store_.First();
  if (first == nullptr) return false;
  return !delay_.known() || delay_.Of(now_ms, MediaMs(first->timestamp)) >= delay_.target_ms();
}

// After a pause, audio begins at its time and not as soon as its first packet is there.
bool Receiver::Resting(double now_ms) const {
  const JitterBuffer::Stored* first = store_.First();
  return pausing_ && first != nullptr && first->timestamp > timestamp_ && !TimeToBegin(now_ms);
}

bool Receiver::Play(double now_ms, std::span<int16_t> out) {
  heard_ = heard_ && made_ > 0;
  if (stream_ == nullptr) {
    std::fill(out.begin(), out.end(), int16_t{0});
    return false;
  }
  const size_t wanted = static_cast<size_t>(stream_->decoder->rate()) / 100;
  if (made_ < wanted && phase_ == Phase::kWaiting && TimeToBegin(now_ms)) {
    phase_ = Phase::kPlaying;
    pausing_ = false;
    store_.PlayFrom(store_.First()->number);
    timestamp_ = store_.First()->timestamp;
  }
  // A packet may hold no audio, so the next one is tried.
  for (int tries = 0; made_ < wanted && tries < JitterBuffer::kSlots; ++tries) {
    if (phase_ == Phase::kWaiting)
      Quiet(wanted - made_);
    else
      Produce(now_ms);
  }
  Emit(out);
  return heard_;
}

void Receiver::Produce(double now_ms) {
  if (Resting(now_ms)) {
    Starve();
  } else if (const JitterBuffer::Stored* next = store_.At(store_.next())) {
    PlayPacket(*next, now_ms);
  } else if (const JitterBuffer::Stored* first = store_.First()) {
    Missing(*first);
  } else {
    Starve();
  }
}

void Receiver::PlayPacket(const JitterBuffer::Stored& packet, double now_ms) {
  if (packet.payload_type == listening_->noise_type || packet.payload_type == listening_->event_type) {
    if (packet.payload_type == listening_->noise_type) noise_.Take(packet.payload());
    pausing_ = true;
    phase_ = Phase::kWaiting;
  } else {
    PlaySound(packet, now_ms);
  }
  store_.PlayFrom(packet.number + 1);
}

void Receiver::PlaySound(const JitterBuffer::Stored& packet, double now_ms) {
  Listening::Stream* stream = StreamOf(packet.payload_type);
  if (stream == nullptr) return;
  if (stream != stream_) Choose(stream);
  waited_ms_ = delay_.Of(now_ms, MediaMs(packet.timestamp)) -
               1000.0 * static_cast<double>(made_) / stream->decoder->rate();
  const std::span<int16_t> free = std::span<int16_t>(sound_).subspan(made_, kMaxSamples);
  const size_t samples = stream->decoder->Decode(packet.payload(), free);
  concealment_->Heard(free.first(samples));
  made_ += samples;
  if (samples > 0) frame_ = samples;
  timestamp_ =
      packet.timestamp + static_cast<int64_t>(samples) * stream->decoder->clock() / stream->decoder->rate();
  pausing_ = stream->decoder->Pauses(packet.payload());
  starved_ = 0;
  heard_ = true;
  counts_.played += 1000.0 * static_cast<double>(samples) / stream->decoder->rate();
  store_.PlayFrom(packet.number + 1);
  if (options_.adapts) Adapt(now_ms);
}

// Later packets are there, so those between are lost or will be late.
void Receiver::Missing(const JitterBuffer::Stored& first) {
  if (pausing_) EndPauseBefore(first);
  const int64_t gap = first.number - store_.next();
  const int64_t units = first.timestamp - timestamp_;
  const size_t missing = units <= 0 ? 0 : ToSamples(units);
  const size_t rate = static_cast<size_t>(stream_->decoder->rate());
  if (missing == 0 || missing > rate * kMaxLostMs / 1000 || gap <= 0) {
    timestamp_ = first.timestamp;
    store_.PlayFrom(first.number);
    return;
  }
  const size_t frame = std::min(missing / static_cast<size_t>(gap), kMaxSamples);
  timestamp_ += static_cast<int64_t>(frame) * stream_->decoder->clock() / stream_->decoder->rate();
  store_.PlayFrom(store_.next() + 1);
  if (starved_ >= frame) {  // its time has passed already
    starved_ -= frame;
    return;
  }
  const std::span<int16_t> out = Reserve(frame);
  if (options_.conceals && gap == 1 && stream_->decoder->Recover(first.payload(), out)) {
    ++counts_.recovered;
    concealment_->Heard(out);
    return;
  }
  ConcealInto(out);
}

// Only the last packet of a pause can have held audio.
void Receiver::EndPauseBefore(const JitterBuffer::Stored& first) {
  const int64_t frame = static_cast<int64_t>(frame_) * stream_->decoder->clock() / stream_->decoder->rate();
  timestamp_ = std::max(timestamp_, first.timestamp - frame);
  store_.PlayFrom(first.number - 1);
  starved_ = 0;
  pausing_ = false;
}

// No packet waits: it may be late, or the sender is silent or gone.
void Receiver::Starve() {
  const size_t rate = static_cast<size_t>(stream_->decoder->rate());
  const size_t step = rate / 100;
  starved_ += step;
  if (starved_ > rate * (pausing_ ? kPauseStoppedMs : kStoppedMs) / 1000) {
    starved_ = 0;
    phase_ = Phase::kWaiting;
    Quiet(step);
    return;
  }
  const std::span<int16_t> out = Reserve(step);
  if (!pausing_) {
    ConcealInto(out);
  } else if (!stream_->decoder->Conceal(out)) {
    noise_.Fill(out);
  }
}

std::span<int16_t> Receiver::Reserve(size_t samples) {
  const std::span<int16_t> free =
      std::span<int16_t>(sound_).subspan(made_, std::min(samples, sound_.size() - made_));
  made_ += free.size();
  return free;
}

void Receiver::ConcealInto(std::span<int16_t> out) {
  heard_ = true;
  counts_.concealed += 1000.0 * static_cast<double>(out.size()) / stream_->decoder->rate();
  if (!options_.conceals) {
    std::fill(out.begin(), out.end(), int16_t{0});
    return;
  }
  if (!stream_->decoder->Conceal(out)) concealment_->Fill(out);
}

void Receiver::Quiet(size_t samples) {
  const std::span<int16_t> out = Reserve(samples);
  if (noise_.known())
    noise_.Fill(out);
  else
    std::fill(out.begin(), out.end(), int16_t{0});
}

// Removes or inserts one pitch period when the delay is off its target.
void Receiver::Adapt(double now_ms) {
  const double rate = stream_->decoder->rate();
  const double begins_ms = MediaMs(timestamp_) - 1000.0 * static_cast<double>(made_) / rate;
  const double beyond = delay_.Of(now_ms, begins_ms) - delay_.target_ms();
  if (std::abs(beyond) < kSlackMs || now_ms - adapted_ms_ < kAdaptEveryMs) return;
  const std::span<int16_t> sound(sound_);
  if (beyond > 0) {
    const size_t gone = time_scale_->Shorten(sound.first(made_));
    made_ -= gone;
    counts_.shortened += 1000.0 * static_cast<double>(gone) / rate;
    if (gone > 0) adapted_ms_ = now_ms;
  } else {
    const size_t more = time_scale_->Lengthen(sound, made_);
    made_ += more;
    counts_.lengthened += 1000.0 * static_cast<double>(more) / rate;
    if (more > 0) adapted_ms_ = now_ms;
  }
}

void Receiver::Emit(std::span<int16_t> out) {
  const size_t taken = std::min(made_, static_cast<size_t>(stream_->decoder->rate()) / 100);
  const std::span<int16_t> piece = std::span<int16_t>(sound_).first(taken);
  if (stream_->resampler) {
    const auto progress = stream_->resampler->Process(piece, std::span<int16_t>(resampled_));
    std::copy_n(resampled_.begin(), std::min(progress.produced, out.size()), out.begin());
    std::fill(out.begin() + static_cast<ptrdiff_t>(std::min(progress.produced, out.size())), out.end(),
              int16_t{0});
  } else {
    std::copy_n(piece.begin(), std::min(taken, out.size()), out.begin());
    std::fill(out.begin() + static_cast<ptrdiff_t>(std::min(taken, out.size())), out.end(), int16_t{0});
  }
  made_ -= taken;
  std::memmove(sound_.data(), sound_.data() + taken, made_ * sizeof(int16_t));
}

}  // namespace trunkline::rtp
