// Sends our audio: a packet every 20 ms by the media clock. Media thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dsp/dsp.h"
#include "lanes/rtp/codec.h"
#include "lanes/rtp/packet.h"
#include "lanes/rtp/telephone_event.h"

namespace trunkline::rtp {

// The encoder and its payload types. Made off the media thread.
struct Speaking {
  uint8_t payload_type = 0;
  std::unique_ptr<Encoder> encoder;
  std::optional<dsp::Resampler> resampler;  // set unless the lane has the encoder's rate
  int event_type = -1;                      // telephone events; below 0: keys are sent as tones
  int event_clock = 8000;
  int noise_type = -1;  // comfort noise in place of silent packets
};

// Random start values of a stream, so that they cannot be guessed.
struct StreamStart {
  uint32_t ssrc = 0;
  uint16_t sequence = 0;
  uint32_t timestamp = 0;
};

class Sender {
 public:
  Sender(int rate, StreamStart start);

  // `speaking` must outlive this object or the next call.
  void Use(Speaking* speaking) { speaking_ = speaking; }
  // Returns how many samples, at the lane's rate, were taken.
  size_t Push(std::span<const int16_t> samples);
  size_t free_samples() const { return waiting_.size() - count_; }
  // The samples taken in all, and those that have been sent or discarded.
  uint64_t taken() const { return taken_; }
  uint64_t gone() const { return taken_ - count_; }
  // Discards what waits, with a short fade.
  void Clear();
  // Returns false when the keys cannot be pressed now.
  bool Press(std::string_view keys);

  // Called every 20 ms: writes the next packet and returns its size, 0 for none. `sends`: whether the other
  // end accepts audio.
  size_t Step(bool sends, base::MutableBytes out);
  // The audio of the last step, at the lane's rate; empty without any.
  std::span<const int16_t> said() const { return said_; }

  uint32_t ssrc() const { return at_.ssrc; }
  uint32_t timestamp() const { return at_.timestamp; }
  uint32_t packets() const { return packets_; }
  uint32_t bytes() const { return bytes_; }
  void ExpectLoss(int percent);

 private:
  size_t SendSound(base::MutableBytes out);
  size_t SendKey(base::MutableBytes out);
  size_t SendNoise(base::MutableBytes out);
  size_t Write(uint8_t type, bool marker, uint32_t timestamp, base::ByteView payload, base::MutableBytes out);
  void TakeFrame();

  const size_t rate_;
  StreamStart at_;
  Speaking* speaking_ = nullptr;
  std::vector<int16_t> waiting_;  // a ring
  size_t first_ = 0, count_ = 0;
  uint64_t taken_ = 0;
  std::vector<int16_t> frame_, narrow_;
  std::span<const int16_t> said_;
  std::vector<uint8_t> payload_;
  KeyPress keys_;
  uint32_t key_began_ = 0;
  uint32_t packets_ = 0, bytes_ = 0;
  bool paused_ = true;  // nothing was sent in the step before
  int silent_steps_ = 0;
  bool sent_silent_ = false;  // the last packet meant continued silence
};

}  // namespace trunkline::rtp
