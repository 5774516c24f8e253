// Who speaks when, by the real models on real recordings.

#include "speaker/diarizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "speaker/embedder.h"
#include "test/support/files.h"
#include "test/support/speech.h"

namespace trunkline::speaker {
namespace {

constexpr int kSampleRate = 16000;

TEST(SegmentationTimeline, GivesThePeopleOfAWindowTheNumbersOfThoseBefore) {
  SegmentationTimeline timeline;
  timeline.Add(0, std::vector<Segmentation::Frame>{1, 1, 1, 1, 1, 2, 0, 2});
  // The second window calls the first person the third, and the second the first.
  timeline.Add(4, std::vector<Segmentation::Frame>{4, 1, 0, 1, 4, 5, 0});
  EXPECT_EQ(timeline.frames(), (std::vector<Segmentation::Frame>{1, 1, 1, 1, 1, 2, 0, 2, 1, 3, 0}));
}

class DiarizerTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string segmentation = test::ModelFile("speakers/segmentation.onnx");
    const std::string embedding = test::ModelFile("speakers/embedding.onnx");
    for (const std::string& file :
         {segmentation, embedding, test::Recording(kKatie), test::Recording(kSteve)}) {
      TRUNKLINE_NEED_FILE(file);
    }
    auto runtime = onnx::Runtime::Load({test::InferenceLibrary(), 1});
    ASSERT_TRUE(runtime.ok()) << runtime.status().ToString();
    auto segments = onnx::Session::Open(*runtime, segmentation, {});
    auto embeds = onnx::Session::Open(*runtime, embedding, {});
    ASSERT_TRUE(segments.ok() && embeds.ok());
    auto segmenter = Segmentation::Create(std::move(*segments));
    auto embedder = SpeakerEncoder::Create(std::move(*embeds), FbankWindow::kPovey);
    ASSERT_TRUE(segmenter.ok() && embedder.ok());
    models_ = {std::move(*segmenter), std::move(*embedder)};
  }

  static std::vector<float> Read(const char* name, size_t seconds, int rate = kSampleRate) {
    std::vector<float> samples = test::Resampled(test::ReadWav(test::Recording(name)), rate);
    samples.resize(std::min(samples.size(), seconds * static_cast<size_t>(rate)));
    return samples;
  }

  struct Found {
    std::vector<SpeakerSegment> pieces;
    bool narrow_band = false;
  };

  Found Pieces(std::vector<float> samples) const {
    Diarizer reader(models_, std::move(samples));
    for (;;) {
      const auto done = reader.Step(nullptr);
      EXPECT_TRUE(done.ok()) << done.status().ToString();
      if (!done.ok() || *done) return {reader.pieces(), reader.narrow_band()};
    }
  }

  static constexpr const char* kKatie = "azure_samples/enrollment_audio_katie.wav";
  static constexpr const char* kSteve = "azure_samples/enrollment_audio_steve.wav";
  DiarizationModels models_;
};

TEST_F(DiarizerTest, TellsTwoPeopleApartByTheirVectors) {
  std::vector<float> samples = Read(kKatie, 8);
  const std::vector<float> other = Read(kSteve, 8);
  const float turn = static_cast<float>(samples.size()) / kSampleRate;
  samples.insert(samples.end(), other.begin(), other.end());
  const Found found = Pieces(samples);
  EXPECT_FALSE(found.narrow_band);
  double same = 0, different = 0;
  int sames = 0, differents = 0;
  for (const SpeakerSegment& a : found.pieces) {
    EXPECT_LE(a.end - a.start, 2.6F);
    for (const SpeakerSegment& b : found.pieces) {
      if (&a == &b || a.alone < 1 || b.alone < 1) continue;
      const float cosine = Cosine(a.vector, b.vector);
      const bool one = (a.end <= turn + 0.5F) == (b.end <= turn + 0.5F);
      (one ? same : different) += cosine;
      ++(one ? sames : differents);
    }
  }
  ASSERT_GT(sames, 0);
  ASSERT_GT(differents, 0);
  EXPECT_GT(same / sames, 0.5);
  EXPECT_LT(different / differents, 0.3);
}

TEST_F(DiarizerTest, FindsBothWhereTheySpeakAtOnce) {
  std::vector<float> samples = Read(kKatie, 8);
  const std::vector<float> other = Read(kSteve, 8);
  for (size_t i = 0; i < std::min(samples.size(), other.size()); ++i) samples[i] += other[i];
  float overlapping = 0;
  const std::vector<SpeakerSegment> pieces = Pieces(samples).pieces;
  for (size_t a = 0; a < pieces.size(); ++a) {
    for (size_t b = a + 1; b < pieces.size(); ++b) {
      overlapping +=
          std::max(0.0F, std::min(pieces[a].end, pieces[b].end) - std::max(pieces[a].start, pieces[b].start));
    }
  }
  EXPECT_GT(overlapping, 2);
}

TEST_F(DiarizerTest, SeesATelephoneLine) {
  const std::vector<float> narrow = Read(kSteve, 6, 8000);
  const std::vector<float> samples =
      test::Resampled(test::Recorded{.rate = 8000, .samples = narrow}, kSampleRate);
  EXPECT_TRUE(Pieces(samples).narrow_band);
}

TEST_F(DiarizerTest, FindsNobodyInSilenceAndInNothing) {
  EXPECT_TRUE(Pieces(std::vector<float>(3 * kSampleRate, 0.0F)).pieces.empty());
  EXPECT_TRUE(Pieces({}).pieces.empty());
  EXPECT_TRUE(Pieces(std::vector<float>(500, 0.1F)).pieces.empty());
}

}  // namespace
}  // namespace trunkline::speaker
