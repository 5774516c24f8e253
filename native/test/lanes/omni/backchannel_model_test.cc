#include "lanes/omni/backchannel_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "asr/moonshine.h"
#include "asr/whisper_features.h"
#include "dsp/g711.h"
#include "test/asr/models.h"
#include "test/support/own_path.h"

namespace trunkline::omni {
namespace {

// Every test needs the nets.
class BackchannelModelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TRUNKLINE_NEED_FILE(test::ModelFile("listening/nets.bin"));
    auto model = BackchannelModel::Load(test::ModelFile("listening/nets.bin"));
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    model_ = std::move(model).value();
  }
  float Score(std::span<const float> moonshine, std::span<const float> whisper) const {
    return model_->Score(moonshine, whisper);
  }
  std::shared_ptr<const BackchannelModel> model_;
};

TEST_F(BackchannelModelTest, NothingHeardTellsNothing) {
  EXPECT_EQ(Score({}, {}), 0);
}

std::vector<float> Sines(size_t width) {
  std::vector<float> rows(16 * width);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(std::sin(static_cast<double>(i)));
  return rows;
}

TEST_F(BackchannelModelTest, IsWhatWasLearntAndOfTwoEarsTheMean) {
  const auto moonshine = Sines(kMoonshineRow), whisper = Sines(kWhisperRow);
  for (const char* file : {"listening/nets.bin", "listening/elsewhere.bin"}) {
    TRUNKLINE_NEED_FILE(test::ModelFile(file));
    const auto nets = BackchannelModel::Load(test::ModelFile(file));
    ASSERT_TRUE(nets.ok()) << nets.status().ToString();
    const float of_moonshine = (*nets)->moonshine().of_sines, of_whisper = (*nets)->whisper().of_sines;
    EXPECT_NEAR((*nets)->Score(moonshine, {}), of_moonshine, 1e-2f) << file;
    EXPECT_NEAR((*nets)->Score({}, whisper), of_whisper, 1e-2f) << file;
    EXPECT_NEAR((*nets)->Score(moonshine, whisper), (of_moonshine + of_whisper) / 2, 1e-2f) << file;
  }
}

std::vector<float> Noise(size_t width, uint32_t rows, uint32_t seed) {
  std::vector<float> out(width * rows);
  for (float& x : out) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<float>(static_cast<int32_t>(seed >> 8) - (1 << 23)) / static_cast<float>(1 << 22);
  }
  return out;
}

// The scores are those of the tables that were once compiled into the engine, to the bit.
TEST_F(BackchannelModelTest, AnswersToTheBitAsTheNetsThatShippedFirst) {
  uint64_t digest = 1469598103934665603u;
  for (const uint8_t byte : base::AsBytes(model_->weights())) digest = (digest ^ byte) * 1099511628211u;
  EXPECT_EQ(digest, 1510255710159392673u);
  constexpr float kAnswers[][3] = {{-0x1.6ac93p+2f, -0x1.003c7p+1f, -0x1.eae768p+1f},
                                   {-0x1.fb35p+2f, 0x1.96c802p+2f, -0x1.91b3f8p-1f},
                                   {-0x1.d703aap+2f, -0x1.c3dc56p+2f, -0x1.cd7p+2f},
                                   {-0x1.60bfa2p+0f, -0x1.3938bep+1f, -0x1.e9989p+0f},
                                   {-0x1.5da412p+0f, -0x1.4d4b9ap+1f, -0x1.fc1da4p+0f},
                                   {-0x1.d9e1cp+2f, -0x1.3f549ep+1f, -0x1.3cc608p+2f}};
  for (uint32_t i = 1; i <= 6; ++i) {
    const auto moonshine = Noise(kMoonshineRow, 4 * i, i), whisper = Noise(kWhisperRow, 5 * i, i + 100);
    const float answers[] = {Score(moonshine, {}), Score({}, whisper), Score(moonshine, whisper)};
    for (size_t encoder = 0; encoder < 3; ++encoder) {
#ifdef __x86_64__
      EXPECT_EQ(answers[encoder], kAnswers[i - 1][encoder]) << i << " " << encoder;
#else  // fused multiply-add
      EXPECT_NEAR(answers[encoder], kAnswers[i - 1][encoder], 1e-4f) << i << " " << encoder;
#endif
    }
  }
}

