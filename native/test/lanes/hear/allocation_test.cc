// The media thread's part of a stream allocates nothing once an utterance has been heard: every operator new of this
// program is counted, but those that the inference library makes in its run of voice activity.
#include <gtest/gtest.h>

#include "lanes/hear/lane.h"
#include "test/support/hear_engine.h"
#include "test/support/own_allocations.h"

namespace trunkline::hear {
namespace {

class HearAllocationTest : public test::HearEngineTest {
 protected:
  void SetUp() override {
    engine::Kinds kinds;
    kinds.AddLane(MakeHearKind());
    Make(std::move(kinds));
  }

  // Speech as it comes, in frames of 20 ms; the allocations of its ticks.
  uint64_t Hear(engine::LaneId lane, const std::vector<float>& samples, size_t rate) {
    const size_t frame = rate / 50;
    std::vector<int16_t> pcm(frame);
    uint64_t allocated = 0;
    for (size_t at = 0; at < samples.size(); at += frame) {
      for (size_t i = 0; i < frame; ++i) {
        const float sample = at + i < samples.size() ? samples[at + i] : 0.0f;
        pcm[i] = static_cast<int16_t>(std::lround(std::clamp(sample, -1.0f, 1.0f) * 32767));
      }
      EXPECT_EQ(engine_->Push(lane, base::AsBytes(std::span<const int16_t>(pcm))), base::Code::kOk);
      for (int tick = 0; tick < 2; ++tick) {
        clock_->Advance(engine::kTickNanos);
        allocated += test::OwnAllocations([&] { engine_->Tick(); });
        RunAll();
        for (const auto& record : test::DrainAll(*engine_)) finals_ += record.type == kHearFinal;
      }
    }
    return allocated;
  }

  size_t finals_ = 0;
};

TEST_F(HearAllocationTest, ATickOfAStreamAllocatesNothingAfterItsFirstUtterances) {
  TRUNKLINE_NEED_SPEECH();
  const auto recorded = test::ReadWav(test::Recording("ljspeech/LJ001-0001.wav"));
  for (const int rate : {16000, 8000}) {
    engine::OptionsBuilder options;
    const auto lane = engine_->Open("hear", options.Text("language", "en").Number("rate", rate).packed());
    ASSERT_TRUE(lane.ok());
    auto speech = test::Resampled(recorded, rate);
    speech.resize(std::min(speech.size(), static_cast<size_t>(4 * rate)));
    speech.resize(speech.size() + static_cast<size_t>(2 * rate));
    Hear(*lane, speech, static_cast<size_t>(rate));
    Hear(*lane, speech, static_cast<size_t>(rate));
    finals_ = 0;
    EXPECT_EQ(Hear(*lane, speech, static_cast<size_t>(rate)), 0u) << rate;
    EXPECT_GE(finals_, 1u) << "an utterance was heard";
  }
}

}  // namespace
}  // namespace trunkline::hear
