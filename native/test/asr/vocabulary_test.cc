// @requirement Hear: A vocabulary changes recognition where it is active.
#include "asr/vocabulary.h"

#include <gtest/gtest.h>

#include "asr/text_search.h"
#include "test/asr/models.h"
#include "test/support/speech.h"

namespace trunkline::asr {
namespace {

// A token for each byte, and no others.
const text::ByteTokens& Bytes() {
  static const text::ByteTokens tokens = [] {
    std::vector<uint8_t> file = {'T', 'L', 'T', 'K', 1, 0, 0, 0, 0, 1, 0, 0};
    for (int byte = 0; byte < 256; ++byte) {
      for (const int part : {0, 1, 0, byte}) file.push_back(static_cast<uint8_t>(part));
    }
    file.insert(file.end(), 4, 0);  // no merges
    auto parsed = text::ByteTokens::Parse(file);
    EXPECT_TRUE(parsed.ok()) << parsed.status().ToString();
    return *parsed;
  }();
  return tokens;
}

Vocabulary Of(std::vector<Term> terms) {
  return Vocabulary(terms, Bytes());
}

std::vector<Word> Words(std::initializer_list<std::pair<const char*, float>> words) {
  std::vector<Word> out;
  double at = 0;
  for (const auto& [text, logprob] : words) {
    out.push_back({text, at, at + 0.4, logprob});
    at += 0.5;
  }
  return out;
}

std::string Repaired(const Vocabulary& vocabulary, std::vector<Word> words, Language language = Language::kEn,
                     size_t stable = 0) {
  for (size_t at = stable; const auto repair = vocabulary.FindRepair(language, at, words);) {
    Vocabulary::Apply(*repair, words);
    at = repair->at + 1;
  }
  return TextOf(words);
}

constexpr float kSure = -0.05f, kUnsure = -0.9f;

struct Raised {
  std::vector<float> logits;
  explicit Raised(float all) : logits(256, all) {}
  void By(const Vocabulary& vocabulary, const Vocabulary::Progress& progress, Language language) {
    vocabulary.Raise(progress, language, logits, lifts);
  }
  std::vector<Vocabulary::Lift> lifts;
  float operator[](char c) const { return logits[static_cast<uint8_t>(c)]; }
};

TEST(Vocabulary, LeavesWordsThatItMightMendUnstable) {
  const Vocabulary vocabulary = Of({{"Siobhan", {"Shivonn"}}});
  const auto before = [&](std::vector<std::string> words, size_t stable = 0) {
    return vocabulary.BeforeMendable(Language::kEn, stable, words);
  };
  EXPECT_EQ(before({"speak", "with", "Shivan", "about"}), 2u);
  EXPECT_EQ(before({"speak", "with", "Siobhan", "about"}), 4u) << "right already";
  EXPECT_EQ(before({"speak", "with", "Shivan", "about"}, 3), 4u) << "stable before";
  EXPECT_EQ(before({"speak", "with", "nobody"}), 3u);
}

TEST(Vocabulary, WritesWordsThatAreATermButForCaseAsTheTermIs) {
  const Vocabulary vocabulary = Of({{"PrinTing", {}}, {"Alder RIDGE", {}}, {"Siobhan", {"Shivonn"}}});
  using Lines = std::vector<std::string>;
  const auto written = [&](Lines words, const Lines& stable = {}) {
    vocabulary.WriteTerms(Language::kEn, stable, words);
    return words;
  };
  EXPECT_EQ(written({"Printing,", "in", "alder", "ridge."}), (Lines{"PrinTing,", "in", "Alder", "RIDGE."}));
  EXPECT_EQ(written({"shivonn", "alder", "ridges"}), (Lines{"shivonn", "alder", "ridges"})) << "sounds alone";
  EXPECT_EQ(written({}), Lines{});
  EXPECT_EQ(written({"printing", "in"}, {"PrinTing"}), (Lines{"PrinTing", "in"})) << "as it is stable";
  EXPECT_EQ(written({"books", "printing"}, {"book"}), (Lines{"books", "PrinTing"})) << "disagrees";
}

TEST(Vocabulary, RaisesWhatBeginsATermAndMoreWhatContinuesIt) {
  const Vocabulary vocabulary = Of({{"Zyx", {}}});
  Vocabulary::Progress progress;
  Raised begin(0);
  begin.By(vocabulary, progress, Language::kEn);
  EXPECT_GT(begin[' '], 0) << "a term begins with its space";
  EXPECT_EQ(begin['Z'], 0) << "not in the middle of a term";
  vocabulary.Advance(progress, ' ', 1);
  Raised next(0);
  next.By(vocabulary, progress, Language::kEn);
  EXPECT_GT(next['Z'], begin[' ']);
  EXPECT_EQ(next['y'], 0);
  vocabulary.Advance(progress, 'Z', 1);
  Raised after(0);
  after.By(vocabulary, progress, Language::kEn);
  EXPECT_GT(after['y'], 0);
  vocabulary.Advance(progress, 'q', 0);
  Raised lost(0);
  lost.By(vocabulary, progress, Language::kEn);
  EXPECT_EQ(lost['x'], 0) << "a term that was not said goes no further";
}

TEST(Vocabulary, RaisesNothingThatWasFarFromBeingSaid) {
  const Vocabulary vocabulary = Of({{"Zyx", {}}});
  Raised raised(0);
  raised.logits[' '] = -30;
  raised.By(vocabulary, {}, Language::kEn);
  EXPECT_EQ(raised[' '], -30);
}

TEST(Vocabulary, ATermThatIsLeftGivesBackWhatItWasLent) {
  const Vocabulary vocabulary = Of({{"ab", {}}, {"zy", {}}});
  Vocabulary::Progress progress;
  EXPECT_EQ(vocabulary.Advance(progress, ' ', 2), 0);
  EXPECT_EQ(vocabulary.Advance(progress, 'a', 3), 0);
  EXPECT_EQ(vocabulary.Advance(progress, 'q', 0), 5) << "left in its middle";
  EXPECT_EQ(vocabulary.Advance(progress, 'q', 0), 0) << "once";
  EXPECT_EQ(vocabulary.Advance(progress, ' ', 2), 0);
  EXPECT_EQ(vocabulary.Advance(progress, 'a', 3), 0);
  EXPECT_EQ(vocabulary.Advance(progress, 'b', 3), 0);
  EXPECT_EQ(vocabulary.Advance(progress, 'q', 0), 0) << "it was said to its end";
  EXPECT_EQ(vocabulary.Advance(progress, ' ', 2), 0);
  EXPECT_EQ(vocabulary.Advance(progress, ' ', 2), 2) << "what leaves one begins another";
  EXPECT_EQ(vocabulary.Advance(progress, 'z', 3), 0);
}

// A model that is nearly sure of " kerm", and a term " kowa" of which only the beginning sounds alike.
TEST(Vocabulary, ATermThatIsNotSaidLeavesNoSyllableBehind) {
  const Vocabulary vocabulary = Of({{"kowa", {}}});
  const TokenRules rules(Bytes(), WhisperSettings(), 255);
  const std::string said = " kerm";
  const auto odds = [&](const std::string& before) {
    std::vector<float> logits(256, -12.0f);
    if (before == " k") {
      logits['e'] = 0;
      logits['o'] = -2;
    } else if (before == " ko") {
      logits['r'] = 0;  // the model leaves the term as soon as it can
      logits['w'] = -7;
    } else if (said.starts_with(before) && before.size() < said.size()) {
      logits[static_cast<uint8_t>(said[before.size()])] = 0;
    } else {
      logits[255] = 0;
    }
    return logits;
  };
  const auto listen = [&](size_t width) {
    TextSearch search;
    Chance chance(0);
    search.Begin(
        {.width = width, .end_of_text = 255, .max_tokens = 20, .rules = &rules, .vocabulary = &vocabulary},
        {}, chance);
    std::vector<std::string> texts = {""};
    while (true) {
      std::vector<float> logits;
      for (const std::string& text : texts) {
        const auto row = odds(text);
        logits.insert(logits.end(), row.begin(), row.end());
      }
      if (search.Advance(logits)) return Bytes().Decode(search.best().tokens);
      std::vector<std::string> next;
      for (size_t i = 0; i < search.open(); ++i) {
        next.push_back(texts[search.parents()[i]] + static_cast<char>(search.tokens()[i]));
      }
      texts = next;
    }
  };
  EXPECT_EQ(listen(5), said);
}

TEST(Vocabulary, NeverRaisesAnotherScript) {
  const Vocabulary hindi = Of({{"दिल्ली", {}}}), latin = Of({{"Delhi", {}}});
  Raised english(0), devanagari(0), own(0);
  english.By(hindi, {}, Language::kEn);
  devanagari.By(latin, {}, Language::kHi);
  EXPECT_EQ(english.logits, std::vector<float>(256, 0.0f));
  EXPECT_EQ(devanagari.logits, std::vector<float>(256, 0.0f));
  own.By(hindi, {}, Language::kHi);
  EXPECT_GT(own[' '], 0);
}

TEST(Vocabulary, AnUnsureWordThatSoundsLikeATermBecomesIt) {
  const Vocabulary vocabulary = Of({{"Trunkline", {}}, {"Zyrtec", {"sir tech"}}});
  EXPECT_EQ(Repaired(vocabulary, Words({{"call", kSure}, {"trunk", kUnsure}, {"lime,", kUnsure}})),
            "call Trunkline,");
  EXPECT_EQ(
      Repaired(vocabulary, Words({{"take", kSure}, {"sir", kUnsure}, {"tech", kUnsure}, {"now", kSure}})),
      "take Zyrtec now");
}

TEST(Vocabulary, AWordBesideATermIsNotSwallowed) {
  const Vocabulary vocabulary = Of({{"woodcutters", {}}, {"Gutenberg", {}}, {"cbwxv", {}}});
  EXPECT_EQ(Repaired(vocabulary, Words({{"woodcutters", kUnsure}, {"of", kUnsure}, {"old", kSure}})),
            "woodcutters of old");
  EXPECT_EQ(Repaired(vocabulary, Words({{"Gutenburg", kUnsure}, {"or", kUnsure}})), "Gutenberg or");
  EXPECT_EQ(Repaired(vocabulary, Words({{"cbwxv4", kUnsure}})), "cbwxv4") << "digits are not part of it";
}

TEST(Vocabulary, WordsThatWereSureOrStableStay) {
  const Vocabulary vocabulary = Of({{"Trunkline", {}}});
  EXPECT_EQ(Repaired(vocabulary, Words({{"trunk", kSure}, {"lime", kSure}})), "trunk lime");
  EXPECT_EQ(Repaired(vocabulary, Words({{"trunk", kUnsure}, {"lime", kUnsure}}), Language::kEn, 2),
            "trunk lime");
  EXPECT_EQ(Repaired(vocabulary, Words({{"banana", kUnsure}, {"bread", kUnsure}})), "banana bread");
}

TEST(Vocabulary, ATermThatWasHeardIsWrittenAsTheCustomerWritesIt) {
  const Vocabulary vocabulary = Of({{"iPhone", {}}});
  EXPECT_EQ(Repaired(vocabulary, Words({{"my", kSure}, {"Iphone.", kSure}})), "my iPhone.");
}

TEST(Vocabulary, ARepairKeepsTheTimesOfWhatWasSaid) {
  const Vocabulary vocabulary = Of({{"Trunkline", {}}});
  std::vector<Word> words = Words({{"call", kSure}, {"trunk", kUnsure}, {"line", kUnsure}, {"now", kSure}});
  const auto repair = vocabulary.FindRepair(Language::kEn, 0, words);
  ASSERT_TRUE(repair);
  Vocabulary::Apply(*repair, words);
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(words[1].start, 0.5);
  EXPECT_EQ(words[1].end, 1.4);
}

TEST(Vocabulary, NeverRepairsIntoAnotherScript) {
  // A Latin term that is told to sound like a Devanagari word, and the other way round.
  const Vocabulary vocabulary = Of({{"Delhi", {"दिल्ली"}}, {"मुंबई", {"Mumbai"}}});
  EXPECT_EQ(Repaired(vocabulary, Words({{"दिल्ली", kUnsure}}), Language::kHi), "दिल्ली");
  EXPECT_EQ(Repaired(vocabulary, Words({{"Mumbai", kUnsure}})), "Mumbai");
  EXPECT_EQ(Repaired(vocabulary, Words({{"delly", kUnsure}})), "Delhi");
}

// Words that only sound like a term stay: somebody says "Pues como no".
TEST(Vocabulary, ATermThatNobodySaidIsNotWritten) {
  TRUNKLINE_NEED_WHISPER();
  TRUNKLINE_NEED_SPEECH();
  const std::string path = test::Recording("watson_stt_demo/es-ES_Narrowband_sample2.wav");
  const auto samples = test::Resampled(test::ReadWav(path), 16000);
  ASSERT_GT(samples.size(), 388800u);
  const auto said = std::span(samples).subspan(352000, 35200);
  const std::vector<Term> terms = {{"Qumulo", {"Kumulo"}}};
  const auto vocabulary = std::make_shared<const Vocabulary>(terms, SharedWhisper()->tokens());
  Transcriber transcriber(SharedWhisper());
  const Transcript plain = Heard(transcriber, said, {.language = Language::kEs, .width = 5});
  const auto repair = vocabulary->FindRepair(Language::kEs, 0, plain.words);
  ASSERT_TRUE(repair) << "it does not sound like the term any more: " << plain.text;
  const Transcript heard =
      Heard(transcriber, said, {.language = Language::kEs, .width = 5, .vocabulary = vocabulary});
  EXPECT_EQ(heard.text.find("Qumulo"), std::string::npos) << heard.text;
}

// And one that was said and heard as another word is.
TEST(Vocabulary, ATermThatWasSaidIsWritten) {
  TRUNKLINE_NEED_WHISPER();
  TRUNKLINE_NEED_SPEECH();
  const auto samples = test::Resampled(test::ReadWav(test::Recording("an4/cen5-ftmj-b.wav")), 16000);
  ASSERT_FALSE(samples.empty());
  const std::vector<Term> terms = {{"Swissvale", {}}};
  const auto vocabulary = std::make_shared<const Vocabulary>(terms, SharedWhisper()->tokens());
  Transcriber transcriber(SharedWhisper());
  const Transcript plain = Heard(transcriber, samples, {.language = Language::kEn, .width = 5});
  EXPECT_EQ(plain.text.find("Swissvale"), std::string::npos) << plain.text;
  const Transcript heard =
      Heard(transcriber, samples, {.language = Language::kEn, .width = 5, .vocabulary = vocabulary});
  EXPECT_NE(heard.text.find("Swissvale"), std::string::npos) << plain.text << " | " << heard.text;
}

TEST(Vocabulary, IsHeardAndChangesNeitherLanguageNorScript) {
  TRUNKLINE_NEED_WHISPER();
  TRUNKLINE_NEED_SPEECH();
  const auto clips = test::Clips("ljspeech", "en");
  ASSERT_FALSE(clips.empty());
  const auto samples = test::Resampled(test::ReadWav(test::Recording(clips[0].path)), 16000);
  const auto five = std::span(samples).first(std::min<size_t>(samples.size(), 80000));
  Transcriber transcriber(SharedWhisper());
  const std::vector<Term> terms = {
      {"प्रिंटिंग", {}}, {"concern", {}}, {"Druckerei", {}}, {"imprimerie", {}}, {"presente", {}}};
  const auto vocabulary = std::make_shared<const Vocabulary>(terms, SharedWhisper()->tokens());
  const Transcript plain = Heard(transcriber, five, {});
  const Transcript nudged = Heard(transcriber, five, {.width = 5, .vocabulary = vocabulary});
  EXPECT_EQ(plain.language, Language::kEn);
  EXPECT_EQ(nudged.language, Language::kEn);
  for (const char c : nudged.text) EXPECT_LT(static_cast<uint8_t>(c), 0x80) << nudged.text;
  const Transcript hindi = Heard(transcriber, five, {.language = Language::kHi, .vocabulary = vocabulary});
  for (const char c : hindi.text) EXPECT_FALSE(std::isalpha(static_cast<uint8_t>(c))) << hindi.text;
}

}  // namespace
}  // namespace trunkline::asr
