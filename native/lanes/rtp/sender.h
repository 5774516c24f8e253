// Our sound on its way to the other end: a packet every 20 ms by the media clock, whatever there is to say. Media thread.
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

// How sound is sent. Made outside of the media thread.
struct Speaking {
  uint8_t payload_type = 0;
  std::unique_ptr<Encoder> encoder;
  std::optional<dsp::Resampler> resampler;  // absent: the lane has the encoder's rate
  int event_type = -1;                      // telephone events; below 0: keys are sound that is pushed
  int event_clock = 8000;
  int noise_type = -1;  // comfort noise in place of silent packets
};

// Where a stream's numbers begin: chance, so that they cannot be guessed.
struct StreamStart {
  uint32_t ssrc = 0;
  uint16_t sequence = 0;
  uint32_t timestamp = 0;
};

class Sender {
 public:
  Sender(int rate, StreamStart start);

  // `speaking` outlives it, or the next call.
  void Use(Speaking* speaking) { speaking_ = speaking; }
  // Samples at the lane's rate; what finds no room is not taken.
  size_t Push(std::span<const int16_t> samples);
  size_t room() const { return waiting_.size() - count_; }
  // Samples that were ever taken, and those of them that wait no more.
  uint64_t taken() const { return taken_; }
  uint64_t gone() const { return taken_ - count_; }
  // What waits is not said; it fades out within a moment.
  void Clear();
  // False: they cannot be pressed now.
  bool Press(std::string_view keys);

  // The time of another 20 ms has come: the packet to be sent, 0 bytes for none. `sends`: whether the other end
  // wants any now.
  size_t Step(bool sends, base::MutableBytes out);
  // What was said in the last step, at the lane's rate; empty: nothing was.
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
  StreamStart at_;  // of the next packet
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
  bool told_silent_ = false;  // the last packet said that silence goes on
};

}  // namespace trunkline::rtp
