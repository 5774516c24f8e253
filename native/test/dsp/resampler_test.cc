#include "dsp/resampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "test/dsp/allocation_counter.h"
#include "test/dsp/signals.h"

namespace trunkline::dsp {
namespace {

struct Case {
  int in, out;
  Grade grade;
};

std::string Name(const testing::TestParamInfo<Case>& test) {
  return std::to_string(test.param.in) + "_" + std::to_string(test.param.out) +
         (test.param.grade == Grade::kStrict ? "_strict" : "_speech");
}

std::vector<Case> Cases() {
  constexpr int kPairs[][2] = {{24000, 16000}, {24000, 8000},  {48000, 16000}, {8000, 16000},  {16000, 8000},
                               {8000, 24000},  {16000, 24000}, {16000, 48000}, {48000, 8000},  {8000, 48000},
                               {24000, 48000}, {32000, 16000}, {32000, 8000},  {11025, 8000},  {11025, 16000},
                               {22050, 8000},  {22050, 16000}, {22050, 24000}, {44100, 8000},  {44100, 16000},
                               {44100, 24000}, {44100, 48000}, {16000, 44100}, {48000, 44100}, {16000, 22050},
                               {16000, 16000}};
  std::vector<Case> cases;
  for (const auto& pair : kPairs) {
    for (Grade grade : {Grade::kStrict, Grade::kSpeech}) cases.push_back({pair[0], pair[1], grade});
  }
  return cases;
}

class ResamplerTest : public testing::TestWithParam<Case> {
 protected:
  Resampler Make() const { return *Resampler::Create(GetParam().in, GetParam().out, GetParam().grade); }
  double LowerNyquist() const { return std::min(GetParam().in, GetParam().out) / 2.0; }
  double PassEdge() const { return GetParam().grade == Grade::kStrict ? 0.9 : 0.85; }
  double Rejection() const { return GetParam().grade == Grade::kStrict ? 100 : 90; }