TEST_F(BackchannelModelTest, HearsHowASoundBeginsAndHowItGoesOn) {
  std::vector<float> rows(16 * kMoonshineRow), turned(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = i < rows.size() / 2 ? 1.0f : -1.0f;
  for (size_t i = 0; i < rows.size(); ++i) turned[i] = -rows[i];
  EXPECT_GT(std::abs(Score(rows, {}) - Score(turned, {})), 1e-3f);
  // An incomplete row is ignored.
  EXPECT_EQ(Score(std::span(rows).first(3 * kMoonshineRow + 7), {}),
            Score(std::span(rows).first(3 * kMoonshineRow), {}));
}

TEST_F(BackchannelModelTest, SaysOfAnotherFileThatItIsNone) {
  const std::string good = test::ModelFile("listening/nets.bin");
  std::ifstream file(good, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto code = [](const std::string& content) {
    const std::string path = test::OwnPath("nets");
    std::ofstream(path, std::ios::binary) << content;
    const auto model = BackchannelModel::Load(path);
    std::filesystem::remove(path);
    return model.ok() ? base::Code::kOk : model.status().code();
  };
  EXPECT_EQ(code(bytes), base::Code::kOk);
  EXPECT_EQ(code(""), base::Code::kBadModel);
  EXPECT_EQ(code(bytes.substr(0, bytes.size() - 1)), base::Code::kBadModel);
  EXPECT_EQ(code(bytes + "x"), base::Code::kBadModel);
  for (const size_t at : {0, 4, 8, 12, 16, 20}) {
    std::string other = bytes;
    other[at] ^= 1;
    EXPECT_EQ(code(other), base::Code::kBadModel) << at;
  }
  EXPECT_FALSE(BackchannelModel::Load("/no/such/file").ok());
}

// A voice as a telephone brings it, from 100 ms before it is first loud to 340 ms after.
std::vector<float> FirstMoments(const std::string& path) {
  const std::vector<float> narrow = test::Resampled(test::ReadWav(test::Recording(path)), 8000);
  std::vector<int16_t> pcm;
  for (const float sample : narrow) pcm.push_back(static_cast<int16_t>(std::lround(sample * 32767)));
  std::vector<uint8_t> line(pcm.size());
  dsp::EncodeUlaw(pcm, line);
  dsp::DecodeUlaw(line, pcm);
  test::Recorded heard{8000, {}};
  for (const int16_t sample : pcm) heard.samples.push_back(sample / 32768.0f);
  double most = 0;
  const auto power = [&](size_t at) {
    double sum = 0;
    for (size_t i = at; i < at + 160 && i < heard.samples.size(); ++i)
      sum += heard.samples[i] * heard.samples[i];
    return sum;
  };
  for (size_t at = 0; at < heard.samples.size(); at += 160) most = std::max(most, power(at));
  size_t onset = 0;
  while (power(onset) < most * 0.02) onset += 160;
  const std::vector<float> wide = test::Resampled(heard, 16000);
  const size_t from = 2 * onset - std::min<size_t>(2 * onset, 1600);
  return {wide.begin() + static_cast<ptrdiff_t>(from),
          wide.begin() + static_cast<ptrdiff_t>(std::min(wide.size(), 2 * onset + 5440))};
}

// The scores of recordings by the nets of both encoders.
class EncoderScores {
 public:
  explicit EncoderScores(const BackchannelModel& nets) : nets_(nets) {}

  float Score(const std::string& path) {
    const std::vector<float> sound = FirstMoments("an4/" + path + ".wav");
    pass_.Begin(sound, {});
    EXPECT_TRUE(pass_.Step().ok());
    const auto heard = rows_.Read(sound);
    EXPECT_TRUE(heard.ok()) << heard.status().ToString();
    return nets_.Score(pass_.heard(), *heard);
  }

 private:
  static std::shared_ptr<const asr::MoonshineModel> Moonshine() {
    const std::filesystem::path file = test::ModelFile("moonshine-tiny-en/encoder.ort");
    auto opened =
        asr::MoonshineModel::Open(test::ModelOpener(asr::SharedRuntime()), file.parent_path().string());
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    return std::move(opened).value();
  }

  const BackchannelModel& nets_;
  asr::MoonshinePass pass_{Moonshine()};
  asr::WhisperFeatures rows_{asr::SharedWhisper()};
};

// Speakers from whom it was learnt: that the engine hears what was heard while learning. How well it tells
// others apart is for bench/omni to say.
TEST_F(BackchannelModelTest, TellsRealVoicesApartAfterAThirdOfASecond) {
  TRUNKLINE_NEED_FILE(test::ModelFile("moonshine-tiny-en/encoder.ort"));
  TRUNKLINE_NEED_WHISPER();
  TRUNKLINE_NEED_SPEECH();
  EncoderScores scores_of(*model_);
  for (const char* yes : {"an22-flrp-b", "an254-fash-b", "an32-mtje-b", "an357-mscg2-b", "an96-mskh-b"})
    EXPECT_GT(scores_of.Score(yes), 0.0f) << yes;
  for (const char* other : {"an21-flrp-b", "an253-fash-b", "an31-mtje-b", "an356-mscg2-b", "an161-mfaa-b",
                            "an171-mjda-b", "an231-mcsc-b", "an291-ffmm-b"})
    EXPECT_LT(scores_of.Score(other), 0.0f) << other;
}

// Nets that `node scripts/learn-listening.mjs --sample N --out FILE` wrote: few sounds teach them enough to tell most voices apart
// that they never heard. The file's name comes by the environment, from test/scripts/learn-listening.test.ts.
TEST(SampleOfListening, TellsVoicesApartThatItNeverHeard) {
  const char* file = std::getenv("TRUNKLINE_LEARNT_NETS");
  if (file == nullptr) GTEST_SKIP() << "TRUNKLINE_LEARNT_NETS names no nets";
  const auto nets = BackchannelModel::Load(file);
  ASSERT_TRUE(nets.ok()) << nets.status().ToString();
  EncoderScores scores_of(**nets);
  std::vector<float> listens, speaks;
  for (const char* path : {"an236-mrjc2-b", "an26-mdxs-b", "an333-msrb-b"})
    listens.push_back(scores_of.Score(path));
  for (const char* path :
       {"an1-mblw-b", "an123-fjdn-b", "an148-fclc-b", "an168-fsrb-b", "an193-fmjd-b", "an227-msjm-b",
        "an261-mcfl-b", "an331-msrb-b", "an361-mmkw-b", "an396-miry-b", "an51-mmaf-b", "cen3-mjes-b"})
    speaks.push_back(scores_of.Score(path));
  const float even = *std::min_element(listens.begin(), listens.end());
  EXPECT_GE(std::count_if(speaks.begin(), speaks.end(), [&](float score) { return score < even; }), 10)
      << testing::PrintToString(listens) << " " << testing::PrintToString(speaks);
}

}  // namespace
}  // namespace trunkline::omni
