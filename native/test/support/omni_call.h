// A fixture for tests of calls, which reports missing files and chooses speakers.
#pragma once

#include <string>
#include <vector>

#include "test/support/omni_scene.h"
#include "test/support/speech.h"

namespace trunkline::test {

inline constexpr const char* kSentence =
    "We are open from nine in the morning until five in the afternoon, and you may come at any time you "
    "like. ";

// Scales a voice to its level on a phone line.
inline std::vector<float> AtPeak(std::vector<float> samples, float peak = 0.35f) {
  float loudest = 1e-6f;
  for (const float sample : samples) loudest = std::max(loudest, std::abs(sample));
  for (float& sample : samples) sample *= peak / loudest;
  return samples;
}

// Real voices at the level of a phone line.
inline std::vector<float> Voice(const std::string& name, float peak = 0.35f) {
  return AtPeak(Resampled(ReadWav(Recording(name)), OmniScene::kRate), peak);
}

class OmniCall : public ::testing::Test {
 protected:
  void SetUp() override {
    TRUNKLINE_NEED_FILE(InferenceLibrary());
    for (const char* name : OmniScene::kModels) TRUNKLINE_NEED_FILE(ModelFile(name));
    TRUNKLINE_NEED_SPEECH();
  }
  // The agent speaks, and has for a while.
  static void Speaking(OmniScene& scene, int sentences = 4) {
    std::string text;
    for (int i = 0; i < sentences; ++i) text += kSentence;
    scene.Speak(1, text);
    ASSERT_TRUE(scene.Until(omni::kOmniPlaying, 5));
    scene.Quiet(1.0);
  }
};

}  // namespace trunkline::test
