// Tests a lane on a line whose frames come late or in bursts, or that begins to echo.
#include <gtest/gtest.h>

#include <functional>

#include "lanes/omni/lane.h"
#include "test/support/omni_call.h"

namespace trunkline::omni {
namespace {

using test::kSentence;
using test::OmniScene;
using test::Voice;

class OmniLaneLineTest : public test::OmniCall {};

// How a network, or a client that gathers frames, brings them.
struct Arrival {
  const char* name;
  std::function<int64_t(int64_t)> at;
};

std::function<int64_t(int64_t)> InBursts(int64_t every) {
  return [every](int64_t spoken) { return (spoken + every - 1) / every * every; };
}

int64_t LateByChance(int64_t spoken) {
  return spoken + static_cast<int64_t>(std::hash<int64_t>()(spoken / 20 * 7919) * 2654435761u % 200);
}

// Nothing for 300 ms of each second, then all of it.
int64_t HeldUp(int64_t spoken) {
  const int64_t in_second = (spoken + 850) % 1000;
  return in_second < 300 ? spoken + 300 - in_second : spoken;
}

std::vector<Arrival> Arrivals() {
  return {{"ten at once", InBursts(200)},
          {"twenty at once", InBursts(400)},
          {"late by up to 200 ms", LateByChance},
          {"held up for 300 ms", HeldUp}};
}

TEST_F(OmniLaneLineTest, ACallerWhoseFramesComeTogetherInterruptsToo) {
  for (const Arrival& arrival : Arrivals()) {
    OmniScene scene;
    scene.arrives = arrival.at;
    Speaking(scene, 8);
    const int64_t began = scene.now_ms();
    scene.Say(Voice("an4/an163-mfaa-b.wav"));
    scene.Quiet(0.5);
    const auto interruptions = scene.Of(kOmniInterrupted, began);
    ASSERT_EQ(interruptions.size(), 1u) << arrival.name;
    EXPECT_EQ(interruptions[0].number(4), 0u) << "a barge-in";
    EXPECT_LE(interruptions[0].at_ms - began, 1000) << arrival.name;
  }
}

TEST_F(OmniLaneLineTest, LongFormASignOfListeningWhoseFramesComeTogetherLetsTheAgentGoOn) {
  for (const Arrival& arrival : Arrivals()) {
    OmniScene scene;
    scene.arrives = arrival.at;
    Speaking(scene, 8);
    const int64_t began = scene.now_ms();
    scene.Say(Voice("an4/an96-mskh-b.wav"));
    scene.Quiet(1.5);
    EXPECT_TRUE(scene.Of(kOmniInterrupted, began).empty()) << arrival.name;
    EXPECT_TRUE(scene.Of(kOmniFinal, began).empty()) << arrival.name;
    EXPECT_EQ(scene.Of(kOmniBackchannel, began).size(), 1u) << arrival.name;
    const auto ducks = scene.Of(kOmniDuck, began);
    EXPECT_EQ(ducks.size() % 2, 0u) << arrival.name << ": the agent came up again";
  }
}

TEST_F(OmniLaneLineTest, FramesThatComeTogetherEndNoUtteranceInItsMiddle) {
  for (const Arrival& arrival : {Arrival{"a second at once", InBursts(1000)}, {"by chance", LateByChance}}) {
    OmniScene scene;
    scene.arrives = arrival.at;
    scene.Quiet(0.4);
    const int64_t began = scene.now_ms();
    scene.Say(Voice("an4/an163-mfaa-b.wav"));
    const int64_t said = scene.now_ms();
    scene.Quiet(3);
    const auto finals = scene.Of(kOmniFinal);
    ASSERT_EQ(finals.size(), 1u) << arrival.name;
    EXPECT_NE(finals[0].text(56), "") << arrival.name;
    EXPECT_GE(finals[0].real(8), static_cast<double>(began)) << arrival.name;
    // The tolerance is the lateness of the frames.
    EXPECT_NEAR(finals[0].real(16), static_cast<double>(said), 700)
        << arrival.name << ": where the words end";
  }
}

TEST_F(OmniLaneLineTest, TheAgentsOwnEchoDoesNotTakeTheTurnHoweverItComes) {
  for (const Arrival& arrival : {Arrival{"ten at once", InBursts(200)}, {"by chance", LateByChance}}) {
    OmniScene scene;
    scene.arrives = arrival.at;
    scene.echo_gain = 0.1f;
    scene.echo_delay_ms = 120;
    scene.Speak(1, kSentence);
    ASSERT_TRUE(scene.Until(kOmniPlaying, 5));
    scene.Quiet(6);
    EXPECT_TRUE(scene.Of(kOmniInterrupted).empty()) << arrival.name;
    for (const auto& final : scene.Of(kOmniFinal)) EXPECT_EQ(final.text(56), "") << arrival.name;
  }
}

TEST_F(OmniLaneLineTest, LongFormAnEchoThatAppearsInMidCallDoesNotInterrupt) {
  for (const auto& [db, delay_ms] : {std::pair{-20.0f, 120}, {-15.0f, 200}}) {
    OmniScene scene;
    Speaking(scene, 8);
    scene.Quiet(5);
    const int64_t began = scene.now_ms();
    scene.echo_gain = std::pow(10.0f, db / 20);
    scene.echo_delay_ms = delay_ms;
    scene.Quiet(8);
    EXPECT_TRUE(scene.Of(kOmniInterrupted, began).empty()) << db << " dB after " << delay_ms << " ms";
    for (const auto& final : scene.Of(kOmniFinal, began)) EXPECT_EQ(final.text(56), "");
  }
}

}  // namespace
}  // namespace trunkline::omni
