#include "tts/harmonic_vocoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

namespace trunkline::tts {
namespace {

// The reference is made by models/recipes/hibari/reference.py makes them.
constexpr size_t kFrames = 24;
constexpr uint64_t kSeed = 7;

std::vector<float> Waves(double mean, double size, double pace) {
  std::vector<float> out(kVocoderBins * kFrames);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(mean + size * std::sin(pace * static_cast<double>(i)));
  return out;
}

struct Spectra {
  std::vector<float> harmonic = Waves(-1, 1.5, 0.013), harmonic_phase = Waves(0, 2, 0.007);
  std::vector<float> noise = Waves(-4, 1, 0.011);
  std::vector<float> free = Waves(-5, 1, 0.017), free_phase = Waves(0, 40, 0.019);
  std::vector<float> hertz;

  Spectra() {
    for (size_t frame = 0; frame < kFrames; ++frame)
      hertz.push_back(frame == 3 || frame == 4 || frame == 11 ? 0 : 110 + 4 * static_cast<float>(frame));
  }
  VocoderInput input() const { return {harmonic, harmonic_phase, noise, free, free_phase, hertz}; }

  std::vector<float> Make(const std::vector<size_t>& steps) const {
    HarmonicVocoder vocoder(input(), kSeed);
    std::vector<float> out;
    for (size_t i = 0; !vocoder.done(); ++i) vocoder.Step(steps[i % steps.size()], out);
    return out;
  }
};

TEST(HarmonicVocoderTest, MakesTheWaveOfThePublishedVocoder) {
  std::vector<float> expected(kFrames * kVocoderHop);
  std::ifstream file(std::string(TRUNKLINE_VECTORS) + "/hibari_vocoder.bin", std::ios::binary);
  file.read(reinterpret_cast<char*>(expected.data()),
            static_cast<std::streamsize>(expected.size() * sizeof(float)));
  ASSERT_TRUE(file.good());
  const auto made = Spectra().Make({kFrames});
  ASSERT_EQ(made.size(), expected.size());
  double power = 0, error = 0;
  for (size_t i = 0; i < made.size(); ++i) {
    power += std::pow(static_cast<double>(expected[i]), 2);
    error += std::pow(static_cast<double>(expected[i]) - static_cast<double>(made[i]), 2);
  }
  EXPECT_GT(10 * std::log10(power / error), 80);
}

TEST(HarmonicVocoderTest, AnySplitGivesTheSameSamples) {
  const Spectra spectra;
  const auto whole = spectra.Make({kFrames});
  EXPECT_EQ(spectra.Make({1}), whole);
  EXPECT_EQ(spectra.Make({5, 2, 11}), whole);
}

TEST(HarmonicVocoderTest, AFrameAloneIsSpoken) {
  const Spectra spectra;
  VocoderInput input = spectra.input();
  const auto first = [](std::span<const float> rows) { return rows.first(kVocoderBins); };
  input = {first(input.harmonic), first(input.harmonic_phase), first(input.noise),
           first(input.free),     first(input.free_phase),     input.hertz.first(1)};
  HarmonicVocoder vocoder(input, kSeed);
  std::vector<float> out;
  vocoder.Step(4, out);
  EXPECT_TRUE(vocoder.done());
  EXPECT_EQ(out.size(), kVocoderHop);
  for (const float sample : out) EXPECT_TRUE(std::isfinite(sample));
}

}  // namespace
}  // namespace trunkline::tts
