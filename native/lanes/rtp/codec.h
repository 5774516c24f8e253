// What turns a packet's payload into sound and back. One decoder and one encoder serve one stream.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "lanes/rtp/quality.h"

namespace trunkline::rtp {

// The most sound that one packet may hold: 120 ms at 48 kHz.
inline constexpr size_t kMostSamples = 5760;

// Realtime after construction.
class Decoder {
 public:
  virtual ~Decoder() = default;
  // Of the samples that it gives, and of the packets' timestamps.
  virtual int rate() const = 0;
  virtual int clock() const = 0;
  virtual CodecQuality quality() const = 0;
  // Samples written; 0 where the payload is none of this codec's.
  virtual size_t Decode(base::ByteView payload, std::span<int16_t> out) = 0;
  // Samples that a packet would give, without decoding it.
  virtual size_t SamplesIn(base::ByteView payload) const = 0;
  // Sound for what is missing, where the codec knows better than a general concealment.
  virtual bool Conceal(std::span<int16_t>) { return false; }
  // The sound of a lost packet out of the one behind it, all of `out`; false where that holds none.
  virtual bool Recover(base::ByteView, std::span<int16_t>) { return false; }
  // The sender says by such a packet that it will be silent for a while.
  virtual bool Pauses(base::ByteView) const { return false; }
};

class Encoder {
 public:
  virtual ~Encoder() = default;
  virtual int rate() const = 0;
  virtual int clock() const = 0;
  // 20 ms; the bytes written, 0 where that failed.
  virtual size_t Encode(std::span<const int16_t> frame, base::MutableBytes out) = 0;
  // What the other end loses, per cent: what a codec can do about it, it does.
  virtual void ExpectLoss(int) {}
  // Such a payload says that silence goes on: the first of them is sent, those behind it need not be.
  virtual bool Pauses(base::ByteView) const { return false; }
};

// What the other end asks of a codec that can do it.
struct EncoderWishes {
  bool repeats = true;  // each packet holds the one before once more, coarser (in-band FEC)
  bool pauses = false;  // silence is not sent (DTX)
};

enum class CodecName : uint8_t { kPcmu, kPcma, kOpus };

// Whether this build can.
bool HasOpus();

// Null for a codec that this build has not. Opus works at `rate`; G.711 at 8 kHz, whatever the rate.
std::unique_ptr<Decoder> MakeDecoder(CodecName name, int rate);
std::unique_ptr<Encoder> MakeEncoder(CodecName name, int rate, EncoderWishes wishes = {});

}  // namespace trunkline::rtp
