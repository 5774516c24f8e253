// Codecs between a packet's payload and samples. One decoder and one encoder serve one stream.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "lanes/rtp/quality.h"

namespace trunkline::rtp {

// The longest audio in one packet: 120 ms at 48 kHz.
inline constexpr size_t kMaxSamples = 5760;

// Realtime after construction.
class Decoder {
 public:
  virtual ~Decoder() = default;
  // rate() is that of the samples, clock() that of the packets' timestamps.
  virtual int rate() const = 0;
  virtual int clock() const = 0;
  virtual CodecQuality quality() const = 0;
  // Returns the samples written; 0 when the payload is invalid.
  virtual size_t Decode(base::ByteView payload, std::span<int16_t> out) = 0;
  // The samples that a packet would give, without decoding it.
  virtual size_t SamplesIn(base::ByteView payload) const = 0;
  // Conceals missing audio, where the codec does it better than general concealment.
  virtual bool Conceal(std::span<int16_t>) { return false; }
  // Recovers a lost packet from the one after it into `out`; false when that holds no copy.
  virtual bool Recover(base::ByteView, std::span<int16_t>) { return false; }
  // Returns whether the packet announces that the sender is silent for a while.
  virtual bool Pauses(base::ByteView) const { return false; }
};

class Encoder {
 public:
  virtual ~Encoder() = default;
  virtual int rate() const = 0;
  virtual int clock() const = 0;
  // Encodes 20 ms; returns the bytes written, or 0 on failure.
  virtual size_t Encode(std::span<const int16_t> frame, base::MutableBytes out) = 0;
  // The other end's packet loss in per cent, for codecs that can protect against it.
  virtual void ExpectLoss(int) {}
  // Returns whether the payload means continued silence: the first is sent, those after it need not be.
  virtual bool Pauses(base::ByteView) const { return false; }
};

// The other end's preferences for a codec.
struct EncoderOptions {
  bool inband_fec = true;  // each packet holds the one before once more, coarser (in-band FEC)
  bool dtx = false;        // silence is not sent (DTX)
};

enum class CodecName : uint8_t { kPcmu, kPcma, kOpus };

bool HasOpus();

// Returns null for a codec that this build lacks. Opus works at `rate`, G.711 always at 8 kHz.
std::unique_ptr<Decoder> MakeDecoder(CodecName name, int rate);
std::unique_ptr<Encoder> MakeEncoder(CodecName name, int rate, EncoderOptions options = {});

}  // namespace trunkline::rtp
