#include "tts/encoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "dsp/g711.h"

namespace trunkline::tts {
namespace {

std::vector<float> Tone(size_t count) {
  std::vector<float> samples(count);
  for (size_t i = 0; i < count; ++i) {
    samples[i] =
        static_cast<float>(0.5 * std::sin(2 * std::numbers::pi * 440 * static_cast<double>(i) / 24000));
  }
  return samples;
}

std::vector<uint8_t> Encode(const std::vector<float>& samples, int rate, WireFormat format, size_t piece) {
  auto encoder = WireEncoder::Create(24000, rate, format);
  std::vector<uint8_t> out;
  for (size_t at = 0; at < samples.size(); at += piece) {
    encoder->Add(std::span(samples).subspan(at, std::min(piece, samples.size() - at)), out);
  }
  encoder->Finish(out);
  return out;
}

std::vector<int16_t> Integers(const std::vector<uint8_t>& bytes) {
  std::vector<int16_t> out(bytes.size() / 2);
  std::memcpy(out.data(), bytes.data(), out.size() * 2);
  return out;
}

TEST(WireEncoder, HoldsTheLastSampleWhereThereIsNoNumberAndSaturates) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> samples = {nan, 0.25F, nan, infinity, -infinity, 2, -2, -0.5F, nan};
  const std::vector<int16_t> wanted = {0, 8192, 8192, 8192, 8192, 32767, -32768, -16384, -16384};
  for (size_t piece = 1; piece <= samples.size(); ++piece) {
    EXPECT_EQ(Integers(Encode(samples, 24000, WireFormat::kPcm16, piece)), wanted) << piece;
  }
}

TEST(WireEncoder, EverySplitGivesTheSameBytesAndTheWholeLength) {
  auto samples = Tone(4801);
  samples[1000] = std::numeric_limits<float>::quiet_NaN();
  for (int rate : {8000, 16000, 24000}) {
    for (WireFormat format : {WireFormat::kPcm16, WireFormat::kUlaw, WireFormat::kAlaw}) {
      const auto whole = Encode(samples, rate, format, samples.size());
      const size_t width = format == WireFormat::kPcm16 ? 2 : 1;
      EXPECT_EQ(whole.size() / width, static_cast<size_t>(std::llround(4801.0 * rate / 24000)));
      for (size_t piece : {1, 7, 160, 999, 4800}) {
        ASSERT_EQ(Encode(samples, rate, format, piece), whole) << rate << " in pieces of " << piece;
      }
    }
  }
}

TEST(WireEncoder, CompandsTheVerySamples) {
  const auto samples = Tone(2400);
  const auto whole = Integers(Encode(samples, 8000, WireFormat::kPcm16, 480));
  std::vector<uint8_t> wanted(whole.size());
  dsp::EncodeUlaw(whole, wanted);
  EXPECT_EQ(Encode(samples, 8000, WireFormat::kUlaw, 480), wanted);
  dsp::EncodeAlaw(whole, wanted);
  EXPECT_EQ(Encode(samples, 8000, WireFormat::kAlaw, 480), wanted);
}

}  // namespace
}  // namespace trunkline::tts
