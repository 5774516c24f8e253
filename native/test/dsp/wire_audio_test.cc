#include "dsp/wire_audio.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "dsp/g711.h"
#include "test/dsp/allocation_counter.h"
#include "test/dsp/signals.h"

namespace trunkline::dsp {
namespace {

using Bytes = std::vector<uint8_t>;
using Samples = std::vector<int16_t>;

constexpr WireFormat kFormats[] = {WireFormat::kPcm16, WireFormat::kUlaw, WireFormat::kAlaw};

size_t BytesOfSample(WireFormat format) {
  return format == WireFormat::kPcm16 ? 2 : 1;
}

Bytes BytesOf(const Samples& samples) {
  const base::ByteView view = base::AsBytes(std::span<const int16_t>(samples));
  return {view.begin(), view.end()};
}

Samples SamplesOf(base::ByteView bytes) {
  Samples samples(bytes.size() / 2);
  if (!samples.empty()) std::memcpy(samples.data(), bytes.data(), 2 * samples.size());
  return samples;
}

Samples Decoded(WireFormat format, const Bytes& bytes) {
  Samples out(bytes.size() / BytesOfSample(format));
  if (format == WireFormat::kPcm16) return SamplesOf(bytes);
  (format == WireFormat::kUlaw ? DecodeUlaw : DecodeAlaw)(bytes, out);
  return out;
}

Bytes RandomBytes(size_t count, std::mt19937& random) {
  Bytes bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

// G.191's values at the corners of the segments.
TEST(ConvertWire, GivesTheCodesOfTheirTables) {
  const Samples samples = {0, 32124, -32124, 120, 16764};
  const Bytes codes = {0xff, 0x80, 0x00, 0xf0, 0x8f};
  Bytes out(codes.size());
  EXPECT_EQ(ConvertWire(WireFormat::kPcm16, BytesOf(samples), WireFormat::kUlaw, out), codes.size());
  EXPECT_EQ(out, codes);
  Bytes pcm(2 * codes.size());
  EXPECT_EQ(ConvertWire(WireFormat::kUlaw, codes, WireFormat::kPcm16, pcm), codes.size());
  EXPECT_EQ(SamplesOf(pcm), samples);
  const Bytes alaw = {0xd5, 0xaa, 0x2a, 0x55, 0x80, 0x00};
  pcm.resize(2 * alaw.size());
  ConvertWire(WireFormat::kAlaw, alaw, WireFormat::kPcm16, pcm);
  EXPECT_EQ(SamplesOf(pcm), (Samples{8, 32256, -32256, -8, 5504, -5504}));
}

TEST(ConvertWire, IsTheSameAtAnyAddressLengthAndSplit) {
  std::mt19937 random(1);
  for (const WireFormat from : kFormats) {
    for (const WireFormat to : kFormats) {
      for (const size_t samples :
           {size_t{0}, size_t{1}, size_t{511}, size_t{512}, size_t{513}, size_t{1300}}) {
        const Bytes shifted = RandomBytes(samples * BytesOfSample(from) + 1, random);
        const base::ByteView in = std::span(shifted).subspan(1);
        Bytes whole(samples * BytesOfSample(to) + 1, 7), parts = whole;
        EXPECT_EQ(ConvertWire(from, in, to, std::span(whole).subspan(1)), samples);
        EXPECT_EQ(whole[0], 7);
        const size_t first = samples / 3;
        ConvertWire(from, in.first(first * BytesOfSample(from)), to,
                    std::span(parts).subspan(1, first * BytesOfSample(to)));
        ConvertWire(from, in.subspan(first * BytesOfSample(from)), to,
                    std::span(parts).subspan(1 + first * BytesOfSample(to)));
        EXPECT_EQ(whole, parts);
      }
    }
  }
}

TEST(ConvertWire, StopsAtTheShorterSideAndIgnoresAnOddByte) {
  Bytes out(3, 9);
  EXPECT_EQ(ConvertWire(WireFormat::kPcm16, Bytes(9, 0), WireFormat::kUlaw, std::span(out).first(2)), 2u);
  EXPECT_EQ(out, (Bytes{0xff, 0xff, 9}));
  EXPECT_EQ(ConvertWire(WireFormat::kUlaw, Bytes(5, 0xff), WireFormat::kPcm16, out), 1u);
  EXPECT_EQ(out, (Bytes{0, 0, 9}));
}

TEST(MixWire, SaturatesAndFillsWhatAVoiceLacks) {
  Bytes out(8);
  MixWire(WireFormat::kPcm16, std::vector<base::ByteView>{}, out);
  EXPECT_EQ(SamplesOf(out), (Samples{0, 0, 0, 0}));
  const Bytes a = BytesOf({30000, -30000, 5, 6}), b = BytesOf({10000, -10000, 6}), c = BytesOf({-20000});
  MixWire(WireFormat::kPcm16, std::vector<base::ByteView>{a, b, c}, out);
  EXPECT_EQ(SamplesOf(out), (Samples{20000, -32768, 11, 6}));
  MixWire(WireFormat::kPcm16, std::vector<base::ByteView>{a, b}, out);
  EXPECT_EQ(SamplesOf(out), (Samples{32767, -32768, 11, 6}));
}

// The sum is saturated once, after all voices: the order of participants changes nothing.
TEST(MixWire, IsTheSumOfDecodedVoicesInAnyOrder) {
  std::mt19937 random(2);
  for (const WireFormat format : kFormats) {
    for (int round = 0; round < 50; ++round) {
      const size_t samples = random() % 1400;
      std::vector<Bytes> voices(random() % 6);
      for (Bytes& voice : voices) voice = RandomBytes((random() % 1600) * BytesOfSample(format), random);
      Samples sum(samples);
      std::vector<Samples> decoded;
      for (const Bytes& voice : voices) decoded.push_back(Decoded(format, voice));
      for (size_t i = 0; i < samples; ++i) {
        int total = 0;
        for (const Samples& voice : decoded) total += i < voice.size() ? voice[i] : 0;
        sum[i] = static_cast<int16_t>(std::clamp(total, -32768, 32767));
      }
      Bytes expected(samples * BytesOfSample(format)), mixed = expected;
      ConvertWire(WireFormat::kPcm16, BytesOf(sum), format, expected);
      std::vector<base::ByteView> views(voices.begin(), voices.end());
      std::shuffle(views.begin(), views.end(), random);
      MixWire(format, views, mixed);
      ASSERT_EQ(mixed, expected);
    }
  }
}

TEST(MeasureWire, CountsEnergyClippingAndQuietEnds) {
  const Bytes square = BytesOf({0, 3, -4, 16384, -16384, 32124, -32768, 4, 0, 0});
  const WireMeasure measure = MeasureWire(WireFormat::kPcm16, square, 4);
  EXPECT_EQ(measure.samples, 10u);
  EXPECT_NEAR(measure.energy, 0.25 + 0.25 + std::pow(32124 / 32768.0, 2) + 1, 1e-6);
  EXPECT_EQ(measure.clipped, 2u);
  EXPECT_EQ(measure.quiet_before, 3u);
  EXPECT_EQ(measure.quiet_after, 3u);
  const WireMeasure silence = MeasureWire(WireFormat::kUlaw, Bytes(1000, 0xff), 0);
  EXPECT_EQ(silence.energy, 0);
  EXPECT_EQ(silence.quiet_before, 1000u);
  EXPECT_EQ(silence.quiet_after, 1000u);
  EXPECT_EQ(MeasureWire(WireFormat::kUlaw, Bytes{0x00, 0x80, 0x01, 0x81}, 0).clipped, 2u);
  EXPECT_EQ(MeasureWire(WireFormat::kPcm16, {}, 0).samples, 0u);
}

TEST(MeasureWire, FindsTheFirstAndLastLoudSampleOverBlocks) {
  for (const size_t first : {size_t{0}, size_t{511}, size_t{512}, size_t{900}}) {
    for (const size_t last : {first, size_t{1024}, size_t{1999}}) {
      Samples samples(2000);
      samples[first] = -101;
      samples[last] = 101;
      const WireMeasure measure = MeasureWire(WireFormat::kPcm16, BytesOf(samples), 100);
      EXPECT_EQ(measure.quiet_before, first);
      EXPECT_EQ(measure.quiet_after, 1999 - last);
    }
  }
}

TEST(AddWire, ReplacesAddsAndScalesOneChannel) {
  Bytes stereo = BytesOf({1, 2, 3, 4, 5, 6});
  const Bytes mono = BytesOf({30000, -30000});
  AddWire({stereo, 2}, 0, {mono}, 1);
  EXPECT_EQ(SamplesOf(stereo), (Samples{30000, 2, -30000, 4, 5, 6}));
  AddWire({std::span(stereo).subspan(2), 2}, 1, {mono}, 0.5);
  EXPECT_EQ(SamplesOf(stereo), (Samples{30000, 15002, -30000, -14996, 5, 6}));
  AddWire({stereo, 2}, 1, {mono}, 1);
  EXPECT_EQ(SamplesOf(stereo), (Samples{32767, 15002, -32768, -14996, 5, 6}));
}

TEST(AddWire, TakesNothingFromTooFewBytesOrNoStride) {
  Bytes out = BytesOf({1, 2});
  const Bytes before = out, in = BytesOf({7, 8});
  AddWire({out, 0}, 0, {in}, 1);
  AddWire({out}, 0, {in, 0}, 1);
  AddWire({std::span(out).first(1)}, 0, {in}, 1);
  AddWire({out}, 0, {std::span(in).first(1)}, 1);
  EXPECT_EQ(out, before);
  const WireSource odd{std::span(in).first(3), 2};
  EXPECT_EQ(odd.samples(), 1u);
}

TEST(AddTone, IsASineThatKeepsItsPhaseOverPieces) {
  Bytes whole = BytesOf(Samples(1600, 100)), parts = whole;
  const ToneShape tone{.cycles = 1000.0 / 8000, .level = 2000};
  AddTone({whole}, 1, tone);
  AddTone({std::span(parts).first(2 * 333)}, 1, tone);
  ToneShape later = tone;
  later.phase = 333;
  AddTone({std::span(parts).subspan(2 * 333)}, 1, later);
  const Samples samples = SamplesOf(whole), pieces = SamplesOf(parts);
  for (size_t i = 0; i < samples.size(); ++i) {
    ASSERT_EQ(samples[i],
              std::lrint(100 + 2000 * std::sin(2 * std::numbers::pi * static_cast<double>(i) / 8)));
    ASSERT_NEAR(pieces[i], samples[i], 1);
  }
  AddTone({whole}, 0, {.cycles = 0.25, .level = 1000, .decay = std::log(2.0)});
  EXPECT_EQ(SamplesOf(std::span(whole).first(8)), (Samples{0, 500, 0, -125}));
}

TEST(DownmixWire, AveragesTheChannels) {
  Bytes out(4, 0);
  DownmixWire(BytesOf({100, 200, -32768, -32768, 5}), 2, out);
  EXPECT_EQ(SamplesOf(out), (Samples{150, -32768}));
  DownmixWire(BytesOf({32767, 32767, 32767, 1, 1, 3}), 3, out);
  EXPECT_EQ(SamplesOf(out), (Samples{32767, 2}));
  const Bytes before = out;
  DownmixWire(BytesOf({1, 2}), 0, out);
  EXPECT_EQ(out, before);
}

TEST(WireToFloat, TakesOneChannel) {
  const Bytes stereo = BytesOf({32767, -32768, 0, 16384});
  std::vector<float> right(3, 9);
  WireToFloat({std::span(stereo).subspan(2), 2}, right);
  EXPECT_EQ(right, (std::vector<float>{-1, 0.5, 9}));
}

TEST(ResampleWire, KeepsAToneAndItsTime) {
  const auto tone = ToInt16(Tone(440, 24000, 24000, 0.5));
  Bytes out(2 * 16000);
  ASSERT_EQ(ResampleWire(BytesOf(tone), 24000, 16000, out), 16000u);
  const auto expected = Tone(440, 16000, 16000, 0.5);
  const Samples samples = SamplesOf(out);
  for (size_t i = 500; i < 15500; ++i) ASSERT_NEAR(samples[i], expected[i] * 32768, 8) << i;
  EXPECT_EQ(ResampleWire(BytesOf(tone), 0, 16000, out), 0u);
}

TEST(WireAudio, AllocatesNothing) {
  std::mt19937 random(3);
  const Bytes a = RandomBytes(960, random), b = RandomBytes(960, random);
  const std::vector<base::ByteView> voices = {a, b};
  Bytes out(1920);
  const long before = AllocationsOfThisThread();
  ConvertWire(WireFormat::kUlaw, a, WireFormat::kPcm16, out);
  MixWire(WireFormat::kPcm16, voices, out);
  MeasureWire(WireFormat::kAlaw, a, 100);
  AddWire({out}, 1, {a}, 0.5);
  AddTone({out}, 1, {.cycles = 0.1, .level = 100});
  DownmixWire(a, 2, out);
  EXPECT_EQ(AllocationsOfThisThread(), before);
}

}  // namespace
}  // namespace trunkline::dsp
