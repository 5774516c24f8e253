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

// This lane reports no stable words, so that letters which begin like a word are not bound to it.
TEST_F(OmniLaneTurnsTest, LettersThatAreSpelledAreNoWords) {
  for (const auto& [path, first] :
       {std::pair("an4/cen5-mjgm-b.wav", "pit"), {"an4/cen1-miry-b.wav", "yan"}}) {
    OmniScene scene;
    scene.inference_ticks = 6;
    scene.Quiet(0.4);
    scene.Say(Voice(path));
    ASSERT_TRUE(scene.Comes(kOmniFinal, 3));
    std::string letters;
    for (const char c : scene.Of(kOmniFinal)[0].text(56)) {
      if (std::isalpha(static_cast<unsigned char>(c)) != 0) letters += static_cast<char>(std::tolower(c));
    }
    EXPECT_TRUE(letters.starts_with(first)) << letters;
    EXPECT_FALSE(scene.Of(kOmniPartial).empty());
  }
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
