// Opus (RFC 6716, 7587) by libopus, where the build found it: mono, whatever the packets hold.
#include "lanes/rtp/opus_codec.h"

#ifdef TRUNKLINE_OPUS
#include <opus.h>

#include <algorithm>

namespace trunkline::rtp {
namespace {

// The timestamp clock of every Opus stream (RFC 7587).
constexpr int kClock = 48000;
// Telephone speech gains nothing from more, and complexity 10 takes twice the processor time of 5.
constexpr int kBitsASecond = 24000, kComplexity = 5;
// Frames of a silent sender are this short.
constexpr size_t kPauseBytes = 2;

struct Destroy {
  void operator()(OpusDecoder* decoder) const { opus_decoder_destroy(decoder); }
  void operator()(OpusEncoder* encoder) const { opus_encoder_destroy(encoder); }
};

class OpusDecoding final : public Decoder {
 public:
  OpusDecoding(OpusDecoder* decoder, int rate) : decoder_(decoder), rate_(rate) {}
  int rate() const override { return rate_; }
  int clock() const override { return kClock; }
  CodecQuality quality() const override { return {.impairment = 0, .robustness = 20}; }
  size_t SamplesIn(base::ByteView payload) const override {
    if (payload.empty()) return 0;
    const int samples = opus_packet_get_nb_samples(payload.data(), static_cast<int>(payload.size()), rate_);
    return samples > 0 ? static_cast<size_t>(samples) : 0;
  }
  size_t Decode(base::ByteView payload, std::span<int16_t> out) override {
    if (payload.empty()) return 0;
    return Run(payload.data(), payload.size(), out, false);
  }
  bool Conceal(std::span<int16_t> out) override { return Run(nullptr, 0, out, false) == out.size(); }
  bool Recover(base::ByteView next, std::span<int16_t> out) override {
    // Only LPC-coded frames can hold a copy of the frame before.
    if (next.empty() || (next[0] & 0x80) != 0) return false;
    return Run(next.data(), next.size(), out, true) == out.size();
  }
  bool Pauses(base::ByteView payload) const override { return payload.size() <= kPauseBytes; }

 private:
  size_t Run(const uint8_t* bytes, size_t size, std::span<int16_t> out, bool fec) {
    const int made = opus_decode(decoder_.get(), bytes, static_cast<opus_int32>(size), out.data(),
                                 static_cast<int>(out.size()), fec ? 1 : 0);
    return made > 0 ? static_cast<size_t>(made) : 0;
  }

  const std::unique_ptr<OpusDecoder, Destroy> decoder_;
  const int rate_;
};

class OpusEncoding final : public Encoder {
 public:
  OpusEncoding(OpusEncoder* encoder, int rate, EncoderOptions options) : encoder_(encoder), rate_(rate) {
    opus_encoder_ctl(encoder, OPUS_SET_BITRATE(kBitsASecond));
    opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(kComplexity));
    opus_encoder_ctl(encoder, OPUS_SET_SIGNAL(OPUS_SIGNAL_VOICE));
    opus_encoder_ctl(encoder, OPUS_SET_INBAND_FEC(options.inband_fec ? 1 : 0));
    opus_encoder_ctl(encoder, OPUS_SET_DTX(options.dtx ? 1 : 0));
    opus_encoder_ctl(encoder, OPUS_SET_PACKET_LOSS_PERC(5));
  }
  int rate() const override { return rate_; }
  int clock() const override { return kClock; }
  size_t Encode(std::span<const int16_t> frame, base::MutableBytes out) override {
    const int size = opus_encode(encoder_.get(), frame.data(), static_cast<int>(frame.size()), out.data(),
                                 static_cast<opus_int32>(out.size()));
    return size > 0 ? static_cast<size_t>(size) : 0;
  }
  void ExpectLoss(int percent) override {
    opus_encoder_ctl(encoder_.get(), OPUS_SET_PACKET_LOSS_PERC(std::clamp(percent, 2, 30)));
  }
  bool Pauses(base::ByteView payload) const override { return payload.size() <= kPauseBytes; }

 private:
  const std::unique_ptr<OpusEncoder, Destroy> encoder_;
  const int rate_;
};

}  // namespace

bool HasOpus() {
  return true;
}

std::unique_ptr<Decoder> MakeOpusDecoder(int rate) {
  int error = OPUS_OK;
  OpusDecoder* decoder = opus_decoder_create(rate, 1, &error);
  if (decoder == nullptr) return nullptr;
  return std::make_unique<OpusDecoding>(decoder, rate);
}

std::unique_ptr<Encoder> MakeOpusEncoder(int rate, EncoderOptions options) {
  int error = OPUS_OK;
  OpusEncoder* encoder = opus_encoder_create(rate, 1, OPUS_APPLICATION_VOIP, &error);
  if (encoder == nullptr) return nullptr;
  return std::make_unique<OpusEncoding>(encoder, rate, options);
}

}  // namespace trunkline::rtp

#else

namespace trunkline::rtp {

bool HasOpus() {
  return false;
}

std::unique_ptr<Decoder> MakeOpusDecoder(int) {
  return nullptr;
}

std::unique_ptr<Encoder> MakeOpusEncoder(int, EncoderOptions) {
  return nullptr;
}

}  // namespace trunkline::rtp

#endif
