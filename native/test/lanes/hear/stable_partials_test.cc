// Stable words bind the final. Where nobody reads them, the final is decoded freely.
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

TEST_F(HearLaneTest, LongFormWordsThatAreNotReportedAsStableBindNoFinal) {
  TRUNKLINE_NEED_SPEECH();
  busy_ticks_ = 6;
  for (const auto& [path, letters] : kSpelled) {
    events_.clear();
    closed_.clear();
    engine::OptionsBuilder options;
    options.Text("language", "en").Number("endpointing_ms", 800).Number("stable_partials", 0);
    const engine::LaneId lane = Open(options);
    Say(lane, test::Resampled(test::ReadWav(test::Recording(path)), 16000), 16000);
    Close(lane);
    EXPECT_FALSE(Of(kHearPartial).empty()) << path;
    EXPECT_TRUE(Of(kHearStable).empty()) << path;
    EXPECT_EQ(LettersOf(FinalText()), letters);
  }
}

TEST_F(HearLaneTest, StableWordsAreThoseOfTheRecognizerOfFinals) {
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
  // The quick recognizer writes “The ITTS-BU-RGH”.
  EXPECT_EQ(LettersOf(finals[0].text), "pittsburgh");
}

class HearStableWordsTest : public HearLaneTest {
 protected:
  // Each inference takes 0.3 s; with partials or without.
  void CheckStableWords(const std::vector<float>& speech, const std::string& text, int partials,
                        double max_errors) {
    busy_ticks_ = 30;
    events_.clear();
    closed_.clear();
    engine::OptionsBuilder options;
    options.Number("endpointing_ms", 3000).Number("partials", partials);
    if (partials == 1) options.Text("language", "en");
    const engine::LaneId lane = Open(options);
    int64_t last_ms = clock_->Now() / base::kNanosPerMilli, longest_ms = 0;
    Say(lane, speech, 16000);
    const int64_t end_ms = clock_->Now() / base::kNanosPerMilli;
    Close(lane);
    CheckOrder();
    size_t stable = 0;
    for (const Event& event : events_) {
      if (event.at_ms > end_ms || event.text.empty()) continue;
      stable += event.type == kHearStable;
      if (event.type != kHearStable && event.type != kHearFinal) continue;
      longest_ms = std::max(longest_ms, event.at_ms - last_ms);
      last_ms = event.at_ms;
    }
    EXPECT_GE(stable, 3u) << partials;
    EXPECT_LE(longest_ms, 5000) << partials;
    const double rate = test::ErrorRate(text, FinalText());
    std::printf("%zu events of stable words, at most %lld ms apart, word error %.3f\n", stable,
                static_cast<long long>(longest_ms), rate);
    EXPECT_LE(rate, max_errors) << partials;
  }
};

TEST_F(HearStableWordsTest, LongFormWhoNeverPausesGetsStableWordsEveryFiveSeconds) {
  TRUNKLINE_NEED_SPEECH();
  std::string text;
  std::vector<float> speech;
  for (size_t number = 0; number < 6; ++number) {
    const auto clip = test::WithoutPauses(Clip(number, text));
    speech.insert(speech.end(), clip.begin(), clip.end());
  }
  ASSERT_GT(speech.size(), 20u * 16000);
  for (const int partials : {1, 0}) CheckStableWords(speech, text, partials, 0.15);
}

// Letters become stable only when all of them are there, however slowly they come.
TEST_F(HearLaneTest, LongFormNothingBecomesStableWithinLettersThatAreSpelled) {
  TRUNKLINE_NEED_SPEECH();
  busy_ticks_ = 6;
  for (const char* path : {"an4/cen5-mdcs2-b.wav", "an4/cen1-mdxs-b.wav", "an4/cen4-mjjs2-b.wav"}) {
    events_.clear();
    closed_.clear();
    engine::OptionsBuilder options;
    options.Text("language", "en").Number("endpointing_ms", 1500);
    const engine::LaneId lane = Open(options);
    Say(lane, test::Resampled(test::ReadWav(test::Recording(path)), 16000), 16000);
    Close(lane);
    EXPECT_TRUE(Of(kHearStable).empty()) << path << ": " << Of(kHearStable)[0].text;
    EXPECT_FALSE(FinalText().empty());
  }
}

}  // namespace
}  // namespace trunkline::hear
