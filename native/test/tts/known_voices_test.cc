// The file of what was learnt of the stock voices.

#include "tts/known_voices.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "test/support/own_path.h"
#include "tts/calibration_store.h"

namespace trunkline::tts {
namespace {

class Pack {
 public:
  template <typename T>
  Pack& Value(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Pack& Text(const std::string& text) {
    Value(static_cast<uint16_t>(text.size()));
    bytes_ += text;
    return *this;
  }
  Pack& Raw(const std::string& bytes) {
    bytes_ += bytes;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string TwoVoices() {
  Pack pack;
  pack.Raw("TLKV0001").Value<uint32_t>(1).Text("model").Value<uint32_t>(2);
  pack.Value(1.0F).Value(-10.0F).Value(0.5F).Value(0.1F).Value<uint32_t>(2);
  pack.Text("en-us|one:1.0000,").Value(200.0F).Value(1.5F).Raw(std::string("\x02\x64", 2));
  pack.Text("hi|two:1.0000,").Value(120.0F).Value(0.5F).Raw(std::string("\x00\xff", 2));
  return pack.bytes();
}

// The same, and a voice that was learnt later, in a group with other columns' ranges.
std::string ThreeVoices() {
  std::string bytes = TwoVoices();
  bytes[8] = 2;
  Pack pack;
  pack.Text("model").Value<uint32_t>(2);
  pack.Value(4.0F).Value(0.0F).Value(1.0F).Value(2.0F).Value<uint32_t>(1);
  pack.Text("ja|three:1.0000,").Value(210.0F).Value(1.0F).Raw(std::string("\x01\x02", 2));
  return bytes + pack.bytes();
}

class KnownVoicesTest : public testing::Test {
 protected:
  std::string path_ = test::OwnPath("known");
  void TearDown() override { std::filesystem::remove(path_); }

  base::Result<std::shared_ptr<const KnownVoices>> Read(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return KnownVoices::Read(path_);
  }
};

TEST_F(KnownVoicesTest, AModelHasSeveralGroups) {
  const auto two = Read(TwoVoices());
  const auto three = Read(ThreeVoices());
  ASSERT_TRUE(two.ok() && three.ok());
  const auto before = (*two)->Find("model", "en-us|one:1.0000,"),
             behind = (*three)->Find("model", "en-us|one:1.0000,");
  ASSERT_TRUE(before != nullptr && behind != nullptr);
  EXPECT_EQ(before->statistics, behind->statistics);
  const auto later = (*three)->Find("model", "ja|three:1.0000,");
  ASSERT_NE(later, nullptr);
  EXPECT_EQ(later->statistics, (std::vector<float>{5, 4}));
  EXPECT_NE((*three)->FindBySuffix("model", "|three:1.0000,"), nullptr);
}

TEST_F(KnownVoicesTest, FindsAVoiceByItsModelAndKeyOrTheEndOfIt) {
  const auto known = Read(TwoVoices());
  ASSERT_TRUE(known.ok()) << known.status().ToString();
  const auto one = (*known)->Find("model", "en-us|one:1.0000,");
  ASSERT_NE(one, nullptr);
  EXPECT_FLOAT_EQ(one->center_hz, 200);
  EXPECT_FLOAT_EQ(one->gain, 1.5F);
  EXPECT_EQ(one->statistics, (std::vector<float>{2.0F, 0.0F}));
  const auto two = (*known)->FindBySuffix("model", "|two:1.0000,");
  ASSERT_NE(two, nullptr);
  EXPECT_NEAR(two->statistics[1], 15.5F, 1e-4F);
  EXPECT_EQ((*known)->Find("model", "en-us|two:1.0000,"), nullptr);
  EXPECT_EQ((*known)->Find("other model", "en-us|one:1.0000,"), nullptr);
}

TEST_F(KnownVoicesTest, AStoreAnswersFromItBeforeItLearns) {
  auto known = Read(TwoVoices());
  ASSERT_TRUE(known.ok());
  CalibrationStore store("", "model", 2, *known);
  EXPECT_NE(store.Find("en-us|one:1.0000,"), nullptr);
  EXPECT_EQ(store.Find("en-us|three:1.0000,"), nullptr);
  // An entry with another number of statistics than the model's is ignored.
  EXPECT_EQ(CalibrationStore("", "model", 4, *known).Find("en-us|one:1.0000,"), nullptr);
}

TEST_F(KnownVoicesTest, AFileThatWasCutOrIsAnotherIsRefused) {
  const std::string whole = TwoVoices();
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(Read(whole.substr(0, size)).ok()) << size;
  EXPECT_FALSE(Read(whole + "x").ok());
  EXPECT_FALSE(Read("TLKV0002" + whole.substr(8)).ok());
  std::string vast = whole;
  const uint32_t columns = 0xffffffffU;
  std::memcpy(vast.data() + 8 + 4 + 2 + 5, &columns, sizeof columns);
  EXPECT_FALSE(Read(vast).ok());
}

// A clause of the length that was learnt has the means that were learnt, and one between has what lies
// between.
TEST(Calibration, MeansMoveWithTheInverseOfTheLength) {
  Calibration voice;
  voice.statistics = {4, 1, 2, 3};  // values of a short clause, then of a long one
  EXPECT_FLOAT_EQ(voice.StatisticsFor(100)[0], 4);
  EXPECT_FLOAT_EQ(voice.StatisticsFor(320)[0], 2);
  const float between = voice.StatisticsFor(160)[0];
  EXPECT_GT(between, 2);
  EXPECT_LT(between, 4);
  for (const size_t frames : {1UL, 50UL, 90UL, 1000UL, 100000UL})
    for (const float value : voice.StatisticsFor(frames)) EXPECT_GT(value, 0) << frames;
}

}  // namespace
}  // namespace trunkline::tts
