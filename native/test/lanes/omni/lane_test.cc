// @requirement SIP: RTP handles order, loss, drift, NAT, SRTP, Opus, comfort noise and RTCP.
#include "lanes/omni/lane.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "lanes/omni/turn_text.h"
#include "test/support/omni_call.h"
#include "test/support/own_path.h"
#include "test/support/split_points.h"

namespace trunkline::omni {
namespace {

using test::kSentence;
using test::OmniScene;
using test::Voice;

class OmniLaneTest : public test::OmniCall {};

TEST_F(OmniLaneTest, CallerSpeechInterruptsTheAgent) {
  OmniScene scene;
  Speaking(scene);
  const int64_t began = scene.now_ms();
  scene.Say(Voice("an4/an163-mfaa-b.wav"));
  const auto ducks = scene.Of(kOmniDuck, began);
  const auto interruptions = scene.Of(kOmniInterrupted, began);
  ASSERT_FALSE(ducks.empty());
  ASSERT_EQ(interruptions.size(), 1u);
  EXPECT_EQ(interruptions[0].number(4), 0u) << "a barge-in";
  EXPECT_LE(static_cast<double>(interruptions[0].at_ms) - ducks[0].real(8), 350);
  // The played audio is what was sent before the agent was ducked.
  EXPECT_NEAR(interruptions[0].real(8), ducks[0].real(8) - scene.Of(kOmniPlaying)[0].real(8), 90);
}

// Cuts the voice at its last loud moment, so that its end is certain.
std::vector<float> BrokenOff(std::vector<float> voice) {
  size_t end = voice.size();
  while (end > 0 && std::abs(voice[end - 1]) < 0.15f) --end;
  voice.resize(end);
  return voice;
}

TEST_F(OmniLaneTest, TellsWhereTheCallerTrulyEndedNotWhereTheDetectorOfSpeechDid) {
  OmniScene scene;
  scene.Quiet(1.0);
  for (const char* name : {"an4/an163-mfaa-b.wav", "an4/cen1-mmkw-b.wav", "an4/cen3-fclc-b.wav"}) {
    const auto before = scene.Of(kOmniFinal).size();
    scene.Say(BrokenOff(Voice(name)));
    const auto ended_ms = static_cast<double>(scene.now_ms());
    scene.Quiet(2.0);
    const auto finals = scene.Of(kOmniFinal);
    ASSERT_GT(finals.size(), before) << name;
    EXPECT_NEAR(finals.back().real(16), ended_ms, 25) << name;
    EXPECT_GT(finals.back().real(24), finals.back().real(16)) << name;
  }
}

TEST_F(OmniLaneTest, ASignOfListeningLowersTheAgentAndLetsItGoOn) {
  OmniScene scene;
  Speaking(scene);
  const int64_t began = scene.now_ms();
  scene.Say(Voice("an4/an96-mskh-b.wav"));
  scene.Quiet(1.5);
  EXPECT_TRUE(scene.Of(kOmniInterrupted, began).empty());
  const auto ducks = scene.Of(kOmniDuck, began);
  ASSERT_GE(ducks.size(), 2u);
  EXPECT_EQ(ducks[0].number(0), 1u);
  EXPECT_EQ(ducks[1].number(0), 0u);
  EXPECT_EQ(scene.Of(kOmniBackchannel, began).size(), 1u);
  EXPECT_TRUE(scene.Of(kOmniFinal, began).empty());
}

TEST_F(OmniLaneTest, ACallerWhoseFramesAreLongInterruptsToo) {
  for (const int frame_ms : {100, 200, 500}) {
    OmniScene scene;
    Speaking(scene, 8);
    scene.frame_ms = frame_ms;
    const int64_t began = scene.now_ms();
    scene.Say(Voice("an4/an163-mfaa-b.wav"));
    const auto interruptions = scene.Of(kOmniInterrupted, began);
    ASSERT_EQ(interruptions.size(), 1u) << frame_ms;
    EXPECT_EQ(interruptions[0].number(4), 0u) << "a barge-in";
    EXPECT_LE(interruptions[0].at_ms - began, 1400) << frame_ms;
  }
}

TEST_F(OmniLaneTest, WhatIsToldOnceFindsRoomWhenNobodyTakesTheSound) {
  OmniScene scene;
  // The events of so many segments fit although one more frame does not.
  for (uint32_t segment = 0; segment < 20; ++segment) scene.Speak(1, kSentence, segment == 19, segment);
  ASSERT_TRUE(scene.Until(kOmniPlaying, 5));
  scene.untaken = true;
  scene.Still(16.5);
  scene.Number(kOmniInterrupt, 0);
  scene.Still(0.1);
  scene.untaken = false;
  scene.Still(0.1);
  EXPECT_EQ(scene.Of(kOmniInterrupted).size(), 1u);
}

TEST_F(OmniLaneTest, SegmentsOfAnInterruptedSpeechAreNotSpoken) {
  OmniScene scene;
  scene.Speak(1, kSentence, false);
  ASSERT_TRUE(scene.Until(kOmniPlaying, 5));
  scene.Quiet(0.5);
  scene.Number(kOmniInterrupt, 0);
  scene.Speak(1, kSentence, true, 1);
  scene.Quiet(0.1);
  ASSERT_EQ(scene.Of(kOmniInterrupted).size(), 1u);
  const size_t sounded = scene.sounded().size();
  scene.Quiet(1.5);
  EXPECT_EQ(scene.sounded().size(), sounded);
  scene.Speak(2, kSentence);
  EXPECT_TRUE(scene.Until(kOmniPlaying, 5)) << "the next speech is";
}

TEST_F(OmniLaneTest, TheAgentsOwnEchoDoesNotTakeTheTurn) {
  OmniScene scene;
  uint32_t speech = 0;
  for (const auto& [db, delay_ms] : {std::pair{-20.0f, 120}, {-30.0f, 250}, {-40.0f, 50}}) {
    scene.echo_gain = std::pow(10.0f, db / 20);
    scene.echo_delay_ms = delay_ms;
    const int64_t began = scene.now_ms();
    scene.Speak(++speech, kSentence);
    ASSERT_TRUE(scene.Until(kOmniPlaying, 5));
    scene.Quiet(6);
    EXPECT_TRUE(scene.Of(kOmniInterrupted, began).empty()) << db << " dB after " << delay_ms << " ms";
    for (const auto& final : scene.Of(kOmniFinal, began)) EXPECT_EQ(final.text(56), "");
  }
}

TEST_F(OmniLaneTest, ACallerIsHeardThroughTheEcho) {
  OmniScene scene;
  scene.echo_gain = 0.1f;
  scene.echo_delay_ms = 120;
  Speaking(scene);
  const int64_t began = scene.now_ms();
  scene.Say(Voice("an4/an163-mfaa-b.wav"));
  EXPECT_EQ(scene.Of(kOmniInterrupted, began).size(), 1u);
}

TEST_F(OmniLaneTest, SensitivitySaysWhichVoicesInterrupt) {
  const auto quiet = Voice("an4/an163-mfaa-b.wav", 0.04f);
  const auto interruptions = [&](const char* barge) {
    OmniScene scene([&](engine::OptionsBuilder& options) { options.Text("barge", barge); });
    Speaking(scene);
    const int64_t began = scene.now_ms();
    scene.Say(quiet);
    return scene.Of(kOmniInterrupted, began).size();
  };
  EXPECT_EQ(interruptions("high"), 1u);
  EXPECT_EQ(interruptions("low"), 0u);
}

TEST_F(OmniLaneTest, WhoSendsNoSilenceIsAnswered) {
  OmniScene scene;
  scene.Quiet(0.4);
  for (int question = 1; question <= 2; ++question) {
    scene.Say(Voice("an4/an167-fsrb-b.wav"));
    const int64_t said = scene.now_ms();
    scene.Still(2);
    const auto finals = scene.Of(kOmniFinal, said - 500);
    ASSERT_EQ(finals.size(), 1u);
    EXPECT_NE(finals[0].text(56), "");
    EXPECT_LE(finals[0].at_ms - said, 1200);
    EXPECT_NEAR(finals[0].real(16), static_cast<double>(said), 400) << "where the words end";
    scene.Still(20);
  }
  EXPECT_EQ(scene.Of(kOmniFinal).size(), 2u);
}

TEST_F(OmniLaneTest, AFrameThatIsLateIsNoPause) {
  OmniScene scene;
  scene.Quiet(0.4);
  const auto voice = Voice("an4/an163-mfaa-b.wav");
  const auto middle = voice.begin() + static_cast<ptrdiff_t>(voice.size() / 2);
  scene.Say({voice.begin(), middle});
  scene.Still(0.4);
  scene.Say({middle, voice.end()});
  scene.Quiet(1.5);
  EXPECT_EQ(scene.Of(kOmniFinal).size(), 1u);
}

TEST_F(OmniLaneTest, SomebodyWhoDoesNotPauseHasTheTurnUntilTheEnd) {
  std::string text;
  std::vector<float> voice;
  for (const auto& clip : test::Clips("ljspeech", "en")) {
    if (voice.size() > 32u * 16000) break;
    text += clip.text + " ";
    const auto dense = test::WithoutPauses(test::Resampled(test::ReadWav(test::Recording(clip.path)), 16000));
    voice.insert(voice.end(), dense.begin(), dense.end());
  }
  voice = test::Resampled({.rate = 16000, .samples = std::move(voice)}, OmniScene::kRate);
  OmniScene scene;
  scene.Quiet(0.4);
  const int64_t began = scene.now_ms();
  scene.Say(voice);
  EXPECT_TRUE(scene.Of(kOmniFinal).empty()) << "while the caller speaks";
  const int64_t said = scene.now_ms();
  scene.Quiet(2);
  const auto finals = scene.Of(kOmniFinal);
  ASSERT_EQ(finals.size(), 1u);
  EXPECT_NEAR(finals[0].real(8), static_cast<double>(began), 500);
  EXPECT_NEAR(finals[0].real(16), static_cast<double>(said), 300);
  EXPECT_LE(finals[0].at_ms - said, 1500);
  EXPECT_LE(test::ErrorRate(text, finals[0].text(56)), 0.25);
  const auto eagers = scene.Of(kOmniEager, said - 500);
  ASSERT_FALSE(eagers.empty());
  EXPECT_GE(eagers.back().text(56).size() * 10, finals[0].text(56).size() * 9)
      << "all of it is in the eager final";
}

TEST(TurnText, AreJoinedAndBounded) {
  TurnText words;
  EXPECT_FALSE(words.Take("", 0, 0));
  EXPECT_EQ(words.With("alone"), "alone");
  EXPECT_TRUE(words.Take("one", 100, 200));
  EXPECT_TRUE(words.Take("two", 200, 300));
  EXPECT_EQ(words.With(""), "one two");
  EXPECT_EQ(words.With("three"), "one two three");
  EXPECT_EQ(words.start_ms(), 100);
  EXPECT_EQ(words.end_ms(), 300);
  EXPECT_FALSE(words.Take(std::string(5000, 'a'), 300, 400)) << "no room";
  EXPECT_EQ(words.With(""), "one two");
  words.Clear();
  EXPECT_TRUE(words.empty());
}

TEST_F(OmniLaneTest, AnEagerEndIsTakenBackWhenTheCallerGoesOn) {
  OmniScene scene;
  scene.Quiet(0.4);
  scene.Say(Voice("an4/an100-mskh-b.wav"));
  scene.Quiet(0.1);
  scene.Say(Voice("an4/an163-mfaa-b.wav"));
  scene.Quiet(1.5);
  EXPECT_GE(scene.Of(kOmniEager).size(), 1u);
  EXPECT_EQ(scene.Of(kOmniEager).size(), scene.Of(kOmniContinued).size() + scene.Of(kOmniFinal).size());
}

// The longest silence between sounds in what was heard, in seconds.
double LongestPause(const std::vector<float>& sounded) {
  size_t longest = 0, last = 0;
  for (size_t i = 0; i < sounded.size(); ++i) {
    if (std::abs(sounded[i]) < 0.01f) continue;
    if (last > 0) longest = std::max(longest, i - last);
    last = i;
  }
  return static_cast<double>(longest) / OmniScene::kRate;
}

TEST_F(OmniLaneTest, ASpeechPausesBetweenItsSegmentsAsBetweenTheClausesOfOneText) {
  const auto pause = [](const std::vector<std::string>& texts) {
    OmniScene scene;
    for (size_t i = 0; i < texts.size(); ++i) {
      scene.Speak(1, texts[i], i + 1 == texts.size(), static_cast<uint32_t>(i));
    }
    EXPECT_TRUE(scene.Until(kOmniPlayed, 10));
    return LongestPause(scene.sounded());
  };
  const double whole = pause({"We are open. Come in."});
  EXPECT_GT(whole, 0.25);
  EXPECT_NEAR(pause({"We are open.", "Come in."}), whole, 0.06);
  EXPECT_LT(pause({"We are open,", "come in."}), whole - 0.1);
}

// A recognizer that opens and then fails at every utterance: by its settings its decoder has a layer less, so
// that it is not given all it asks for.
std::string BrokenRecognizer() {
  namespace fs = std::filesystem;
  const fs::path whole = fs::path(test::ModelFile("whisper-base/encoder.onnx")).parent_path();
  const fs::path broken = fs::path(test::OwnPath("broken-recognizer"));
  fs::remove_all(broken);
  fs::create_directories(broken);
  for (const auto& file : fs::directory_iterator(whole)) {
    fs::create_symlink(file.path(), broken / file.path().filename());
  }
  std::ifstream in(whole / "whisper.conf");
  fs::remove(broken / "whisper.conf");
  std::ofstream out(broken / "whisper.conf");
  bool changed = false;
  for (std::string line; std::getline(in, line);) {
    const bool layers = line == "layers 6";
    changed = changed || layers;
    out << (layers ? "layers 5" : line) << "\n";
  }
  EXPECT_TRUE(changed);
  return broken.string();
}

TEST_F(OmniLaneTest, AnUtteranceWhoseRecognitionFailsIsToldAsLostAndTheCallGoesOn) {
  OmniScene scene({}, BrokenRecognizer());
  scene.Quiet(0.4);
  for (size_t time = 1; time <= 2; ++time) {
    const auto voice = Voice("an4/an100-mskh-b.wav");
    const int64_t began = scene.now_ms();
    scene.Say(voice);
    scene.Quiet(1.5);
    const auto lost = scene.Of(kOmniLost, began);
    ASSERT_EQ(lost.size(), 1u);
    EXPECT_EQ(lost[0].number(0), time);
    EXPECT_GE(lost[0].real(8), static_cast<double>(began)) << "its start";
    EXPECT_GT(lost[0].real(16), lost[0].real(8)) << "its end";
    EXPECT_GE(lost[0].real(24), lost[0].real(16)) << "the endpoint";
    EXPECT_FALSE(lost[0].text(56).empty()) << "what went wrong";
  }
  EXPECT_TRUE(scene.Of(kOmniFinal).empty());
  EXPECT_TRUE(scene.Of(kOmniEager).empty());
}

TEST_F(OmniLaneTest, WhatIsLostInTheMiddleOfALongTurnIsToldAtItsEnd) {
  std::vector<float> voice;
  for (const auto& clip : test::Clips("ljspeech", "en")) {
    if (voice.size() > 18u * 16000) break;
    const auto dense = test::WithoutPauses(test::Resampled(test::ReadWav(test::Recording(clip.path)), 16000));
    voice.insert(voice.end(), dense.begin(), dense.end());
  }
  OmniScene scene({}, BrokenRecognizer());
  scene.Quiet(0.4);
  scene.Say(test::Resampled({.rate = 16000, .samples = std::move(voice)}, OmniScene::kRate));
  EXPECT_TRUE(scene.Of(kOmniLost).empty()) << "while the caller speaks";
  scene.Quiet(2);
  EXPECT_EQ(scene.Of(kOmniLost).size(), 1u);
  EXPECT_TRUE(scene.Of(kOmniFinal).empty());
}

TEST_F(OmniLaneTest, WhatIsLostUnderTheAgentsVoiceTakesNoTurn) {
  OmniScene scene({}, BrokenRecognizer());
  Speaking(scene);
  const int64_t began = scene.now_ms();
  scene.Say(Voice("an4/an96-mskh-b.wav"));
  scene.Quiet(1.5);
  EXPECT_TRUE(scene.Of(kOmniInterrupted, began).empty());
  EXPECT_TRUE(scene.Of(kOmniLost, began).empty());
  const auto finals = scene.Of(kOmniFinal, began);
  ASSERT_EQ(finals.size(), 1u);
  EXPECT_EQ(finals[0].text(56), "");
}

}  // namespace
}  // namespace trunkline::omni
