#include "lanes/hear/transcribe_job.h"

#include <gtest/gtest.h>

#include "asr/asr.h"
#include "test/support/hear_engine.h"

namespace trunkline::hear {
namespace {

using base::Code;

constexpr size_t kRate = 16000;

struct RecognizedText {
  std::string language, text;
  double start = 0, end = 0;
  std::vector<double> times;
};

struct Piece {
  uint32_t used = 0;
  std::vector<RecognizedText> texts;

  std::string text() const { return texts.empty() ? "" : texts[0].text; }
};

class TranscribeJobTest : public test::HearEngineTest {
 protected:
  void SetUp() override {
    engine::Kinds kinds;
    kinds.AddJob(MakeTranscribeKind());
    Make(std::move(kinds));
  }

  base::Result<uint32_t> Submit(std::span<const float> samples, engine::OptionsBuilder& options) {
    std::vector<uint8_t> input(samples.size() * 2);
    for (size_t i = 0; i < samples.size(); ++i) {
      base::Store(input.data() + 2 * i,
                  static_cast<int16_t>(std::lround(std::clamp(samples[i], -1.0f, 1.0f) * 32767)));
    }
    return engine_->Submit("transcribe", options.packed(), std::move(input));
  }

  Piece Transcribe(std::span<const float> samples, engine::OptionsBuilder& options) {
    const auto job = Submit(samples, options);
    EXPECT_TRUE(job.ok()) << job.status().ToString();
    RunAll();
    Piece piece;
    engine::Chunk chunk;
    EXPECT_TRUE(engine_->Take(*job, chunk));
    base::ByteReader reader(chunk);
    piece.used = reader.Read<uint32_t>();
    while (reader.ok() && reader.remaining() > 0) {
      RecognizedText& said = piece.texts.emplace_back();
      const uint32_t language = reader.Read<uint32_t>();
      if (language != 255) said.language = asr::kLanguageCodes[language];
      said.start = reader.Read<double>();
      said.end = reader.Read<double>();
      said.text = std::string(base::AsText(reader.ReadBytes(reader.Read<uint32_t>())));
      said.times.resize(reader.Read<uint32_t>());
      for (double& start : said.times) {
        start = reader.Read<float>();
        reader.Read<float>();
        reader.ReadBytes(reader.Read<uint16_t>());
      }
    }
    EXPECT_TRUE(reader.ok());
    EXPECT_FALSE(engine_->Take(*job, chunk)) << "one chunk a piece";
    Code ended = Code::kInternal;
    for (const auto& record : test::DrainAll(*engine_)) {
      if (record.type == engine::kJobEndEvent) ended = record.code();
    }
    EXPECT_EQ(ended, Code::kOk);
    return piece;
  }
};

std::vector<float> Clips(size_t count, std::string& text, double gap_s) {
  std::vector<float> out;
  const auto clips = test::Clips("ljspeech", "en");
  for (size_t i = 0; i < count; ++i) {
    const auto clip = test::Resampled(test::ReadWav(test::Recording(clips[i % clips.size()].path)), kRate);
    out.insert(out.end(), clip.begin(), clip.end());
    out.insert(out.end(), static_cast<size_t>(gap_s * kRate), 0.0f);
    text += clips[i % clips.size()].text + " ";
  }
  return out;
}

TEST_F(TranscribeJobTest, SilenceIsNobodyAndIsUsedWhole) {
  engine::OptionsBuilder options;
  const std::vector<float> silence(5 * kRate, 0.0f);
  const Piece piece = Transcribe(silence, options);
  ASSERT_EQ(piece.texts.size(), 1u);
  EXPECT_EQ(piece.texts[0].language, "");
  EXPECT_EQ(piece.texts[0].text, "");
  EXPECT_TRUE(piece.texts[0].times.empty());
  EXPECT_EQ(piece.used, silence.size());
}

TEST_F(TranscribeJobTest, HearsOneUtteranceInItsPlace) {
  TRUNKLINE_NEED_SPEECH();
  std::string text;
  std::vector<float> samples(3 * kRate, 0.0f);
  const auto clip = Clips(1, text, 1);
  samples.insert(samples.end(), clip.begin(), clip.end());
  engine::OptionsBuilder options;
  const Piece piece = Transcribe(samples, options);
  ASSERT_EQ(piece.texts.size(), 1u);
  const RecognizedText& said = piece.texts[0];
  EXPECT_EQ(said.language, "en") << "found by itself";
  EXPECT_NEAR(said.start, 2, 0.4) << "with a second of room before";
  EXPECT_GT(said.end, said.start);
  const auto words = test::ScoredWords(text);
  EXPECT_LT(test::WordErrors(words, test::ScoredWords(said.text)), words.size() / 4);
  EXPECT_GT(said.times.size(), 5u);
}

TEST_F(TranscribeJobTest, WordsThatAreRepeatedDoNotEndTheText) {
  TRUNKLINE_NEED_SPEECH();
  std::vector<float> samples;
  for (int i = 0; i < 8; ++i) {
    constexpr const char* kNo[] = {"an4/an178-mjjs2-b.wav", "an4/an402-mdms2-b.wav", "an4/an6-fjmd-b.wav",
                                   "an4/an67-meht-b.wav"};
    const auto no = test::Resampled(test::ReadWav(test::Recording(kNo[i % 4])), kRate);
    samples.insert(samples.end(), no.begin(), no.end());
  }
  std::string text;
  const auto clip = Clips(1, text, 0.5);
  samples.insert(samples.end(), clip.begin(), clip.end());
  engine::OptionsBuilder options;
  options.Text("language", "en");
  const auto heard = test::ScoredWords(Transcribe(samples, options).text());
  EXPECT_GE(std::count(heard.begin(), heard.end(), "no"), 6);
  const auto said = test::ScoredWords(text);
  const auto after = std::vector<std::string>(
      heard.end() - static_cast<ptrdiff_t>(std::min(heard.size(), said.size())), heard.end());
  EXPECT_LE(test::WordErrors(said, after), said.size() / 4);
}

// A long recording is a row of jobs: each says where the next begins, nothing is read twice or left out.
TEST_F(TranscribeJobTest, APieceAfterTheOtherHearsTheWholeRecordingOnce) {
  TRUNKLINE_NEED_SPEECH();
  std::string text;
  const std::vector<float> samples = Clips(7, text, 0.4);
  ASSERT_GT(samples.size(), 35 * kRate);
  std::string heard;
  double last_end = 0;
  for (size_t at = 0; at < samples.size();) {
    const size_t count = std::min<size_t>(samples.size() - at, 40 * kRate);
    engine::OptionsBuilder options;
    options.Text("language", "en").Number("last", at + count == samples.size() ? 1 : 0);
    const Piece piece = Transcribe(std::span(samples).subspan(at, count), options);
    ASSERT_GT(piece.used, 0u) << "a piece that uses nothing is asked for for ever";
    ASSERT_LE(piece.used, count);
    const double offset = static_cast<double>(at) / kRate;
    ASSERT_EQ(piece.texts.size(), 1u);
    EXPECT_GE(offset + piece.texts[0].start, last_end - 1e-6);
    last_end = offset + piece.texts[0].end;
    heard += piece.text() + " ";
    at += piece.used;
  }
  const auto words = test::ScoredWords(text);
  const double rate = static_cast<double>(test::WordErrors(words, test::ScoredWords(heard))) /
                      static_cast<double>(words.size());
  std::printf("%.0f s in pieces: word error %.3f\n", static_cast<double>(samples.size()) / kRate, rate);
  EXPECT_LT(rate, 0.15);
}

struct Sentence {
  std::string path, language, text;
  double before = 0;  // seconds of silence
};

const std::string kPrinting =
    "For although the Chinese took impressions from wood blocks engraved in relief for centuries before the "
    "woodcutters of the Netherlands, by a similar process";
const std::string kModern = "in being comparatively modern.";
const std::string kSand = "Las arenas son blanquecinas de grano medio y tiene muy poca pendiente";
const std::string kSorry = "Lo siento, no comprendí su respuesta.";
const std::string kAccount = "Der Betrag ist an das Konto mit der unten stehenden Nummer zu entrichten.";
const std::string kBusy =
    "All representatives of the household are currently assisting other telemarketers. Please hold and your "
    "call "
    "will be answered in the order it was received.";
const std::string kNext =
    "Your call is now first in line and will be answered by the next available representative.";
const std::string kPlan = "We zullen de uitkomsten op deze werkterreinen afwachten.";
const std::string kBookings = "And it is worth mention in passing that, as an example of fine typography,";

class SeveralLanguages : public TranscribeJobTest,
                         public ::testing::WithParamInterface<std::vector<Sentence>> {};

// No sentence is lost or written in another's language, and times stay those of the recording.
TEST_P(SeveralLanguages, EachIsWrittenInItsOwn) {
  TRUNKLINE_NEED_SPEECH();
  std::vector<float> samples;
  std::vector<double> starts;
  std::vector<std::pair<std::string, std::string>> said;
  for (const auto& [path, language, text, before] : GetParam()) {
    samples.insert(samples.end(), static_cast<size_t>(before * kRate), 0.0f);
    const auto clip = test::Resampled(test::ReadWav(test::Recording(path)), kRate);
    const bool goes_on = !said.empty() && said.back().first == language;
    if (!goes_on) {
      starts.push_back(static_cast<double>(samples.size()) / kRate);
      said.push_back({language, ""});
    }
    said.back().second += text + " ";
    samples.insert(samples.end(), clip.begin(), clip.end());
  }
  engine::OptionsBuilder options;
  const Piece piece = Transcribe(samples, options);
  EXPECT_EQ(piece.used, samples.size());
  ASSERT_EQ(piece.texts.size(), said.size());
  for (size_t i = 0; i < said.size(); ++i) {
    const RecognizedText& text = piece.texts[i];
    EXPECT_EQ(text.language, said[i].first);
    EXPECT_LT(test::ErrorRate(said[i].second, text.text), 0.35) << text.text;
    ASSERT_FALSE(text.times.empty());
    // Some of the clips begin with a second of silence.
    EXPECT_GE(text.times.front(), starts[i] - 0.2);
    EXPECT_LE(text.times.front(), starts[i] + 1);
    EXPECT_LE(text.times.back(), text.end);
    if (i > 0) EXPECT_GE(text.start, piece.texts[i - 1].end - 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Recordings, SeveralLanguages,
    ::testing::Values(std::vector<Sentence>{{"ljspeech/LJ001-0003.wav", "en", kPrinting},
                                            {"picovoice_leopard/leopard_test_es.wav", "es", kSand}},
                      std::vector<Sentence>{{"asterisk_en/queue-youarenext.wav", "en", kNext},
                                            {"picovoice_leopard/leopard_test_es.wav", "es", kSand, 1.6}},
                      std::vector<Sentence>{
                          {"asterisk_en/tt-allbusy.wav", "en", kBusy},
                          {"thorsten/125b660d37dc16ec21d28eac29e80bcb.wav", "de", kAccount}},
                      std::vector<Sentence>{{"ljspeech/LJ001-0002.wav", "en", kModern},
                                            {"asterisk_en/queue-youarenext.wav", "en", kNext, 0.4},
                                            {"asterisk_es/vm-sorry.wav", "es", kSorry, 0.4}},
                      std::vector<Sentence>{{"dutch_vl_tts/vl14994.wav", "nl", kPlan},
                                            {"ljspeech/LJ001-0006.wav", "en", kBookings, 0.3}}));

TEST_F(TranscribeJobTest, AShortWordIsInTheLanguageThatIsExpected) {
  TRUNKLINE_NEED_SPEECH();
  const auto hello = test::Resampled(test::ReadWav(test::Recording("thorsten/sample02-gt.wav")), kRate);
  const auto samples = std::span(hello).first(std::min<size_t>(hello.size(), kRate / 2));
  engine::OptionsBuilder dutch;
  const Piece piece = Transcribe(samples, dutch.Text("expected", "nl"));
  ASSERT_EQ(piece.texts.size(), 1u);
  EXPECT_EQ(piece.texts[0].language, "nl");
}

TEST_F(TranscribeJobTest, ATemperatureIsDrawnFromItsSeed) {
  TRUNKLINE_NEED_SPEECH();
  std::string text;
  auto samples = Clips(1, text, 0);
  samples.resize(4 * kRate);
  const auto say = [&](int seed) {
    engine::OptionsBuilder options;
    return Transcribe(samples, options.Text("language", "en").Number("temperature", 1).Number("seed", seed))
        .text();
  };
  const std::string first = say(1);
  EXPECT_EQ(say(1), first);
  bool other = false;
  for (int seed = 2; seed < 8 && !other; ++seed) other = say(seed) != first;
  EXPECT_TRUE(other);
}

TEST_F(TranscribeJobTest, RefusesMoreThanAMinuteAtOnce) {
  engine::OptionsBuilder options;
  const std::vector<float> long_silence(61 * kRate, 0.0f);
  EXPECT_EQ(Submit(long_silence, options).status().code(), Code::kInvalidArgument);
}

TEST_F(TranscribeJobTest, ACancelledPieceLeavesNothingBehind) {
  TRUNKLINE_NEED_SPEECH();
  std::string text;
  engine::OptionsBuilder options;
  const auto job = Submit(Clips(1, text, 0), options);
  ASSERT_TRUE(job.ok());
  for (int i = 0; i < 8; ++i) engine_->RunTask();
  engine_->Cancel(*job);
  RunAll();
  Code ended = Code::kOk;
  for (const auto& record : test::DrainAll(*engine_)) {
    if (record.type == engine::kJobEndEvent) ended = record.code();
  }
  EXPECT_EQ(ended, Code::kCancelled);
  EXPECT_TRUE(engine_->idle());
}

}  // namespace
}  // namespace trunkline::hear
