// Signs of listening and things to say in other languages than English, in voices from which was learnt: that the nets of
// other languages are asked, and only there. How well they tell others apart is for bench/omni to say.
#include "engine/engine.h"
#include "lanes/speak/synthesize_job.h"
#include "test/lanes/omni/interruption_scene.h"
#include "test/support/drained.h"
#include "test/support/speech_engine.h"

namespace trunkline::omni {
namespace {

struct SpokenText {
  asr::Language language;
  const char* accent;
  const char* style;
  std::vector<const char*> signs, sayings;
};

class OmniInterruptionLanguagesTest : public OmniInterruptionTextTest {
 protected:
  void SetUp() override {
    OmniInterruptionTextTest::SetUp();
    engine::EngineConfig config;
    config.jobs = 1;
    test::ConfigureSpeech(config, {"kokoro/voices/em_santa.bin", "kokoro/voices/hm_omega.bin"});
    if (IsSkipped() || HasFatalFailure()) return;
    clock_->Advance(base::kNanosPerMilli);  // no work begins at nought
    engine::Kinds kinds;
    kinds.AddJob(speak::MakeSynthesizeKind());
    engine_ = std::make_unique<engine::Engine>(config, std::move(kinds), nullptr, clock_);
    while (engine_->RunTask()) {
    }
    test::DrainAll(*engine_);
  }

  // Returns audio at 16 kHz.
  std::vector<float> Spoken(const SpokenText& said, const char* text) {
    engine::OptionsBuilder options;
    options.Text("model", "kokoro").Text("language", asr::CodeOf(said.language)).Text("accent", said.accent);
    options.List("styles", {said.style}).Text("format", "pcm16").Number("rate", kRate);
    const std::string_view words = text;
    const auto job = engine_->Submit("synthesize", options.packed(), {words.begin(), words.end()});
    EXPECT_TRUE(job.ok()) << job.status().ToString();
    std::vector<float> samples;
    while (job.ok() && engine_->RunTask()) {
      for (engine::Chunk chunk; engine_->Take(*job, chunk);) {
        for (size_t at = 0; at + 1 < chunk.size(); at += 2)
          samples.push_back(base::Load<int16_t>(chunk.data() + at) / 32768.0f);
      }
    }
    test::DrainAll(*engine_);
    return samples;
  }

  // Returns how many of the texts come to `verdict` after a third of a second.
  int Come(const SpokenText& said, const std::vector<const char*>& texts, Verdict verdict,
           std::string& others) {
    int count = 0;
    for (const char* text : texts) {
      const std::vector<float> sound = Spoken(said, text);
      EXPECT_GT(sound.size(), kRate / 5) << text;
      const bool is = !sound.empty() && Of(FirstMoments(sound, 0.44), said.language) == verdict;
      count += is;
      if (!is) others += std::string(" ") + text;
    }
    return count;
  }

  std::shared_ptr<base::ManualClock> clock_ = std::make_shared<base::ManualClock>();
  std::unique_ptr<engine::Engine> engine_;
};

TEST_F(OmniInterruptionLanguagesTest, SignsThatEnglishNetsTakeForSpeechLetTheAgentGoOn) {
  // The English nets take each of these signs for something to say.
  const SpokenText kSaid[] = {
      {asr::Language::kEs, "es", "em_santa:1", {"Muy bien."}, {"Quince."}},
      {asr::Language::kHi, "hi", "hm_omega:1", {"सही है।", "समझ गया।", "बढ़िया।"}, {"पंद्रह।"}}};
  int signs = 0, sayings = 0;
  std::string others;
  for (const SpokenText& said : kSaid) {
    signs += Come(said, said.signs, Verdict::kGoesOn, others);
    sayings += Come(said, said.sayings, Verdict::kInterrupts, others);
  }
  EXPECT_GE(signs, 3) << others;
  EXPECT_EQ(sayings, 2) << others;
}

TEST_F(OmniInterruptionTextTest, EnglishIsJudgedWithoutTheNetsOfOtherLanguages) {
  listening_.elsewhere = nullptr;
  EXPECT_EQ(AtOnce("an253-fash-b"), Verdict::kInterrupts);
  EXPECT_EQ(AtOnce("an22-flrp-b"), Verdict::kGoesOn);
}

}  // namespace
}  // namespace trunkline::omni
