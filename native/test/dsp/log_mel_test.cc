#include "dsp/log_mel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <numbers>

namespace trunkline::dsp {
namespace {

// The signal of vectors/make_log_mel.py.
std::vector<float> Signal(size_t count) {
  std::vector<float> out(count, 0.0f);
  uint32_t state = 12345;
  for (size_t i = 0; i < count * 3 / 4; ++i) {
    state = state * 1664525u + 1013904223u;
    const double noise = state / 4294967296.0 - 0.5, t = static_cast<double>(i) / 16000.0;
    out[i] = static_cast<float>(0.3 * std::sin(2 * std::numbers::pi * (200 + 900 * t) * t) +
                                0.1 * std::sin(2 * std::numbers::pi * 3100 * t) + 0.02 * noise);
  }
  return out;
}

TEST(LogMel, IsTheReferenceSpectrum) {
  const size_t frames = 100;
  std::vector<float> expected(LogMel::kBands * frames), mel(expected.size());
  std::ifstream file(std::string(TRUNKLINE_VECTORS) + "/log_mel.bin", std::ios::binary);
  ASSERT_TRUE(file.read(reinterpret_cast<char*>(expected.data()),
                        static_cast<std::streamsize>(expected.size() * sizeof(float))));
  LogMel().Compute(Signal(16000), frames, mel);
  for (size_t i = 0; i < mel.size(); ++i) ASSERT_NEAR(mel[i], expected[i], 2e-4) << "value " << i;
}

TEST(LogMel, PaddingIsTheSameAsSilence) {
  const LogMel log_mel;
  std::vector<float> samples = Signal(20000);
  samples.resize(9001);
  const size_t frames = 300;
  std::vector<float> padded(LogMel::kBands * frames), silent(padded.size());
  log_mel.Compute(samples, frames, padded);
  samples.resize(frames * LogMel::kHop, 0.0f);
  log_mel.Compute(samples, frames, silent);
  EXPECT_EQ(padded, silent);
}

TEST(LogMel, ContainsWhatIsNoNumber) {
  const LogMel log_mel;
  std::vector<float> samples = Signal(16000), bad = samples;
  samples[8000] = samples[8001] = samples[8002] = 0;
  bad[8000] = std::numeric_limits<float>::quiet_NaN();
  bad[8001] = std::numeric_limits<float>::infinity();
  bad[8002] = -3e38f;
  std::vector<float> wanted(LogMel::kBands * 100), mel(wanted.size());
  log_mel.Compute(samples, 100, wanted);
  log_mel.Compute(bad, 100, mel);
  EXPECT_EQ(mel, wanted);
}

TEST(LogMel, SilenceAndNothingAreFlat) {
  const LogMel log_mel;
  std::vector<float> mel(LogMel::kBands * 10);
  log_mel.Compute({}, 10, mel);
  for (const float value : mel) ASSERT_FLOAT_EQ(value, -1.5f);
}

}  // namespace
}  // namespace trunkline::dsp
