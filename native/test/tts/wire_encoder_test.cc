#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "tts/encoder.h"

namespace trunkline::tts {
namespace {

TEST(WireEncoder, EveryFormatHasItsLengthAndAnySplitItsBytes) {
  std::vector<float> samples(24000);
  for (size_t i = 0; i < samples.size(); ++i) samples[i] = 0.5F * std::sin(static_cast<float>(i) * 0.1F);
  const struct {
    int rate;
    WireFormat format;
    size_t bytes;
  } wires[] = {{24000, WireFormat::kPcm16, 48000},
               {16000, WireFormat::kPcm16, 32000},
               {8000, WireFormat::kPcm16, 16000},
               {8000, WireFormat::kUlaw, 8000},
               {8000, WireFormat::kAlaw, 8000}};
  for (const auto& wire : wires) {
    std::vector<uint8_t> whole;
    auto encoder = WireEncoder::Create(24000, wire.rate, wire.format);
    ASSERT_NE(encoder, nullptr);
    encoder->Add(samples, whole);
    encoder->Finish(whole);
    EXPECT_EQ(whole.size(), wire.bytes);
    std::vector<uint8_t> split;
    auto again = WireEncoder::Create(24000, wire.rate, wire.format);
    for (size_t at = 0; at < samples.size(); at += 333) {
      again->Add(std::span(samples).subspan(at, std::min<size_t>(333, samples.size() - at)), split);
    }
    again->Finish(split);
    EXPECT_EQ(split, whole);
  }
}

}  // namespace
}  // namespace trunkline::tts
