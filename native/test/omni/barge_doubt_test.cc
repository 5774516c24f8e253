// Sounds of which the voice detector is not sure.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "omni/barge_judge.h"
#include "test/omni/barge_scene.h"

namespace trunkline::omni {
namespace {

using test::Log;
using Scene = test::BargeScene;

// After a long silence the voice detector takes a third of a second to believe in a voice.
TEST(BargeDoubt, AsksForTheWordsOfAVoiceThatTheDetectorIsNotSureOf) {
  for (const auto& [words, end] : {std::pair{Words::kSaying, "cut"},
                                   {Words::kListening, "resume"},
                                   {Words::kNone, "resume"},
                                   {Words::kUnclear, "resume"}}) {
    Scene scene(BargeNormal());
    scene.answer = words;
    scene.Run(500, -70, 0.02f);
    scene.Run(500, -25, 0.25f);
    EXPECT_EQ(scene.log.at(0), "duck");
    EXPECT_EQ(scene.log.at(1), "ask");
    const auto decided =
        std::find_if(scene.log.begin() + 2, scene.log.end(), [](const auto& what) { return what != "ask"; });
    ASSERT_NE(decided, scene.log.end());
    EXPECT_EQ(*decided, end);
    EXPECT_LE(scene.times[static_cast<size_t>(decided - scene.log.begin())], 500 + 400);
  }
}

TEST(BargeDoubt, NeverCutsBecauseOfASoundThatOnlyItsLevelMakesSuspect) {
  Scene scene(BargeNormal());
  scene.answers = false;
  scene.Run(500, -70, 0.02f);
  scene.Run(3000, -25, 0.25f);
  EXPECT_EQ(scene.log, (Log{"duck", "ask", "resume"}))
      << "nobody answered, and it is not asked again of one sound";

  Scene noise(BargeNormal());
  noise.Run(500, -70, 0.02f);
  noise.Run(3000, -25, 0.05f);
  EXPECT_EQ(noise.log, Log{}) << "no voice at all";
}

TEST(BargeDoubt, ANoiseOfWhichNoWordsAreWrittenLowersNobodyAgainSoon) {
  Scene scene(BargeNormal());
  scene.answer = Words::kNone;
  scene.Run(500, -70, 0.02f);
  for (int i = 0; i < 2; ++i) scene.Run(300, -25, 0.25f), scene.Run(300, -70, 0.02f);
  EXPECT_EQ(scene.log, (Log{"duck", "ask", "resume"}));
  scene.Run(1000, -70, 0.02f);
  scene.Run(60, -25, 0.25f);
  EXPECT_EQ(scene.log.back(), "duck");
}

TEST(BargeDoubt, TakesADoubtfulSoundForAVoiceOnceTheDetectorDoes) {
  Scene scene(BargeNormal());
  scene.answers = false;
  scene.Run(500, -70, 0.02f);
  scene.Run(160, -25, 0.25f);
  scene.Run(600, -25, 0.95f);
  EXPECT_EQ(scene.log, (Log{"duck", "ask", "cut"})) << "as for any voice of which nobody knows the words";
  EXPECT_LE(scene.times.back(), 500 + 360 + 160) << "counted from its beginning";
}

}  // namespace
}  // namespace trunkline::omni
