// In which language a caller is heard.
#include <gtest/gtest.h>

#include "omni/lane.h"
#include "test/support/omni_call.h"

namespace trunkline::engine {
namespace {

using test::OmniScene;
using test::Voice;

class OmniLaneTurnsTest : public test::OmniCall {};

TEST_F(OmniLaneTurnsTest, ALanguageIsHeardFromTheNextUtteranceOn) {
  OmniScene scene;
  scene.Quiet(0.4);
  scene.Configure(kOmniLanguage, [](OptionsBuilder& options) { options.Text("language", "de"); });
  scene.Say(Voice("thorsten/sample04-gt.wav"));
  ASSERT_TRUE(scene.Comes(kOmniFinal, 2));
  EXPECT_LE(test::ErrorRate("Euer Plan hat ja toll geklappt.", scene.Of(kOmniFinal)[0].text(40)), 0.4)
      << scene.Of(kOmniFinal)[0].text(40);
}

}  // namespace
}  // namespace trunkline::engine
