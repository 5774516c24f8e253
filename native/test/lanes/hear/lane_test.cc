#include "lanes/hear/lane.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "lanes/hear/models.h"
#include "test/lanes/hear/lane_scene.h"
#include "test/support/added_moonshine.h"
#include "test/support/hear_engine.h"
#include "test/support/split_points.h"
#include "vad/endpointer.h"

namespace trunkline::hear {
namespace {

TEST_F(HearLaneTest, HearsAnUtteranceAndEndsItAfterTheSilence) {
  TRUNKLINE_NEED_SPEECH();
  for (const int rate : {16000, 8000, 48000}) {
    events_.clear();
    closed_.clear();
    engine::OptionsBuilder options;
    const engine::LaneId lane =
        Open(options.Text("language", "en").Number("rate", rate).Number("endpointing_ms", 500));
    std::string text;
    const auto clip = Clip(1, text, rate);
    ASSERT_FALSE(clip.empty());
    Quiet(lane, 0.6, rate);
    Say(lane, clip, rate);
    Quiet(lane, 1.5, rate);
    Close(lane);
    CheckOrder();
    EXPECT_GE(Of(kHearPartial).size(), 1u);
    const auto finals = Of(kHearFinal);
    ASSERT_GE(finals.size(), 1u);
    EXPECT_EQ(finals.back().reason, static_cast<uint32_t>(trunkline::vad::EndReason::kSilence));
    const double rate_of_errors = test::ErrorRate(text, FinalText());
    std::printf("%d Hz: word error %.3f, %zu partials, '%s'\n", rate, rate_of_errors, Of(kHearPartial).size(),
                FinalText().c_str());
    EXPECT_LT(rate_of_errors, 0.3);
  }
}

TEST_F(HearLaneTest, CostsLessWhoseWordsNobodyReadsWhileTheyAreSaid) {
  TRUNKLINE_NEED_SPEECH();
  const auto cost_of = [&](const engine::OptionsBuilder& builder) {
    const auto options = engine::Options::Parse(builder.packed());
    EXPECT_TRUE(options.ok());
    return kind_->CostOf(*options);
  };
  engine::OptionsBuilder unread, read, unsaid;
  unread.Number("partials", 0);
  read.Number("partials", 1);
  EXPECT_GT(cost_of(unread), 0u);
  EXPECT_LT(cost_of(unread), cost_of(read));
  EXPECT_EQ(cost_of(unsaid), cost_of(read));
}

TEST_F(HearLaneTest, AnAddedQuickRecognizerMakesPartialsAndCostsWhatTheyTake) {
  TRUNKLINE_NEED_SPEECH();
  const test::AddedMoonshine added("quick-recognizer");
  const std::string folder = added.folder().string();
  engine::OptionsBuilder named, unnamed;
  named.Text("language", "en").Text("quick", folder);
  unnamed.Text("language", "en");
  EXPECT_EQ(engine_->Open("hear", named.packed()).status().code(), Code::kNotReady);

  const auto models = HearModels::Open(engine_->services());
  ASSERT_TRUE(models.ok());
  const auto quick = (*models)->OpenQuick(folder);
  ASSERT_TRUE(quick.ok()) << quick.status().ToString();
  EXPECT_EQ(*(*models)->OpenQuick(folder), *quick) << "it is opened once";
  (*quick)->SetPartialSeconds(10 * (*models)->quick()->partial_seconds());
  const auto cost = [&](engine::OptionsBuilder& options) {
    return kind_->CostOf(*engine::Options::Parse(options.packed()));
  };
  EXPECT_GT(cost(named), cost(unnamed));

  const engine::LaneId lane = Open(named);
  std::string text;
  Say(lane, Clip(1, text), 16000);
  EXPECT_FALSE(Of(kHearPartial).empty());

  (*models)->CloseRecognizersBut({}, engine_->services());
  EXPECT_EQ((*models)->FindQuick(folder), nullptr);
  Say(lane, Clip(1, text), 16000);
  EXPECT_TRUE(closed_.empty()) << "an open stream keeps it";
}

// One pass over the first sounds says half a word as often as a whole one; two that agree seldom do.
TEST_F(HearLaneTest, TheFirstWordIsShownSoonAndRight) {
  TRUNKLINE_NEED_SPEECH();
  size_t right = 0, shown = 0;
  for (size_t number = 0; number < 6; ++number) {
    events_.clear();
    closed_.clear();
    engine::OptionsBuilder options;
    const engine::LaneId lane = Open(options.Text("language", "en"));
    std::string text;
    auto clip = Clip(number, text);
    clip.resize(2 * 16000);
    const int64_t began_ms = clock_->Now() / base::kNanosPerMilli;
    Say(lane, clip, 16000);
    Close(lane);
    const auto partials = Of(kHearPartial);
    ASSERT_FALSE(partials.empty());
    const Event& first = partials.front();
    // The utterance begins 0.3 s before its speech.
    EXPECT_LE(static_cast<double>(first.at_ms - began_ms) / 1000, first.start + 0.3 + 1.0);
    ++shown;
    right += test::ScoredWords(first.text).front() == test::ScoredWords(text).front();
  }
  std::printf("first word right in %zu of %zu\n", right, shown);
  EXPECT_GE(right + 1, shown);
}

TEST_F(HearLaneTest, LongFormLongSpeechIsSplitWithoutLosingOrDoublingWords) {
  TRUNKLINE_NEED_SPEECH();
  std::string text;
  std::vector<float> speech;
  for (size_t number = 0; number < 9; ++number) {
    const auto clip = Clip(number, text);
    speech.insert(speech.end(), clip.begin(), clip.end());
  }
  ASSERT_GT(speech.size(), 45u * 16000);
  CheckLongSpeech(speech, text, true, 0.1);
}

// Nothing to cut at but the words themselves; and a machine on which each text takes a second and a half.
TEST_F(HearLaneTest, LongFormSpeechWithoutPausesIsSplitBetweenWordsInTime) {
  TRUNKLINE_NEED_SPEECH();
  std::string text;
  std::vector<float> speech;
  for (size_t number = 0; number < 9; ++number) {
    const auto clip = test::WithoutPauses(Clip(number, text));
    speech.insert(speech.end(), clip.begin(), clip.end());
  }
  busy_ticks_ = 150;
  CheckLongSpeech(speech, text, false, 0.15);
}

// Without partials, and in less time than words need to become stable, a second look is the only work of a partial's class.
// The shortest endpointing ends an utterance before one could begin.
TEST_F(HearLaneTest, AnUtteranceIsLookedAtTwiceWhereThereIsTimeBeforeItsEnd) {
  TRUNKLINE_NEED_SPEECH();
  std::string text;
  const auto clip = Clip(1, text);
  const auto looks = [&] {
    return engine_->stats().pool.done[static_cast<size_t>(engine::Priority::kPartial)];
  };
  for (const int endpointing_ms : {500, 100}) {
    events_.clear();
    closed_.clear();
    engine::OptionsBuilder options;
    options.Text("language", "en").Number("endpointing_ms", endpointing_ms).Number("partials", 0);
    const engine::LaneId lane = Open(options);
    const auto before = looks();
    Say(lane, clip, 16000);
    Quiet(lane, 1.5, 16000);
    EXPECT_EQ(looks() > before, endpointing_ms == 500) << endpointing_ms;
    ASSERT_GE(Of(kHearFinal).size(), 1u);
    EXPECT_LE(Of(kHearFinal).back().at_ms - Of(kHearSpeechFinal).back().at_ms, 20) << "no final waits for it";
    Close(lane);
  }
}

// The machine answers late: fewer partials are asked for, and the finals stay what they were and in time.
TEST_F(HearLaneTest, UnderLoadPartialsThinOutAndFinalsDoNot) {
  TRUNKLINE_NEED_SPEECH();
  std::string text;
  const auto clip = Clip(1, text);
  ASSERT_FALSE(clip.empty());
  std::vector<size_t> partials;
  std::vector<double> errors;
  for (const int busy : {1, 25}) {
    busy_ticks_ = busy;
    events_.clear();
    closed_.clear();
    engine::OptionsBuilder options;
    const engine::LaneId lane = Open(options.Text("language", "en").Number("endpointing_ms", 500));
    Say(lane, clip, 16000);
    Quiet(lane, 2, 16000);
    EXPECT_GE(Of(kHearFinal).size(), 1u);
    for (const Event& final : Of(kHearFinal)) {
      const auto spoken = Of(kHearSpeechFinal);
      const auto own = std::find_if(spoken.begin(), spoken.end(),
                                    [&](const Event& e) { return e.utterance == final.utterance; });
      ASSERT_NE(own, spoken.end());
      EXPECT_LE(final.at_ms - own->at_ms, busy * 10 + 10) << "at most one round of inference late";
    }
    Close(lane);
    CheckOrder();
    partials.push_back(Of(kHearPartial).size());
    errors.push_back(test::ErrorRate(text, FinalText()));
  }
  EXPECT_LE(partials[1] * 3, partials[0] * 2)
      << "a quarter of a second for each: three times as long between";
  EXPECT_GT(partials[1], 0u);
  EXPECT_LE(errors[1], errors[0] + 0.05);
}

// The model of turns answers after the pause in the middle is over.
TEST_F(HearLaneTest, ALateEndOfTurnModelEndsNoTurn) {
  TRUNKLINE_NEED_SPEECH();
  std::string text;
  auto clip = Clip(1, text);
  while (!clip.empty() && std::abs(clip.back()) < 0.02F) clip.pop_back();
  ASSERT_FALSE(clip.empty());
  engine::OptionsBuilder options;
  const engine::LaneId lane = Open(options.Text("language", "en").Number("endpointing_ms", 500));
  busy_ticks_ = 10'000;
  Say(lane, {clip.end() - 16000, clip.end()}, 16000);
  Quiet(lane, 0.6, 16000);
  EXPECT_EQ(Of(kHearSpeechFinal).size(), 0u) << "half a second would be over, had nobody been asked";
  Say(lane, {clip.end() - 16000, clip.end()}, 16000);
  busy_ticks_ = 1;
  Quiet(lane, 2, 16000);
  EXPECT_EQ(Of(kHearSpeechFinal).size(), 1u);
  Close(lane);
  CheckOrder();
}

TEST_F(HearLaneTest, SilenceAndNoiseAreNoUtterance) {
  engine::OptionsBuilder options;
  const engine::LaneId lane = Open(options.Number("rate", 16000));
  Quiet(lane, 2, 16000);
  std::vector<float> noise(3 * 16000);
  uint32_t state = 1;
  for (float& x : noise)
    x = static_cast<float>((state = state * 1664525u + 1013904223u) >> 16) / 65536.0f * 0.02f - 0.01f;
  Say(lane, noise, 16000);
  Close(lane);
  EXPECT_TRUE(events_.empty());
}

// @requirement Hear: A stream sends a `final` at least every 15 s, in silence too.
// Finals reach so far, by the second of audio that they are of and by when they came.
TEST_F(HearLaneTest, AFinalComesEveryFifteenSecondsThoughNobodySpeaks) {
  engine::OptionsBuilder options;
  const engine::LaneId lane = Open(options.Text("language", "en"));
  Quiet(lane, 46, 16000);
  const auto finals = Of(kHearFinal);
  ASSERT_EQ(finals.size(), 3u);
  for (size_t i = 0; i < finals.size(); ++i) {
    EXPECT_EQ(finals[i].text, "");
    EXPECT_EQ(finals[i].reason, static_cast<uint32_t>(trunkline::vad::EndReason::kSilence));
    EXPECT_NEAR(finals[i].start, 15.0 * static_cast<double>(i), 0.1);
    EXPECT_NEAR(finals[i].end, 15.0 * static_cast<double>(i + 1), 0.1);
  }
  Close(lane);
  EXPECT_EQ(Of(kHearFinal).size(), 3u) << "what was quiet at the end is not told";
  CheckOrder();
}

TEST_F(HearLaneTest, TheQuietBeforeAnUtteranceHasItsFinalWhileSomebodySpeaks) {
  TRUNKLINE_NEED_SPEECH();
  engine::OptionsBuilder options;
  const engine::LaneId lane = Open(options.Text("language", "en"));
  Quiet(lane, 12, 16000);
  std::string text;
  Say(lane, Clip(0, text), 16000);
  Quiet(lane, 2, 16000);
  Close(lane);
  const auto finals = Of(kHearFinal);
  ASSERT_EQ(finals.size(), 2u);
  EXPECT_EQ(finals[0].text, "");
  EXPECT_EQ(finals[0].start, 0);
  EXPECT_NEAR(finals[0].end, finals[1].start, 0.001) << "up to where the utterance begins";
  EXPECT_GT(finals[0].end, 11.5);
  EXPECT_LT(finals[0].end, 13.0);
  EXPECT_FALSE(finals[1].text.empty());
  CheckOrder();
}

TEST_F(HearLaneTest, ACommitIsAlwaysAnswered) {
  TRUNKLINE_NEED_SPEECH();
  engine::OptionsBuilder options;
  const engine::LaneId lane = Open(options.Text("language", "en"));
  engine_->Control(lane, kHearCommit, {});
  Tick();
  ASSERT_EQ(Of(kHearFinal).size(), 1u) << "with nothing said, an empty final answers";
  EXPECT_EQ(Of(kHearFinal)[0].text, "");
  std::string text;
  auto clip = Clip(0, text);
  clip.resize(3 * 16000);
  Say(lane, clip, 16000);
  engine_->Control(lane, kHearCommit, {});
  Tick();
  Tick();
  ASSERT_EQ(Of(kHearFinal).size(), 2u);
  EXPECT_EQ(Of(kHearFinal)[1].reason, static_cast<uint32_t>(trunkline::vad::EndReason::kCommit));
  EXPECT_FALSE(Of(kHearFinal)[1].text.empty());
  Close(lane);
  CheckOrder();
}

TEST_F(HearLaneTest, ACommitBeforeTheFirstPartialIsAnsweredWithTheWordsAllTheSame) {
  TRUNKLINE_NEED_SPEECH();
  engine::OptionsBuilder options;
  const engine::LaneId lane = Open(options.Text("language", "en"));
  std::string text;
  auto clip = Clip(0, text);
  clip.resize(16000);
  busy_ticks_ = 1000;  // no pass has come back
  Say(lane, clip, 16000);
  ASSERT_TRUE(Of(kHearPartial).empty());
  engine_->Control(lane, kHearCommit, {});
  Tick();
  Tick();
  EXPECT_TRUE(Of(kHearSpeechFinal).empty()) << "nothing is known of it yet";
  busy_ticks_ = 1;
  Tick();
  Tick();
  ASSERT_EQ(Of(kHearSpeechFinal).size(), 1u);
  EXPECT_FALSE(Of(kHearSpeechFinal)[0].text.empty());
  EXPECT_EQ(Of(kHearSpeechFinal)[0].text, Of(kHearFinal)[0].text);
  Close(lane);
  CheckOrder();
}

TEST_F(HearLaneTest, ACloseSaysWhatWasStillOpen) {
  TRUNKLINE_NEED_SPEECH();
  engine::OptionsBuilder options;
  const engine::LaneId lane = Open(options.Text("language", "en"));
  std::string text;
  auto clip = Clip(0, text);
  clip.resize(3 * 16000);
  Say(lane, clip, 16000);
  Close(lane);
  ASSERT_EQ(Of(kHearFinal).size(), 1u);
  EXPECT_EQ(Of(kHearFinal)[0].reason, static_cast<uint32_t>(trunkline::vad::EndReason::kClose));
  EXPECT_FALSE(Of(kHearFinal)[0].text.empty());
  EXPECT_TRUE(engine_->idle());
}

TEST_F(HearLaneTest, AClientThatSendsAllAtOnceIsHeardWhole) {
  TRUNKLINE_NEED_SPEECH();
  engine::OptionsBuilder options;
  const engine::LaneId lane = Open(options.Text("language", "en"));
  std::string text;
  std::vector<float> speech;
  for (size_t number = 0; number < 4; ++number) {
    auto clip = Clip(number, text);
    speech.insert(speech.end(), clip.begin(), clip.end());
  }
  std::vector<int16_t> pcm(speech.size());
  for (size_t i = 0; i < pcm.size(); ++i) pcm[i] = static_cast<int16_t>(speech[i] * 32767);
  for (size_t at = 0; at < pcm.size(); at += 8000) {
    const auto piece = std::span<const int16_t>(pcm).subspan(at, std::min<size_t>(8000, pcm.size() - at));
    while (engine_->Push(lane, base::AsBytes(piece)) == Code::kFull) Tick();
  }
  engine_->Close(lane, true);
  for (int i = 0; i < 2000 && closed_.empty(); ++i) Tick();
  CheckOrder();
  const double rate = test::ErrorRate(text, FinalText());
  std::printf("all at once: word error %.3f\n", rate);
  EXPECT_LT(rate, 0.15);
}

TEST_F(HearLaneTest, ALaneThatIsDroppedInMidWordLeavesNothingBehind) {
  TRUNKLINE_NEED_SPEECH();
  engine::OptionsBuilder options;
  const engine::LaneId lane = Open(options.Text("language", "en"));
  std::string text;
  auto clip = Clip(0, text);
  clip.resize(2 * 16000);
  Say(lane, clip, 16000);
  engine_->Close(lane, false);
  for (int i = 0; i < 50 && closed_.empty(); ++i) Tick();
  ASSERT_EQ(closed_.size(), 1u);
  EXPECT_TRUE(engine_->idle());
}

TEST_F(HearLaneTest, RefusesARateThatNobodySpeaks) {
  engine::OptionsBuilder options;
  const auto opened = engine_->Open("hear", options.Number("rate", 11026).packed());
  EXPECT_EQ(opened.status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace trunkline::hear
