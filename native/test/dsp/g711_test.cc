#include "dsp/g711.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "dsp/cpu.h"
#include "dsp/g711_kernels.h"

namespace trunkline::dsp {
namespace {

// The definition, written from the tables of ITU-T G.711 and with none of the kernels' arithmetic: a code's
// value is the middle of its step, and a sample gets the code of the step that it lies in.

// Table 2a: segment s has 16 steps of 2^(s+1), in 14-bit units; the first starts half a step before zero.
int UlawValue14(int code) {
  const int positive_order = 127 - (code & 127);
  int value = 0;
  for (int step = 0; step < positive_order; ++step) {
    const int from = 2 << (step / 16);
    const int to = 2 << ((step + 1) / 16);
    value += (from + to) / 2;
  }
  return code & 128 ? value : -value;
}

// Table 1a: two segments of steps of 2, then doubling, in 13-bit units.
int AlawValue13(int code) {
  const int order = (code ^ 0x55) & 127;
  int edge = 0;
  for (int step = 0; step < order; ++step) edge += step < 32 ? 2 : 2 << (step / 16 - 1);
  const int width = order < 32 ? 2 : 2 << (order / 16 - 1);
  const int value = edge + width / 2;
  return (code ^ 0x55) & 128 ? value : -value;
}

// Decision values of the positive side in 16-bit units: edges[n] is where code number n begins.
std::vector<int> Edges(bool ulaw) {
  std::vector<int> edges = {0};
  if (ulaw) {
    // The first step is half as wide: from 0 to 1 (14-bit), then 1, 3, 5 ...
    int edge = 1;
    for (int step = 1; step < 128; ++step) {
      edges.push_back(edge * 4);
      edge += 2 << (step / 16);
    }
  } else {
    int edge = 0;
    for (int step = 0; step < 127; ++step) {
      edge += step < 32 ? 2 : 2 << (step / 16 - 1);
      edges.push_back(edge * 8);
    }
  }
  return edges;
}

int StepOf(const std::vector<int>& edges, int magnitude) {
  return static_cast<int>(std::upper_bound(edges.begin(), edges.end(), magnitude) - edges.begin()) - 1;
}

uint8_t ReferenceEncode(const std::vector<int>& edges, bool ulaw, int sample) {
  const int order = StepOf(edges, sample < 0 ? ~sample : sample);
  const int sign = sample < 0 ? 0 : 128;
  return static_cast<uint8_t>(ulaw ? (127 - order) | sign : (order | sign) ^ 0x55);
}

class G711Test : public testing::TestWithParam<Isa> {
 protected:
  const G711Kernels* kernels_ = &G711KernelsFor(GetParam());
};

TEST_P(G711Test, DecodesAll256Codes) {
  std::vector<uint8_t> codes(256);
  for (int i = 0; i < 256; ++i) codes[i] = static_cast<uint8_t>(i);
  std::vector<int16_t> ulaw(256), alaw(256);
  kernels_->decode_ulaw(codes.data(), ulaw.data(), 256);
  kernels_->decode_alaw(codes.data(), alaw.data(), 256);
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(ulaw[i], UlawValue14(i) * 4) << "u-law code " << i;
    EXPECT_EQ(alaw[i], AlawValue13(i) * 8) << "A-law code " << i;
  }
}

TEST_P(G711Test, EncodesAll65536Samples) {
  std::vector<int16_t> samples(65536);
  for (int i = 0; i < 65536; ++i) samples[i] = static_cast<int16_t>(i - 32768);
  std::vector<uint8_t> ulaw(65536), alaw(65536);
  kernels_->encode_ulaw(samples.data(), ulaw.data(), 65536);
  kernels_->encode_alaw(samples.data(), alaw.data(), 65536);
  const auto ulaw_edges = Edges(true), alaw_edges = Edges(false);
  int wrong_ulaw = 0, wrong_alaw = 0;
  for (int i = 0; i < 65536; ++i) {
    wrong_ulaw += ulaw[i] != ReferenceEncode(ulaw_edges, true, samples[i]);
    wrong_alaw += alaw[i] != ReferenceEncode(alaw_edges, false, samples[i]);
  }
  EXPECT_EQ(wrong_ulaw, 0);
  EXPECT_EQ(wrong_alaw, 0);
}

TEST_P(G711Test, EveryLengthWritesItsSamplesAndNoMore) {
  std::mt19937 random(1);
  std::vector<uint8_t> codes(300), encoded(300), plain_encoded(300);
  std::vector<int16_t> samples(300), decoded(300), plain_decoded(300);
  for (auto& code : codes) code = static_cast<uint8_t>(random());
  for (auto& sample : samples) sample = static_cast<int16_t>(random());
  const G711Kernels& plain = G711KernelsFor(Isa::kPlain);
  for (int from : {0, 1, 3}) {
    for (int count = 0; count + from < 280; ++count) {
      for (bool ulaw : {true, false}) {
        std::ranges::fill(decoded, 1);
        std::ranges::fill(plain_decoded, 1);
        (ulaw ? kernels_->decode_ulaw : kernels_->decode_alaw)(codes.data() + from, decoded.data() + from,
                                                               count);
        (ulaw ? plain.decode_ulaw : plain.decode_alaw)(codes.data() + from, plain_decoded.data() + from,
                                                       count);
        ASSERT_EQ(decoded, plain_decoded) << count;
        std::ranges::fill(encoded, 1);
        std::ranges::fill(plain_encoded, 1);
        (ulaw ? kernels_->encode_ulaw : kernels_->encode_alaw)(samples.data() + from, encoded.data() + from,
                                                               count);
        (ulaw ? plain.encode_ulaw : plain.encode_alaw)(samples.data() + from, plain_encoded.data() + from,
                                                       count);
        ASSERT_EQ(encoded, plain_encoded) << count;
      }
    }
  }
}

TEST_P(G711Test, EncodingWhatWasDecodedGivesTheCodeBack) {
  for (int code = 0; code < 256; ++code) {
    const uint8_t in = static_cast<uint8_t>(code);
    int16_t sample;
    uint8_t out;
    kernels_->decode_alaw(&in, &sample, 1);
    kernels_->encode_alaw(&sample, &out, 1);
    EXPECT_EQ(out, in);
    kernels_->decode_ulaw(&in, &sample, 1);
    kernels_->encode_ulaw(&sample, &out, 1);
    EXPECT_EQ(out, code == 0x7f ? 0xff : in) << "u-law has two codes for zero";
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, G711Test, testing::ValuesIn(SupportedIsas()),
                         [](const auto& test) { return std::string(IsaName(test.param)); });

TEST(G711, DoorStopsAtTheShorterSpan) {
  const std::vector<uint8_t> codes(10, 0x80);
  std::vector<int16_t> samples(5, 7);
  DecodeUlaw(codes, std::span(samples).first(3));
  EXPECT_EQ(samples, (std::vector<int16_t>{32124, 32124, 32124, 7, 7}));
}

}  // namespace
}  // namespace trunkline::dsp
