// Golden vectors: what the stages gave when they were last judged right. They notice a change that no
// property forbids. Regenerate them, after looking at why they changed, with TRUNKLINE_REGENERATE_VECTORS=1.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "dsp/call_tones.h"
#include "dsp/dtmf.h"
#include "dsp/level.h"
#include "dsp/limiter.h"
#include "dsp/resampler.h"
#include "test/dsp/signals.h"

namespace trunkline::dsp {
namespace {

// Instruction sets round differently: a fused multiplication rounds once.
constexpr double kTolerance = 2e-5;

using Rows = std::vector<std::pair<std::string, std::vector<double>>>;

std::string PathOf(const std::string& name) {
  return std::string(TRUNKLINE_VECTORS) + "/dsp/" + name + ".txt";
}

void Write(const std::string& name, const Rows& rows) {
  std::ofstream file(PathOf(name));
  file.precision(7);
  for (const auto& [label, values] : rows) {
    file << label;
    for (double value : values) file << ' ' << value;
    file << '\n';
  }
}

Rows Read(const std::string& name) {
  Rows rows;
  std::ifstream file(PathOf(name));
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::string label;
    in >> label;
    std::vector<double> values;
    for (double value; in >> value;) values.push_back(value);
    rows.emplace_back(label, values);
  }
  return rows;
}

void Compare(const std::string& name, const Rows& rows) {
  if (std::getenv("TRUNKLINE_REGENERATE_VECTORS")) Write(name, rows);
  const Rows golden = Read(name);
  ASSERT_EQ(golden.size(), rows.size()) << PathOf(name);
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(golden[i].first, rows[i].first);
    ASSERT_EQ(golden[i].second.size(), rows[i].second.size()) << rows[i].first;
    for (size_t k = 0; k < rows[i].second.size(); ++k) {
      const double allowed = kTolerance * std::max(1.0, std::abs(golden[i].second[k]));
      EXPECT_NEAR(golden[i].second[k], rows[i].second[k], allowed) << rows[i].first << " " << k;
    }
  }
}

// A chirp: the same on every machine, and every frequency occurs.
std::vector<float> Chirp(size_t count) {
  std::vector<float> samples(count);
  for (size_t i = 0; i < count; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(count);
    samples[i] =
        static_cast<float>(0.6 * std::sin(0.35 * static_cast<double>(count) * t * t * std::numbers::pi));
  }
  return samples;
}

TEST(Golden, Resamplers) {
  constexpr int kPairs[][2] = {{24000, 16000}, {24000, 8000}, {48000, 16000}, {8000, 16000},
                               {16000, 8000},  {8000, 24000}, {22050, 16000}, {44100, 8000}};
  Rows rows;
  for (const auto& [from, to] : kPairs) {
    for (Grade grade : {Grade::kStrict, Grade::kSpeech}) {
      auto resampler = *Resampler::Create(from, to, grade);
      const auto in = Chirp(2000);
      std::vector<float> out(resampler.OutputSize(in.size()));
      resampler.Process(in, out);
      std::vector<double> values = {static_cast<double>(out.size()),
                                    static_cast<double>(resampler.delay_samples())};
      for (size_t i = 0; i < out.size(); i += out.size() / 40) values.push_back(out[i]);
      rows.emplace_back(
          std::to_string(from) + "-" + std::to_string(to) + (grade == Grade::kStrict ? "-strict" : "-speech"),
          values);
    }
  }
  Compare("resamplers", rows);
}

TEST(Golden, LevelAndLimiter) {
  auto in = Chirp(8000);
  for (size_t i = 0; i < in.size(); ++i) in[i] *= static_cast<float>(i / 2000 % 2 == 0 ? 0.05 : 3);
  LevelMeter meter(8000);
  std::vector<LevelReading> readings(100);
  meter.Process(in, readings);
  Rows rows;
  for (size_t i = 0; i < readings.size(); i += 9) {
    rows.emplace_back("window" + std::to_string(i),
                      std::vector<double>{readings[i].rms_dbfs, readings[i].peak_dbfs,
                                          readings[i].smooth_dbfs, readings[i].floor_dbfs});
  }
  Limiter limiter(8000);
  std::vector<float> out(in.size());
  limiter.Process(in, out);
  std::vector<double> limited;
  for (size_t i = 0; i < out.size(); i += 97) limited.push_back(out[i]);
  rows.emplace_back("limiter", limited);
  Compare("level", rows);
}

TEST(Golden, Tones) {
  std::vector<float> sound(500);
  auto digits = *DtmfGenerator::Create(8000, "12#A", {.tone_ms = 60, .pause_ms = 50});
  std::vector<float> dialled(8000);
  dialled.resize(digits.Process(dialled));
  Append(sound, dialled);
  sound.resize(sound.size() + 800);
  Append(sound, Tone(1100, 8000, 4000, 0.1));
  sound.resize(sound.size() + 2000);
  Append(sound, Tone(440, 8000, 2400, 0.05));
  sound.resize(sound.size() + 2000);
  Rows rows;
  DtmfDetector dtmf(8000);
  std::vector<DtmfEvent> heard(32);
  heard.resize(dtmf.Process(sound, heard));
  for (const DtmfEvent& event : heard) {
    rows.emplace_back(std::string(event.ended ? "end-" : "begin-") + event.digit,
                      std::vector<double>{static_cast<double>(event.start), static_cast<double>(event.end)});
  }
  CallToneDetector tones(8000);
  std::vector<CallToneEvent> events(32);
  events.resize(tones.Process(sound, events));
  for (const CallToneEvent& event : events) {
    rows.emplace_back("tone" + std::to_string(static_cast<int>(event.tone)),
                      std::vector<double>{static_cast<double>(event.start), static_cast<double>(event.end),
                                          std::round(event.frequency)});
  }
  Compare("tones", rows);
}

}  // namespace
}  // namespace trunkline::dsp
