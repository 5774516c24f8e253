// Measures a recording's speaker, and decides whether it can be used for voice cloning. A voice detector
// finds speech, because a level alone takes noise and tones for speech.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "speaker/speaker.h"

namespace trunkline::tts {

enum class SampleVerdict { kGood, kNoSpeech, kTooShort, kTooLong, kTooNoisy, kSeveralSpeakers };
std::string_view SampleVerdictName(SampleVerdict verdict);

// Samples for each of the voice detector's probabilities.
inline constexpr size_t kHeardFrame = 512;

struct VoiceSample {
  SampleVerdict verdict = SampleVerdict::kGood;
  float speech_seconds = 0;
  float voiced_share = 0;  // the voiced share of the speech
  float snr_db = 0;
  float pitch_hz = 0;  // the median over voiced frames
  std::vector<float> vector;
  std::vector<float> spectrum;  // the speech's spectrum in dB; spectrum.h
  float min_similarity = 1;
};

// Reads a recording a few seconds at a time, one speaker embedding a step, so that more urgent work can run
// in between.
class SampleReader {
 public:
  // `samples` are at kRate; `heard` holds the speech probability of each kHeardFrame of them. Neither is
  // needed afterwards.
  SampleReader(std::span<const float> samples, std::span<const float> heard);

  // Reads one piece of speech. Returns true when the sample is read, or rejected.
  base::Result<bool> Step(const speaker::Embedder& speakers, const onnx::RunOptions* run);
  const VoiceSample& sample() const { return sample_; }

 private:
  void Finish();
  void Judge();

  const speaker::Mel mel_;
  VoiceSample sample_;
  std::vector<float> speech_;
  size_t next_ = 0;
  std::vector<std::vector<float>> pieces_;
  std::vector<float> pitches_;
  std::vector<float> power_;  // [frames, speaker::kMelBands] of the speech
};

// The median pitch of voiced frames in hertz, 0 without any.
float MedianPitch(std::span<const float> samples, int rate);

}  // namespace trunkline::tts
