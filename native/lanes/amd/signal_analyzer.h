// Analyses a call's audio without words: speech, tones, music, levels, and a fingerprint of the greeting. It
// takes frames of 32 ms at 8 kHz with their speech probability. Realtime after construction.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "dsp/dsp.h"
#include "lanes/amd/fingerprint.h"
#include "lanes/amd/speech_segments.h"

namespace trunkline::amd {

inline constexpr size_t kFrameSamples = 256;
inline constexpr double kFrameSeconds = static_cast<double>(kFrameSamples) / kRate;

struct FrameEvents {
  SegmentEvent segment;
  float level_dbfs = 0;  // set at the end of speech: its level, and the noise floor
  float floor_dbfs = 0;
  std::array<dsp::CallToneEvent, 8> tones;
  size_t tone_count = 0;
  dsp::MusicWatch::Change music = dsp::MusicWatch::Change::kNone;
  double music_at_s = 0;
  // The fingerprint is complete.
  bool fingerprint = false;
};

class SignalAnalyzer {
 public:
  SignalAnalyzer() : tones_(kRate), level_(kRate) {}

  // `samples` has kFrameSamples. The events are valid until the next frame.
  const FrameEvents& Frame(std::span<const float> samples, float speech);
  double heard_s() const { return static_cast<double>(frames_) * kFrameSeconds; }
  bool speaking() const { return segments_.speaking(); }
  std::span<const uint16_t> fingerprint() const { return fingerprint_.words(); }

 private:
  void Levels(std::span<const float> samples, bool speech);

  SpeechSegments segments_;
  dsp::CallToneDetector tones_;
  dsp::LevelMeter level_;
  dsp::HeldPitches pitches_;
  dsp::MusicWatch music_;
  Fingerprint fingerprint_;
  FrameEvents events_;
  uint64_t frames_ = 0;
  bool spoken_ = false;
  double speech_power_ = 0;
  int speech_frames_ = 0;
  float floor_dbfs_ = 0;
};

}  // namespace trunkline::amd