  // Returns the output once the filter is full.
  std::vector<float> Steady(const std::vector<float>& in) const {
    Resampler resampler = Make();
    std::vector<float> out(resampler.OutputSize(in.size()));
    resampler.Process(in, out);
    const size_t rise = 2 * resampler.delay_samples() + 2;
    return {out.begin() + static_cast<ptrdiff_t>(rise), out.end()};
  }
  size_t Length() const {
    return static_cast<size_t>(GetParam().in / 10 + 40 * GetParam().in / LowerNyquist());
  }
};

template <typename Sample>
std::vector<Sample> InPieces(Resampler resampler, const std::vector<Sample>& in, size_t piece, size_t room) {
  std::vector<Sample> out;
  std::vector<Sample> buffer(room);
  for (size_t at = 0; at < in.size();) {
    const auto part = std::span(in).subspan(at, std::min(piece, in.size() - at));
    const auto [consumed, produced] = resampler.Process(part, std::span(buffer));
    out.insert(out.end(), buffer.begin(), buffer.begin() + static_cast<ptrdiff_t>(produced));
    at += consumed;
  }
  // Drains what did not fit into the last buffer.
  while (true) {
    const size_t produced = resampler.Process(std::span<const Sample>(), std::span(buffer)).produced;
    if (produced == 0) return out;
    out.insert(out.end(), buffer.begin(), buffer.begin() + static_cast<ptrdiff_t>(produced));
  }
}

TEST_P(ResamplerTest, EverySplitGivesTheSameBits) {
  const auto in = Noise(1500, 0.9, 1);
  const auto in16 = ToInt16(in);
  const auto whole = InPieces(Make(), in, in.size(), 100000);
  const auto whole16 = InPieces(Make(), in16, in.size(), 100000);
  ASSERT_EQ(whole.size(), Make().OutputSize(in.size()));
  for (size_t piece = 1; piece <= 700; piece += piece < 100 ? 1 : 23) {
    ASSERT_EQ(InPieces(Make(), in, piece, 100000), whole) << "pieces of " << piece;
  }
  for (size_t room : {1, 2, 15, 16, 17, 33, 160}) {
    ASSERT_EQ(InPieces(Make(), in, 480, room), whole) << "room for " << room;
  }
  for (size_t piece : {1, 7, 16, 160, 441, 1023, 1025}) {
    ASSERT_EQ(InPieces(Make(), in16, piece, 100000), whole16) << "pieces of " << piece;
  }
}

TEST_P(ResamplerTest, GivesExactlyTheSamplesThatItPromises) {
  Resampler resampler = Make();
  std::vector<float> out(20000);
  long in_all = 0, out_all = 0;
  for (size_t piece : {0, 1, 3, 160, 480, 441, 2, 1024, 2000, 5}) {
    const auto in = Noise(piece, 1, 3);
    const size_t promised = resampler.OutputSize(piece);
    const auto progress = resampler.Process(in, out);
    EXPECT_EQ(progress.consumed, piece);
    EXPECT_EQ(progress.produced, promised);
    in_all += static_cast<long>(piece), out_all += static_cast<long>(promised);
    EXPECT_EQ(out_all, (in_all * GetParam().out + GetParam().in - 1) / GetParam().in);
  }
}

TEST_P(ResamplerTest, PassesTonesUpToItsEdge) {
  const double ripple = GetParam().grade == Grade::kStrict ? 0.01 : 0.03;
  for (double share : {0.01, 0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.82, 0.85, 0.86, 0.89, 0.9}) {
    if (share > PassEdge()) break;
    const double hertz = share * LowerNyquist();
    const auto out = Steady(Tone(hertz, GetParam().in, Length(), 0.5));
    const ToneFit fit = FitTone(out, hertz, GetParam().out);
    EXPECT_NEAR(Decibels(fit.amplitude / 0.5), 0, ripple) << hertz << " Hz";
    // All else is images and rounding.
    EXPECT_LT(Decibels(fit.residual_rms / (0.5 / std::numbers::sqrt2)), -Rejection()) << hertz << " Hz";
  }
}

TEST_P(ResamplerTest, RejectsWhatWouldFold) {
  const double top = GetParam().in / 2.0;
  if (LowerNyquist() >= top) return;  // nothing that could fold
  for (int i = 0; i <= 40; ++i) {
    const double hertz = LowerNyquist() + (top - LowerNyquist()) * i / 41.0;
    const auto out = Steady(Tone(hertz, GetParam().in, Length(), 0.5, 0.3));
    EXPECT_LT(Decibels(Rms(out) / (0.5 / std::numbers::sqrt2)), -Rejection()) << hertz << " Hz";
  }
}

TEST_P(ResamplerTest, DelaysByWholeOutputSamples) {
  Resampler resampler = Make();
  const RateRatio ratio = RateRatio::Of(GetParam().in, GetParam().out);
  // An impulse at an input sample that coincides with an output sample.
  std::vector<float> in(static_cast<size_t>(3 * ratio.down) + 2000, 0.0f);
  in[static_cast<size_t>(2 * ratio.down)] = 1;
  std::vector<float> out(resampler.OutputSize(in.size()));
  resampler.Process(in, out);
  const size_t middle = static_cast<size_t>(2 * ratio.up) + resampler.delay_samples();
  ASSERT_LT(middle + 10, out.size());
  EXPECT_EQ(static_cast<size_t>(std::ranges::max_element(out) - out.begin()), middle);
  for (size_t i = 1; i <= std::min<size_t>(10, middle); ++i) {
    EXPECT_NEAR(out[middle - i], out[middle + i], 1e-6) << "linear phase";
  }
}

TEST_P(ResamplerTest, StaysWithinItsDelay) {
  const double limit = GetParam().grade == Grade::kSpeech ? 4.0 : LowerNyquist() <= 6000 ? 8.4 : 4.5;
  EXPECT_LE(Make().delay_seconds() * 1000, limit);
}

TEST_P(ResamplerTest, ContainsWhatIsNoNumber) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  auto in = Noise(3000, 0.5, 5);
  in[700] = kNan, in[701] = kInfinity, in[702] = -kInfinity, in[950] = 3e38f;
  auto held = in;
  held[700] = held[701] = held[702] = held[699];
  held[950] = held[949];
  Resampler a = Make(), b = Make();
  std::vector<float> bad(a.OutputSize(in.size())), good(bad.size());
  a.Process(in, bad);
  b.Process(held, good);
  EXPECT_EQ(bad, good) << "the last valid sample is held";
}

TEST_P(ResamplerTest, AllocatesNothingOnceBuilt) {
  Resampler resampler = Make();
  const auto in = Noise(960, 0.5, 7);
  const auto in16 = ToInt16(in);
  std::vector<float> out(8000);
  std::vector<int16_t> out16(8000);
  const long before = AllocationsOfThisThread();
  for (int i = 0; i < 20; ++i) {
    resampler.Process(in, out);
    resampler.Process(std::span(in16).first(161), out16);
  }
  resampler.Reset();
  EXPECT_EQ(AllocationsOfThisThread(), before);
}

TEST_P(ResamplerTest, ResetIsAsNew) {
  Resampler used = Make();
  const auto in = Noise(999, 0.5, 9);
  std::vector<float> first(8000), second(8000);
  const size_t count = used.Process(in, first).produced;
  used.Reset();
  EXPECT_EQ(used.Process(in, second).produced, count);
  EXPECT_EQ(first, second);
}

INSTANTIATE_TEST_SUITE_P(Ratios, ResamplerTest, testing::ValuesIn(Cases()), Name);

// The sets differ in rounding alone (a fused multiplication rounds once); each by itself is exact to the bit.
TEST(Resampler, EveryInstructionSetGivesTheSameSound) {
  const auto in = Noise(3000, 0.9, 2);
  for (const Case& c : Cases()) {
    const auto plain = InPieces(*Resampler::Create(c.in, c.out, c.grade, Isa::kPlain), in, 480, 100000);
    for (Isa isa : SupportedIsas()) {
      const Resampler resampler = *Resampler::Create(c.in, c.out, c.grade, isa);
      const auto out = InPieces(resampler, in, 480, 100000);
      ASSERT_EQ(out.size(), plain.size());
      double worst = 0;
      for (size_t i = 0; i < out.size(); ++i) worst = std::max(worst, std::abs(double{out[i]} - plain[i]));
      EXPECT_LT(worst, 3e-6) << IsaName(isa) << " " << c.in << " to " << c.out;
      EXPECT_EQ(InPieces(resampler, in, 37, 100000), out) << IsaName(isa);
      const auto in16 = ToInt16(in);
      EXPECT_EQ(InPieces(resampler, in16, 37, 100000), InPieces(resampler, in16, 480, 100000))
          << IsaName(isa);
    }
  }
}

TEST(Resampler, Int16SaturatesInsteadOfWrapping) {
  auto resampler = *Resampler::Create(8000, 16000, Grade::kSpeech);
  std::vector<int16_t> in(400);
  for (size_t i = 0; i < in.size(); ++i) in[i] = i / 8 % 2 == 0 ? 32767 : -32768;
  std::vector<int16_t> out(800);
  resampler.Process(in, out);
  EXPECT_EQ(*std::ranges::max_element(out), 32767) << "a square wave overshoots";
  for (size_t i = 1; i < out.size(); ++i) EXPECT_LT(std::abs(out[i] - out[i - 1]), 50000);
}

TEST(Resampler, RefusesRatesThatItCannotServe) {
  EXPECT_FALSE(Resampler::Create(0, 8000, Grade::kSpeech));
  EXPECT_FALSE(Resampler::Create(8000, -1, Grade::kSpeech));
  EXPECT_FALSE(Resampler::Create(8000, 10'000'000, Grade::kSpeech));
  EXPECT_FALSE(Resampler::Create(44101, 8000, Grade::kSpeech)) << "hardly a common factor";
  EXPECT_TRUE(ResampleWhole(std::vector<float>(10), 44101, 8000, Grade::kStrict).empty());
}

TEST(Resampler, WholeRecordingKeepsItsPlaceInTime) {
  const auto in = Tone(440, 44100, 44100, 0.5, 0.7);
  const auto out = ResampleWhole(in, 44100, 16000, Grade::kStrict);
  const auto wanted = Tone(440, 16000, 16000, 0.5, 0.7);
  ASSERT_EQ(out.size(), 16000u);
  double worst = 0;
  for (size_t i = 200; i < 15800; ++i)
    worst = std::max(worst, std::abs(static_cast<double>(out[i] - wanted[i])));
  EXPECT_LT(worst, 0.001);
}

}  // namespace
}  // namespace trunkline::dsp
