// What the judge is told of the first moments of a voice under the agent's: by the models, on real recordings
// of speakers from whom it was learnt, so that a net that was learnt wrongly or a limit gone astray is
// noticed. How well it tells others apart is for bench/omni to say.
#include "omni/words.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/services.h"
#include "test/support/files.h"
#include "test/support/speech.h"

namespace trunkline::engine {
namespace {

constexpr size_t kRate = 16000;

enum class Verdict { kGoesOn, kCut, kNone };

// A judge that has just suspected something, and what it does when it has been told of it.
struct Suspicion {
  Suspicion() {
    for (; !judge.suspecting(); now += 10) Tick();
  }
  BargeStep Tick() {
    return judge.Tick(now, {-25, static_cast<uint64_t>(now / 32), 0.95f, -127, false}, true);
  }
  Verdict Heard() {
    now += 10;
    const BargeStep step = Tick();
    return step.cut ? Verdict::kCut : step.resume ? Verdict::kGoesOn : Verdict::kNone;
  }
  BargeJudge judge{[] {
    BargeOptions options;
    options.speech_ms = 10;
    return options;
  }()};
  int64_t now = 0;
};

class OmniWordsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TRUNKLINE_NEED_FILE(test::InferenceLibrary());
    TRUNKLINE_NEED_SPEECH();
    EngineConfig config;
    config.library = test::InferenceLibrary();
    for (const char* name : {"silero-vad/silero_vad.onnx", "smart-turn/smart-turn-v3.2.onnx",
                             "whisper-base/encoder.onnx", "moonshine-tiny-en/encoder.ort"}) {
      TRUNKLINE_NEED_FILE(test::ModelFile(name));
      config.models[name] = test::ModelFile(name);
    }
    Services services(config);
    auto opened = HearModels::Open(services);
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    models_ = std::move(opened).value();
    TRUNKLINE_NEED_FILE(test::ModelFile("listening/nets.bin"));
    auto listening = ListeningModel::Load(test::ModelFile("listening/nets.bin"));
    ASSERT_TRUE(listening.ok()) << listening.status().ToString();
    listening_ = std::move(listening).value();
  }

  // From 100 ms before the voice is first loud, for so long.
  static std::vector<float> Moments(const std::string& name, double seconds, double skip_s = 0) {
    const auto wide = test::Resampled(test::ReadWav(test::Recording("an4/" + name + ".wav")), kRate);
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

  static void Look(WordsTask& task, Suspicion& suspicion, const std::vector<float>& sound,
                   asr::Language language = asr::Language::kEn) {
    task.Prepare(sound, language, suspicion.judge.suspicion(), 0);
    while (task.Run() == Task::Step::kAgain) {
    }
    // It says nothing to its lane.
    alignas(8) static char no_lane[1];
    task.Done(reinterpret_cast<LaneIo&>(no_lane));
  }

  Verdict AtOnce(const std::string& name, double seconds = 0.44,
                 asr::Language language = asr::Language::kEn) {
    Suspicion suspicion;
    WordsTask task(models_, listening_, suspicion.judge);
    Look(task, suspicion, Moments(name, seconds), language);
    return suspicion.Heard();
  }

  std::shared_ptr<HearModels> models_;
  std::shared_ptr<const ListeningModel> listening_;
};

constexpr const char* kSigns[] = {"an22-flrp-b", "an254-fash-b", "an32-mtje-b",  "an357-mscg2-b",
                                  "an96-mskh-b", "an251-fash-b", "an333-msrb-b", "an100-mskh-b"};
constexpr const char* kSayings[] = {"an253-fash-b", "an161-mfaa-b",  "an171-mjda-b",  "an231-mcsc-b",
                                    "an291-ffmm-b", "an178-mjjs2-b", "an238-mrjc2-b", "an121-fjdn-b"};

TEST_F(OmniWordsTest, SignsOfListeningLetTheAgentGoOnAndWordsCutIt) {
  // In another language the score decides alone, without the words that are written.
  for (const auto language : {asr::Language::kEn, asr::Language::kEs}) {
    int signs = 0, sayings = 0;
    for (const char* name : kSigns) signs += AtOnce(name, 0.44, language) == Verdict::kGoesOn;
    for (const char* name : kSayings) sayings += AtOnce(name, 0.44, language) == Verdict::kCut;
    EXPECT_GE(signs, 7) << asr::CodeOf(language);
    EXPECT_GE(sayings, 7) << asr::CodeOf(language);
  }
}

TEST_F(OmniWordsTest, WhatSurelySoundedLikeListeningIsNotOverruledByWordsWrittenLater) {
  const auto words = Moments("an231-mcsc-b", 0.9);
  const auto later = [&](const std::string& first, bool sure) {
    Suspicion suspicion;
    WordsTask task(models_, listening_, suspicion.judge);
    Look(task, suspicion, Moments(first, 0.44));
    EXPECT_EQ(task.surely_listening(), sure) << first;
    Look(task, suspicion, words);
    return suspicion.Heard();
  };
  EXPECT_EQ(later("an96-mskh-b", true), Verdict::kNone);
  EXPECT_EQ(later("an161-mfaa-b", false), Verdict::kCut);
  // Another sound has not sounded like anything yet.
  Suspicion suspicion;
  WordsTask task(models_, listening_, suspicion.judge);
  Look(task, suspicion, Moments("an96-mskh-b", 0.44));
  task.Prepare(words, asr::Language::kEn, suspicion.judge.suspicion() + 1, 0);
  EXPECT_FALSE(task.surely_listening());
}

}  // namespace
}  // namespace trunkline::engine
