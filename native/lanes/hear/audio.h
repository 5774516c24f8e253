// The audio of a stream at the rate of the models, and the voice detector's answers. Media thread; it
// allocates when it is made.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "asr/asr.h"
#include "dsp/dsp.h"
#include "lanes/hear/sound_ring.h"
#include "lanes/hear/speech_spans.h"
#include "vad/vad.h"

namespace trunkline::hear {

class HearAudio {
 public:
  static constexpr double kRate = SoundRing::kRate;

  explicit HearAudio(int rate);

  // Takes PCM16 at the stream's rate. Returns false when too much waits for the voice detector.
  bool Push(std::span<const int16_t> pcm);
  bool takes() const { return waiting() <= kMaxPending; }
  vad::VadRate vad_rate() const { return vad_rate_; }
  bool frame_waits() const { return waiting() >= vad::FrameSamples(vad_rate_); }
  // Points `item` at the oldest frame; Heard() follows before the next call.
  void Frame(vad::VadItem& item);
  void Heard(float probability);

  double seconds() const { return sound_.seconds(); }
  // Only the latest kHistory frames have a probability.
  uint64_t frames() const { return frames_; }
  float probability(uint64_t frames) const {
    return frames == 0 ? 0 : heard_[(frames - 1) % kHistory].speech;
  }
  // The level of the newest frame.
  float level_dbfs() const {
    return frames_ == 0 ? dsp::kSilenceDbfs : heard_[(frames_ - 1) % kHistory].level_db;
  }
  double heard_s() const { return static_cast<double>(frames_) * vad::kFrameSeconds; }
  // The audio between two seconds of the stream, at kRate; valid until the next call.
  std::span<const float> Range(double start_s, double end_s) { return sound_.Range(start_s, end_s); }
  std::span<const asr::Span> SpeechSince(double start_s) const { return speech_.Since(start_s); }
  void FramesSince(uint64_t first, std::vector<asr::SpeechFrame>& out) const;

 private:
  static constexpr size_t kMaxPending = 3 * 16000;
  static constexpr size_t kHistory = 1024;  // frames: as long as the ring

  size_t waiting() const { return pending_.size() - pending_first_; }

  const vad::VadRate vad_rate_;
  std::optional<dsp::Resampler> resampler_;
  vad::VadState vad_state_;
  SoundRing sound_;
  std::vector<float> pending_;
  size_t pending_first_ = 0;
  std::vector<float> scratch_, resampled_;
  uint64_t frames_ = 0;
  std::vector<asr::SpeechFrame> heard_;
  SpeechSpans speech_;
};

}  // namespace trunkline::hear
