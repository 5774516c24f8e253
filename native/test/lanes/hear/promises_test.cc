// Words that are told as settled bind the final; where nobody reads them, the final is free.
#include "test/lanes/hear/lane_scene.h"

namespace trunkline::hear {
namespace {

// Letters that are spelled: the quick model takes the first ones for words.
const std::pair<const char*, const char*> kSpelled[] = {{"an4/cen5-mjes-b.wav", "newyork"},
                                                        {"an4/cen1-miry-b.wav", "yanasak"},
                                                        {"an4/cen1-fmjd-b.wav", "dowling"},
                                                        {"an4/cen5-mjgm-b.wav", "pittsburgh"}};

std::string LettersOf(const std::string& text) {
  std::string letters;
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0)
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return letters;
}

TEST_F(HearLaneTest, WordsThatAreNotPromisedBindNoFinal) {
  TRUNKLINE_NEED_SPEECH();
  busy_ticks_ = 6;
  for (const auto& [path, letters] : kSpelled) {
    events_.clear();
    closed_.clear();
    engine::OptionsBuilder options;
    options.Text("language", "en").Number("endpointing_ms", 800).Number("promises", 0);
    const engine::LaneId lane = Open(options);
    Say(lane, test::Resampled(test::ReadWav(test::Recording(path)), 16000), 16000);
    Close(lane);
    EXPECT_FALSE(Of(kHearPartial).empty()) << path;
    EXPECT_TRUE(Of(kHearStable).empty()) << path;
    EXPECT_EQ(LettersOf(FinalText()), letters);
  }
}

TEST_F(HearLaneTest, WordsThatArePromisedAreThoseOfWhichTheModelIsSure) {
  TRUNKLINE_NEED_SPEECH();
  busy_ticks_ = 6;
  engine::OptionsBuilder options;
  options.Text("language", "en").Number("endpointing_ms", 800);
  const engine::LaneId lane = Open(options);
  Say(lane, test::Resampled(test::ReadWav(test::Recording("an4/cen5-mjgm-b.wav")), 16000), 16000);
  Quiet(lane, 2, 16000);
  std::string read;
  Say(lane, Clip(1, read), 16000);
  Close(lane);
  CheckOrder();
  const auto finals = Of(kHearFinal);
  ASSERT_GE(finals.size(), 2u);
  // Bound by what two passes agree on it was “The ITTS-BU-RGH”.
  EXPECT_EQ(LettersOf(finals[0].text), "pittsburgh");
  const auto stable = Of(kHearStable);
  EXPECT_TRUE(std::any_of(stable.begin(), stable.end(),
                          [&](const Event& event) { return event.utterance > finals[0].utterance; }));
}

}  // namespace
}  // namespace trunkline::hear
