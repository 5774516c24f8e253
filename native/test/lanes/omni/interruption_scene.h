// A detector that has just suspected something, and the look at a real voice that it is told of.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/services.h"
#include "lanes/omni/interruption_text_task.h"
#include "test/support/files.h"
#include "test/support/speech.h"

namespace trunkline::omni {

enum class Verdict { kGoesOn, kInterrupts, kNone };

struct Suspicion {
  Suspicion() {
    for (; !detector.suspecting(); now += 10) Tick();
  }
  BargeInStep Tick() {
    return detector.Tick(now, {-25, static_cast<uint64_t>(now / 32), 0.95f, -127, false}, true);
  }
  Verdict Heard() {
    now += 10;
    const BargeInStep step = Tick();
    return step.interrupt ? Verdict::kInterrupts : step.resume ? Verdict::kGoesOn : Verdict::kNone;
  }
  BargeInDetector detector{[] {
    BargeInOptions options;
    options.speech_ms = 10;
    return options;
  }()};
  int64_t now = 0;
};

class OmniInterruptionTextTest : public ::testing::Test {
 protected:
  static constexpr size_t kRate = 16000;

  void SetUp() override {
    TRUNKLINE_NEED_FILE(test::InferenceLibrary());
    TRUNKLINE_NEED_SPEECH();
    engine::EngineConfig config;
    config.library = test::InferenceLibrary();
    for (const char* name :
         {"silero-vad/silero_vad.onnx", "smart-turn/smart-turn-v3.2.onnx", "whisper-base/encoder.onnx",
          "whisper-base/decoder.onnx", "moonshine-tiny-en/encoder.ort", "moonshine-tiny-en/decoder.ort"}) {
      TRUNKLINE_NEED_FILE(test::ModelFile(name));
      config.models[name] = test::ModelFile(name);
    }
    engine::Services services(config);
    auto opened = hear::HearModels::Open(services);
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    models_ = std::move(opened).value();
    for (const auto& [file, nets] : {std::pair{"listening/nets.bin", &listening_.english},
                                     {"listening/elsewhere.bin", &listening_.elsewhere}}) {
      TRUNKLINE_NEED_FILE(test::ModelFile(file));
      auto loaded = BackchannelModel::Load(test::ModelFile(file));
      ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
      *nets = std::move(loaded).value();
    }
  }

  // From 100 ms before the voice is first loud, for so long.
  static std::vector<float> Moments(const std::string& name, double seconds, double skip_s = 0) {
    const auto recorded = test::ReadWav(test::Recording("an4/" + name + ".wav"));
    return FirstMoments(test::Resampled(recorded, kRate), seconds, skip_s);
  }
  static std::vector<float> FirstMoments(const std::vector<float>& wide, double seconds, double skip_s = 0) {
    std::vector<double> powers;
    for (size_t at = 0; at + 320 <= wide.size(); at += 320) {
      double sum = 0;
      for (size_t i = at; i < at + 320; ++i) sum += static_cast<double>(wide[i]) * wide[i];
      powers.push_back(sum);
    }
    const double most = *std::max_element(powers.begin(), powers.end());
    size_t onset = 0;
    while (powers[onset] < most * 0.02) ++onset;
    const size_t from = onset * 320 - std::min<size_t>(onset * 320, kRate / 10);
    const size_t first = std::min(wide.size(), from + static_cast<size_t>(skip_s * kRate));
    const size_t last = std::min(wide.size(), first + static_cast<size_t>(seconds * kRate));
    return {wide.begin() + static_cast<ptrdiff_t>(first), wide.begin() + static_cast<ptrdiff_t>(last)};
  }

  static void Look(InterruptionTextTask& task, Suspicion& suspicion, const std::vector<float>& sound,
                   asr::Language language = asr::Language::kEn) {
    task.Prepare(sound, language, suspicion.detector.suspicion(), 0);
    while (task.Run() == engine::Task::Step::kAgain) {
    }
    // It says nothing to its lane.
    alignas(8) static char no_lane[1];
    task.Done(reinterpret_cast<engine::LaneIo&>(no_lane));
  }

  // `seconds` from the middle of a recording that is played so much faster than it was spoken.
  static std::vector<float> Hurried(const std::string& name, double speed, double seconds) {
    auto recorded = test::ReadWav(test::Recording("an4/" + name + ".wav"));
    recorded.rate = static_cast<int>(recorded.rate * speed);
    const auto fast = test::Resampled(recorded, kRate);
    const auto count = static_cast<ptrdiff_t>(seconds * kRate);
    const ptrdiff_t from = (static_cast<ptrdiff_t>(fast.size()) - count) / 2;
    return {fast.begin() + from, fast.begin() + from + count};
  }

  Verdict Of(const std::vector<float>& sound, asr::Language language = asr::Language::kEn) {
    Suspicion suspicion;
    InterruptionTextTask task(models_, listening_, suspicion.detector);
    Look(task, suspicion, sound, language);
    return suspicion.Heard();
  }
  Verdict AtOnce(const std::string& name, double seconds = 0.44,
                 asr::Language language = asr::Language::kEn) {
    return Of(Moments(name, seconds), language);
  }

  std::shared_ptr<hear::HearModels> models_;
  BackchannelNets listening_;
};

}  // namespace trunkline::omni
