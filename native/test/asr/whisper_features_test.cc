#include "asr/whisper_features.h"

#include <gtest/gtest.h>

#include <cmath>

#include "test/asr/models.h"

namespace trunkline::asr {
namespace {

std::vector<float> Sound(double seconds, float gain) {
  std::vector<float> out(static_cast<size_t>(seconds * 16000));
  for (size_t i = 0; i < out.size(); ++i) {
    const double t = static_cast<double>(i) / 16000;
    out[i] = gain * static_cast<float>(std::sin(2 * 3.14159 * (200 + 90 * std::sin(9 * t)) * t));
  }
  return out;
}

std::vector<float> RowsOf(std::span<const float> samples) {
  WhisperFeatures rows(SharedWhisper());
  const auto read = rows.Read(samples);
  EXPECT_TRUE(read.ok()) << read.status().ToString();
  return read.ok() ? std::vector<float>(read->begin(), read->end()) : std::vector<float>();
}

double Furthest(const std::vector<float>& a, const std::vector<float>& b) {
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) most = std::max<double>(most, std::abs(a[i] - b[i]));
  return most;
}

TEST(WhisperFeatures, GivesARowForEach20MsOfTheEnd) {
  TRUNKLINE_NEED_WHISPER();
  WhisperFeatures rows(SharedWhisper());
  EXPECT_EQ(rows.width(), 512u);
  EXPECT_EQ(RowsOf(Sound(0.45, 0.2f)).size(), 22 * rows.width());
  EXPECT_EQ(RowsOf(Sound(0.019, 0.2f)).size(), 0u);
  EXPECT_EQ(RowsOf({}).size(), 0u);
  EXPECT_FALSE(rows.Read(Sound(2.01, 0.2f)).ok());
}

TEST(WhisperFeatures, HearsASoundAlikeHoweverLoudItIs) {
  TRUNKLINE_NEED_WHISPER();
  const auto loud = RowsOf(Sound(0.44, 0.5f)), soft = RowsOf(Sound(0.44, 0.02f));
  auto other = Sound(0.44, 0.5f);
  for (size_t i = 0; i < other.size(); ++i) other[i] *= std::sin(static_cast<float>(i) / 200);
  ASSERT_EQ(loud.size(), soft.size());
  const double apart = Furthest(loud, RowsOf(other));
  EXPECT_GT(apart, 0.5);
  EXPECT_LT(Furthest(loud, soft), 0.2 * apart);
  // Silence is heard as such and breaks nothing.
  for (const float value : RowsOf(std::vector<float>(7040))) ASSERT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace trunkline::asr
