// A recording that is uploaded never delays a live lane.
#include <gtest/gtest.h>

#include <cmath>

#include "lanes/hear/lane.h"
#include "lanes/hear/transcribe_job.h"
#include "test/support/hear_engine.h"

namespace trunkline::hear {
namespace {

constexpr size_t kRate = 16000;
// A machine so slow that it takes one step of inference in 30 ms: every step that somebody else gets shows.
constexpr int kTicksPerStep = 3;

struct Spoken {
  std::vector<int64_t> finals_ms;  // engine time since the first frame
  std::string text;
  size_t pieces = 0;  // recognized pieces of the recording
};

class HearUploadTest : public test::HearEngineTest {
 protected:
  void SetUp() override {
    engine::Kinds kinds;
    kinds.AddLane(MakeHearKind());
    kinds.AddJob(MakeTranscribeKind());
    Make(std::move(kinds));
  }

  // Speaks `clip` twice, a pause after each, with `recording` uploaded again and again beside where there is
  // one.
  Spoken Speak(const std::vector<float>& clip, const std::vector<uint8_t>& recording) {
    engine::OptionsBuilder options;
    options.Text("language", "en").Number("endpointing_ms", 300).Number("partials", 0);
    const auto lane = engine_->Open("hear", options.packed());
    EXPECT_TRUE(lane.ok()) << lane.status().ToString();
    run_ = {};
    began_ = clock_->Now();
    recording_ = recording;
    Upload();
    for (int time = 0; time < 2; ++time) {
      std::vector<float> sound = clip;
      sound.resize(sound.size() + 3 * kRate);
      for (size_t at = 0; at + kRate / 100 <= sound.size(); at += kRate / 100) {
        int16_t pcm[kRate / 100];
        for (size_t i = 0; i < std::size(pcm); ++i) {
          pcm[i] = static_cast<int16_t>(std::lround(std::clamp(sound[at + i], -1.0f, 1.0f) * 32767));
        }
        EXPECT_EQ(engine_->Push(*lane, base::AsBytes(std::span<const int16_t>(pcm))), base::Code::kOk);
        Tick();
      }
    }
    recording_.clear();
    engine_->Close(*lane, true);
    for (int i = 0; i < 1000; ++i) Tick();
    return run_;
  }

 private:
  void Upload() {
    if (recording_.empty()) return;
    engine::OptionsBuilder options;
    const auto job = engine_->Submit("transcribe", options.Text("language", "en").packed(), recording_);
    ASSERT_TRUE(job.ok()) << job.status().ToString();
    job_ = *job;
  }

  void Tick() {
    clock_->Advance(engine::kTickNanos);
    engine_->Tick();
    if (++ticks_ % kTicksPerStep == 0) engine_->RunTask();
    for (const auto& record : test::DrainAll(*engine_)) {
      if (record.type == kHearFinal) {
        run_.finals_ms.push_back((clock_->Now() - began_) / base::kNanosPerMilli);
        const auto* bytes = reinterpret_cast<const uint8_t*>(record.bytes.data());
        run_.text += record.bytes.substr(28, base::Load<uint32_t>(bytes + 24)) + " ";
      }
      if (record.type != engine::kJobEndEvent) continue;
      EXPECT_EQ(record.code(), base::Code::kOk);
      engine::Chunk chunk;
      while (engine_->Take(job_, chunk)) ++run_.pieces;
      Upload();
    }
  }

  std::vector<uint8_t> recording_;
  uint32_t job_ = 0;
  int64_t began_ = 0;
  int ticks_ = 0;
  Spoken run_;
};

TEST_F(HearUploadTest, FinalsComeAtTheSameTickBesideAnUploadAsAlone) {
  TRUNKLINE_NEED_SPEECH();
  const auto clips = test::Clips("ljspeech", "en");
  ASSERT_GE(clips.size(), 2u);
  auto clip = test::Resampled(test::ReadWav(test::Recording(clips[1].path)), kRate);
  clip.resize(std::min(clip.size(), 4 * kRate));
  const auto other = test::Resampled(test::ReadWav(test::Recording(clips[0].path)), kRate);
  std::vector<uint8_t> recording(other.size() * 2);
  for (size_t i = 0; i < other.size(); ++i) {
    base::Store(recording.data() + 2 * i,
                static_cast<int16_t>(std::lround(std::clamp(other[i], -1.0f, 1.0f) * 32767)));
  }
  const Spoken alone = Speak(clip, {});
  const Spoken concurrent = Speak(clip, recording);
  ASSERT_GE(alone.finals_ms.size(), 2u);
  EXPECT_EQ(alone.pieces, 0u);
  EXPECT_GE(concurrent.pieces, 1u) << "the upload gets on where the lane leaves room";
  EXPECT_EQ(concurrent.finals_ms, alone.finals_ms);
  EXPECT_EQ(concurrent.text, alone.text);
}

}  // namespace
}  // namespace trunkline::hear
