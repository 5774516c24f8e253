#include "hear/transcribe_job.h"

#include <gtest/gtest.h>

#include "test/support/hear_engine.h"

namespace trunkline::hear {
namespace {

using base::Code;

constexpr size_t kRate = 16000;

struct Piece {
  uint32_t used = 0;
  uint8_t language = 0;
  double start = 0, end = 0;
  std::string text;
  uint32_t words = 0;
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
    piece.language = static_cast<uint8_t>(reader.Read<uint32_t>());
    piece.start = reader.Read<double>();
    piece.end = reader.Read<double>();
    piece.text = std::string(base::AsText(reader.ReadBytes(reader.Read<uint32_t>())));
    piece.words = reader.Read<uint32_t>();
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
  EXPECT_EQ(piece.language, 255);
  EXPECT_EQ(piece.text, "");
  EXPECT_EQ(piece.words, 0u);
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
  EXPECT_EQ(piece.language, 0) << "English, found by itself";
  EXPECT_NEAR(piece.start, 2, 0.4) << "with a second of room before";
  EXPECT_GT(piece.end, piece.start);
  const auto words = test::ScoredWords(text);
  EXPECT_LT(test::WordErrors(words, test::ScoredWords(piece.text)), words.size() / 4);
  EXPECT_GT(piece.words, 5u);
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
  const auto heard = test::ScoredWords(Transcribe(samples, options).text);
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
    EXPECT_GE(offset + piece.start, last_end - 1e-6);
    last_end = offset + piece.end;
    heard += piece.text + " ";
    at += piece.used;
  }
  const auto words = test::ScoredWords(text);
  const double rate = static_cast<double>(test::WordErrors(words, test::ScoredWords(heard))) /
                      static_cast<double>(words.size());
  std::printf("%.0f s in pieces: word error %.3f\n", static_cast<double>(samples.size()) / kRate, rate);
  EXPECT_LT(rate, 0.15);
}

TEST_F(TranscribeJobTest, ATemperatureIsDrawnFromItsSeed) {
  TRUNKLINE_NEED_SPEECH();
  std::string text;
  auto samples = Clips(1, text, 0);
  samples.resize(4 * kRate);
  const auto say = [&](int seed) {
    engine::OptionsBuilder options;
    return Transcribe(samples, options.Text("language", "en").Number("temperature", 1).Number("seed", seed))
        .text;
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
