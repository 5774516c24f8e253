// Receives the other end's audio, 10 ms at a time: an adaptive jitter buffer, packet loss concealment, and
// time-scale modification when the delay changes. Media thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dsp/dsp.h"
#include "lanes/rtp/codec.h"
#include "lanes/rtp/comfort_noise.h"
#include "lanes/rtp/concealment.h"
#include "lanes/rtp/jitter_buffer.h"
#include "lanes/rtp/jitter_delay.h"
#include "lanes/rtp/reception_stats.h"
#include "lanes/rtp/time_scale.h"

namespace trunkline::rtp {

// Decoders by payload type. Made off the media thread.
struct Listening {
  struct Stream {
    uint8_t payload_type = 0;
    std::unique_ptr<Decoder> decoder;
    std::optional<dsp::Resampler> resampler;  // set unless it gives the lane's rate
  };
  std::vector<Stream> streams;
  int noise_type = -1;  // comfort noise
  int event_type = -1;  // telephone events
  int event_clock = 8000;
};

struct ReceiverOptions {
  JitterDelayBounds delay;
  // These exist for comparison: gaps are silent without concealment, and the delay is fixed without
  // adaptation.
  bool conceals = true;
  bool adapts = true;
};

// Values are milliseconds, except for counts.
struct PlayCounts {
  uint64_t late = 0, twice = 0, recovered = 0;
  double concealed = 0, played = 0, shortened = 0, lengthened = 0;
};

class Receiver {
 public:
  explicit Receiver(int rate, ReceiverOptions options = {});

  // Discards audio in the old format. `listening` must outlive this object or the next call.
  void Use(Listening* listening);
  void Take(const Packet& packet, double arrival_ms);
  // Plays the next 10 ms, at the lane's rate. Returns false when it holds only noise or silence.
  bool Play(double now_ms, std::span<int16_t> out);
  void Restart();

  const PlayCounts& counts() const { return counts_; }
  ReceptionStats& reception() { return reception_; }
  const JitterDelay& delay() const { return delay_; }
  // The audio that plays now has waited this long, including the codec's delay.
  double waited_ms() const { return waited_ms_; }
  int clock() const { return stream_ == nullptr ? 8000 : stream_->decoder->clock(); }
  CodecQuality quality() const { return stream_ == nullptr ? CodecQuality{} : stream_->decoder->quality(); }

 private:
  enum class Phase : uint8_t {
    kWaiting,  // for the first packet, or for its playout time
    kPlaying,
  };

  Listening::Stream* StreamOf(uint8_t payload_type);
  void Choose(Listening::Stream* stream);
  double MediaMs(int64_t timestamp) const;
  size_t ToSamples(int64_t clock_units) const;
  bool TimeToBegin(double now_ms) const;
  bool Resting(double now_ms) const;
  void Produce(double now_ms);
  void PlayPacket(const JitterBuffer::Stored& packet, double now_ms);
  void PlaySound(const JitterBuffer::Stored& packet, double now_ms);
  void Missing(const JitterBuffer::Stored& first);
  void EndPauseBefore(const JitterBuffer::Stored& first);
  void Starve();
  void Adapt(double now_ms);
  std::span<int16_t> Reserve(size_t samples);
  void ConcealInto(std::span<int16_t> out);
  void Quiet(size_t samples);
  void Emit(std::span<int16_t> out);

  const int rate_;
  const ReceiverOptions options_;
  Listening* listening_ = nullptr;
  Listening::Stream* stream_ = nullptr;
  JitterBuffer store_;
  Unwrapped<uint16_t> numbers_;
  Unwrapped<uint32_t> timestamps_;
  JitterDelay delay_;
  ReceptionStats reception_;
  PlayCounts counts_;
  ComfortNoise noise_;
  std::array<std::unique_ptr<Concealment>, 4> concealments_;
  Concealment* concealment_ = nullptr;
  std::optional<TimeScale> time_scale_;

  Phase phase_ = Phase::kWaiting;
  bool pausing_ = false;  // the sender has announced silence
  bool heard_ = false;
  int64_t timestamp_ = 0;
  size_t frame_ = 0;    // samples of the last packet
  size_t starved_ = 0;  // samples made since packets stopped coming
  int strays_ = 0;      // packets from far before, one after the other
  double adapted_ms_ = 0;
  double waited_ms_ = 0;
  std::vector<int16_t> sound_, resampled_;
  size_t made_ = 0;
};

}  // namespace trunkline::rtp
