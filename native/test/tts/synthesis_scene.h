// The real models of speech, and what can be told of a sound that they made.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "test/tts/speech_files.h"
#include "tts/synthesis.h"

namespace trunkline::tts {

class SynthesisTest : public testing::Test {
 protected:
  static std::shared_ptr<SpeechModels>& Models() {
    static std::shared_ptr<SpeechModels> models;
    return models;
  }
  static std::shared_ptr<onnx::Runtime>& Runtime() {
    static std::shared_ptr<onnx::Runtime> runtime;
    return runtime;
  }

  void SetUp() override {
    const SpeechFiles files = test::SpeechFiles();
    for (const std::string& path : {files.kokoro.generator, files.piper.decoder, files.phonemes.library}) {
      TRUNKLINE_NEED_FILE(path);
    }
    if (Models() != nullptr) return;
    auto runtime = onnx::Runtime::Load({test::InferenceLibrary(), 1});
    ASSERT_TRUE(runtime.ok()) << runtime.status().ToString();
    Runtime() = *runtime;
    onnx::SessionOptions options;
    options.threads = 2;
    auto models = SpeechModels::Load(test::ModelOpener(*runtime), files, options);
    ASSERT_TRUE(models.ok()) << models.status().ToString();
    Models() = *models;
  }

  static VoiceSpec Kokoro(const char* style = "af_heart") {
    VoiceSpec voice;
    voice.styles = {{style, 1}};
    return voice;
  }
  static VoiceSpec Joe() {
    VoiceSpec voice;
    voice.model = VoiceModel::kPiper;
    return voice;
  }

  static VoiceSpec HibariVoice() {
    VoiceSpec voice;
    voice.model = VoiceModel::kHibari;
    return voice;
  }

  static std::vector<float> Speak(const VoiceSpec& voice, std::string_view text,
                                  const SynthesisOptions& options = {}) {
    return SpeakWith(Models(), voice, text, options);
  }
  static std::vector<float> SpeakWith(const std::shared_ptr<SpeechModels>& models, const VoiceSpec& voice,
                                      std::string_view text, const SynthesisOptions& options = {}) {
    auto synthesis = Synthesis::Open(models, voice, text, options);
    EXPECT_TRUE(synthesis.ok()) << synthesis.status().ToString();
    std::vector<float> out;
    while (synthesis.ok() && !(*synthesis)->done()) {
      const auto status = (*synthesis)->Step(nullptr, out);
      EXPECT_TRUE(status.ok()) << status.ToString();
      if (!status.ok()) break;
    }
    return out;
  }

  static double ActiveDb(std::span<const float> samples) {
    double sum = 0;
    size_t count = 0;
    for (size_t at = 0; at + 240 <= samples.size(); at += 240) {
      double power = 0;
      for (size_t i = at; i < at + 240; ++i) power += static_cast<double>(samples[i]) * samples[i] / 240;
      if (power < 1e-4) continue;
      sum += power;
      ++count;
    }
    return count == 0 ? -100 : 10 * std::log10(sum / static_cast<double>(count));
  }
};

// Median pitch of the voiced frames, and the span of the middle half of them.
struct Tune {
  double hertz = 0, octaves = 0;
};

inline Tune Melody(std::span<const float> samples) {
  constexpr size_t kFrame = kKokoroRate / 25, kHop = kFrame / 2;
  constexpr size_t kShortest = kKokoroRate / 400, kLongest = kKokoroRate / 70;
  std::vector<double> found;
  for (size_t at = 0; at + kFrame + kLongest < samples.size(); at += kHop) {
    const auto dot = [&](size_t lag) {
      double sum = 0;
      for (size_t i = 0; i < kFrame; ++i)
        sum += static_cast<double>(samples[at + i]) * static_cast<double>(samples[at + i + lag]);
      return sum;
    };
    const double energy = dot(0);
    if (energy / kFrame < 1e-3) continue;
    double best = 0;
    size_t lag = 0;
    for (size_t candidate = kShortest; candidate <= kLongest; ++candidate) {
      if (const double similarity = dot(candidate); similarity > best * 1.05) {
        best = similarity;
        lag = candidate;
      }
    }
    if (best > 0.6 * energy)
      found.push_back(std::log2(static_cast<double>(kKokoroRate) / static_cast<double>(lag)));
  }
  if (found.empty()) return {};
  std::sort(found.begin(), found.end());
  // The mean between the quartiles, so that octave errors do not count.
  const size_t quarter = found.size() / 4;
  return {std::exp2(found[found.size() / 2]), found[found.size() - 1 - quarter] - found[quarter]};
}

// dB of what lies above 1.2 kHz against what lies below.
inline double Brightness(std::span<const float> samples) {
  const double step = 1 - std::exp(-2 * 3.14159265 * 1200 / kKokoroRate);
  double low = 0, lows = 1e-12, highs = 1e-12;
  for (const float sample : samples) {
    low += step * (static_cast<double>(sample) - low);
    lows += low * low;
    highs += std::pow(static_cast<double>(sample) - low, 2);
  }
  return 10 * std::log10(highs / lows);
}

}  // namespace trunkline::tts
