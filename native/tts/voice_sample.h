// What a recording says of its speaker, and whether it serves to fit a voice to them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tts/speaker_vector.h"

namespace trunkline::tts {

enum class SampleVerdict { kGood, kTooShort, kTooLong, kTooNoisy, kSeveralSpeakers };
std::string_view SampleVerdictName(SampleVerdict verdict);

struct VoiceSample {
  SampleVerdict verdict = SampleVerdict::kGood;
  float speech_seconds = 0;
  float snr_db = 0;
  float pitch_hz = 0;         // the median over voiced frames
  std::vector<float> vector;  // of the speaker
  float least_likeness = 1;   // between the recording's two most unlike voices
};

// `samples` at kSpeakerRate.
base::Result<VoiceSample> ReadSample(std::span<const float> samples, const SpeakerVector& speakers,
                                     const onnx::RunOptions* run);

// The median pitch of voiced frames in hertz, 0 where there are none.
float MedianPitch(std::span<const float> samples, int rate);

}  // namespace trunkline::tts
