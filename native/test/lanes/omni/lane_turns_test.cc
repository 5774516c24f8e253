// In which language a caller is heard, and in the manner of which example.
#include <gtest/gtest.h>

#include "lanes/omni/lane.h"
#include "test/support/omni_call.h"

namespace trunkline::omni {
namespace {

using test::OmniScene;
using test::Voice;

class OmniLaneTurnsTest : public test::OmniCall {};

TEST_F(OmniLaneTurnsTest, ALanguageIsHeardFromTheNextUtteranceOn) {
  OmniScene scene;
  scene.Quiet(0.4);
  scene.Configure(kOmniLanguage, [](engine::OptionsBuilder& options) { options.Text("language", "de"); });
  scene.Say(Voice("thorsten/sample04-gt.wav"));
  ASSERT_TRUE(scene.Comes(kOmniFinal, 2));
  EXPECT_LE(test::ErrorRate("Euer Plan hat ja toll geklappt.", scene.Of(kOmniFinal)[0].text(56)), 0.4)
      << scene.Of(kOmniFinal)[0].text(56);
}

// @requirement Capture: Recognition is biased to the kind that the agent asks for, only while it asks.
// The text continues an example of the expected answer, in its style.
TEST_F(OmniLaneTurnsTest, AnswersAreWrittenInTheMannerOfAnExample) {
  OmniScene scene;
  const auto hear = [&](std::string_view before, size_t finals) {
    scene.Configure(kOmniTerms, [&](engine::OptionsBuilder& options) { options.Text("before", before); });
    scene.Quiet(0.4);
    scene.Say(Voice("an4/cen3-mcfl-b.wav"));  // "one four eight two three"
    EXPECT_TRUE(scene.Until(kOmniFinal, 3));
    EXPECT_EQ(scene.Of(kOmniFinal).size(), finals);
    return scene.Of(kOmniFinal).back().text(56);
  };
  const std::string words = hear("four one five, two six seven one. nine zero three, two two eight.", 1);
  EXPECT_NE(words.find("eight"), std::string::npos) << words;
  const std::string digits = hear("4, 1, 5, 2, 6, 7, 1. 9, 0, 3, 2, 2, 8.", 2);
  EXPECT_EQ(digits.find("eight"), std::string::npos) << digits;
  EXPECT_NE(digits.find('8'), std::string::npos) << digits;
}

}  // namespace
}  // namespace trunkline::omni
