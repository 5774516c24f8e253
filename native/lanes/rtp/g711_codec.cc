#include "lanes/rtp/g711_codec.h"

#include <algorithm>

#include "dsp/dsp.h"

namespace trunkline::rtp {
namespace {

constexpr int kRate = 8000;

class G711Decoder final : public Decoder {
 public:
  explicit G711Decoder(CodecName name) : name_(name) {}
  int rate() const override { return kRate; }
  int clock() const override { return kRate; }
  CodecQuality quality() const override { return {}; }
  size_t SamplesIn(base::ByteView payload) const override { return std::min(payload.size(), kMaxSamples); }
  size_t Decode(base::ByteView payload, std::span<int16_t> out) override {
    const base::ByteView taken = payload.first(std::min(payload.size(), out.size()));
    if (name_ == CodecName::kPcma) dsp::DecodeAlaw(taken, out);
    if (name_ == CodecName::kPcmu) dsp::DecodeUlaw(taken, out);
    return taken.size();
  }

 private:
  const CodecName name_;
};

class G711Encoder final : public Encoder {
 public:
  explicit G711Encoder(CodecName name) : name_(name) {}
  int rate() const override { return kRate; }
  int clock() const override { return kRate; }
  size_t Encode(std::span<const int16_t> frame, base::MutableBytes out) override {
    if (out.size() < frame.size()) return 0;
    if (name_ == CodecName::kPcma) dsp::EncodeAlaw(frame, out);
    if (name_ == CodecName::kPcmu) dsp::EncodeUlaw(frame, out);
    return frame.size();
  }

 private:
  const CodecName name_;
};

}  // namespace

std::unique_ptr<Decoder> MakeG711Decoder(CodecName name) {
  return std::make_unique<G711Decoder>(name);
}

std::unique_ptr<Encoder> MakeG711Encoder(CodecName name) {
  return std::make_unique<G711Encoder>(name);
}

}  // namespace trunkline::rtp
