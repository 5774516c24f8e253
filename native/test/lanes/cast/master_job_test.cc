// Clips in a file become one sound: by hand, step after step, without threads or models.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "base/bytes.h"
#include "base/clock.h"
#include "dsp/loudness.h"
#include "dsp/true_peak.h"
#include "engine/engine.h"
#include "lanes/cast/cast.h"
#include "test/support/drained.h"
#include "test/support/own_path.h"

namespace trunkline::cast {
namespace {

constexpr int kRate = 24000;

struct Report {
  double gain, loudness, peak, range, short_term, samples;
};

struct MasterResult {
  base::Code code = base::Code::kOk;
  Report report{};
  std::vector<int16_t> pcm;
};

class MasterJobTest : public testing::Test {
 protected:
  void SetUp() override {
    engine::EngineConfig config;
    config.media_threads = 0;
    config.inference_threads = 0;
    config.jobs = 4;
    clock_->Advance(base::kNanosPerMilli);
    engine::Kinds kinds;
    kinds.AddJob(MakeMasterKind());
    engine_ = std::make_unique<engine::Engine>(config, std::move(kinds), nullptr, clock_);
    Run();
  }
  void TearDown() override { ::unlink(file_.c_str()); }

  void Run() {
    while (engine_->RunTask()) {
    }
  }

  // Bursts of a voice-like tone; gives back the clip that they are.
  Clip Add(double seconds, double hertz, double amplitude, uint64_t start, uint32_t seed) {
    Clip clip;
    clip.at = sound_.size();
    clip.start = start;
    clip.samples = static_cast<uint32_t>(seconds * kRate);
    clip.fade_in = clip.fade_out = 120;
    clip.seed = seed;
    for (uint32_t i = 0; i < clip.samples; ++i) {
      const double t = static_cast<double>(i) / kRate;
      const double burst = 0.5 + 0.5 * std::sin(2 * std::numbers::pi * 4 * t);
      double sum = 0;
      for (int k = 1; k <= 8; ++k) sum += std::sin(2 * std::numbers::pi * hertz * k * t) / k;
      sound_.push_back(static_cast<int16_t>(std::lrint(amplitude * burst * sum * 16000)));
    }
    return clip;
  }

  static std::vector<uint8_t> Plan(uint64_t samples, const std::vector<Clip>& clips) {
    std::vector<uint8_t> plan(12 + clips.size() * 36);
    base::ByteWriter writer(plan);
    writer.Write(samples);
    writer.Write(static_cast<uint32_t>(clips.size()));
    for (const Clip& clip : clips) {
      writer.Write(clip.at);
      writer.Write(clip.start);
      writer.Write(clip.samples);
      writer.Write(clip.fade_in);
      writer.Write(clip.fade_out);
      writer.Write(clip.gain);
      writer.Write(clip.seed);
    }
    return plan;
  }

  void WriteFile() {
    std::ofstream out(file_, std::ios::binary);
    out.write(reinterpret_cast<const char*>(sound_.data()),
              static_cast<std::streamsize>(sound_.size() * sizeof(int16_t)));
  }

  MasterResult Master(const std::vector<uint8_t>& plan, engine::OptionsBuilder options) {
    options.Text("file", file_).Number("rate", kRate);
    MasterResult made;
    const auto job = engine_->Submit("master", options.packed(), plan);
    if (!job.ok()) {
      made.code = job.status().code();
      return made;
    }
    for (bool ended = false; !ended;) {
      Run();
      for (const auto& record : test::DrainAll(*engine_)) {
        if (record.type == engine::kJobEndEvent) {
          made.code = record.code();
          ended = true;
        }
      }
      for (engine::Chunk chunk; engine_->Take(*job, chunk);) {
        if (made.report.samples == 0) {
          made.report = base::Load<Report>(chunk.data());
        } else {
          const size_t from = made.pcm.size();
          made.pcm.resize(from + chunk.size() / 2);
          std::memcpy(made.pcm.data() + from, chunk.data(), chunk.size());
        }
      }
    }
    return made;
  }

  std::string file_ = test::OwnPath("clips");
  std::vector<int16_t> sound_;
  std::shared_ptr<base::ManualClock> clock_ = std::make_shared<base::ManualClock>();
  std::unique_ptr<engine::Engine> engine_;
};

std::vector<float> Floats(const std::vector<int16_t>& pcm) {
  std::vector<float> out;
  for (const int16_t sample : pcm) out.push_back(static_cast<float>(sample) / 32768);
  return out;
}

TEST_F(MasterJobTest, BringsClipsToTheLoudnessUnderTheCeiling) {
  std::vector<Clip> clips;
  for (uint32_t i = 0; i < 6; ++i) clips.push_back(Add(2, 110 + 40 * i, 0.05 + 0.05 * i, i * 54000, i));
  WriteFile();
  const uint64_t all = 6 * 54000;
  const MasterResult made =
      Master(Plan(all, clips), engine::OptionsBuilder().Number("target", -16).Number("room_tone", -66));
  ASSERT_EQ(made.code, base::Code::kOk);
  ASSERT_EQ(made.pcm.size(), all);
  const auto sound = Floats(made.pcm);
  dsp::LoudnessMeter loudness(kRate);
  loudness.Add(sound);
  EXPECT_NEAR(loudness.Integrated(), -16, 0.1);
  EXPECT_NEAR(made.report.loudness, loudness.Integrated(), 0.01);
  dsp::TruePeakMeter peak;
  peak.Add(sound);
  EXPECT_LE(peak.Dbtp(), -1);
  EXPECT_NEAR(made.report.peak, peak.Dbtp(), 0.02);
}

TEST_F(MasterJobTest, TheRoomsToneLiesUnderThePauses) {
  const Clip clip = Add(1, 150, 0.2, 24000, 7);
  WriteFile();
  const MasterResult made = Master(Plan(72000, {clip}), engine::OptionsBuilder().Number("room_tone", -60));
  const auto sound = Floats(made.pcm);
  double sum = 0;
  for (size_t i = 50000; i < 72000; ++i) sum += static_cast<double>(sound[i]) * sound[i];
  EXPECT_NEAR(10 * std::log10(sum / 22000), -60, 1);
}

// An edited line is longer; what comes before it and after it stays, bit for bit.
TEST_F(MasterJobTest, WhatWasNotEditedStaysToTheBit) {
  std::vector<Clip> clips;
  for (uint32_t i = 0; i < 12; ++i) clips.push_back(Add(2, 120 + 15 * i, 0.15, i * 60000, 100 + i));
  const Clip edited = Add(2.5, 200, 0.16, 5 * 60000, 999);
  WriteFile();
  const auto options = engine::OptionsBuilder().Number("room_tone", -66);
  const MasterResult before = Master(Plan(12 * 60000, clips), options);
  clips[5] = edited;
  for (size_t i = 6; i < clips.size(); ++i) clips[i].start += 12000;
  const MasterResult after =
      Master(Plan(12 * 60000 + 12000, clips),
             engine::OptionsBuilder().Number("room_tone", -66).Number("gain", before.report.gain));
  EXPECT_EQ(after.report.gain, before.report.gain);
  EXPECT_NEAR(after.report.loudness, -16, 0.2);
  const auto from = [](const MasterResult& made, size_t first, size_t last) {
    return std::vector<int16_t>(made.pcm.begin() + static_cast<std::ptrdiff_t>(first),
                                made.pcm.begin() + static_cast<std::ptrdiff_t>(last));
  };
  EXPECT_EQ(from(after, 0, 5 * 60000 - 2000), from(before, 0, 5 * 60000 - 2000));
  EXPECT_EQ(from(after, 6 * 60000 + 12000, 12 * 60000 + 12000), from(before, 6 * 60000, 12 * 60000));
  EXPECT_NE(from(after, 5 * 60000, 6 * 60000), from(before, 5 * 60000, 6 * 60000));
}

TEST_F(MasterJobTest, OverlappingClipsAreAddedUnderTheCeiling) {
  const Clip one = Add(2, 130, 0.9, 0, 1);
  Clip other = Add(2, 190, 0.9, 24000, 2);
  other.fade_in = 2400;
  WriteFile();
  const MasterResult made =
      Master(Plan(72000, {one, other}), engine::OptionsBuilder().Number("gain", 6).Number("fixed", 1));
  EXPECT_EQ(made.report.gain, 6);
  EXPECT_LE(made.report.peak, -1);
}

TEST_F(MasterJobTest, SilenceStaysSilenceAndNothingIsNothing) {
  const Clip clip = Add(1, 150, 0, 0, 1);
  WriteFile();
  const MasterResult silent = Master(Plan(24000, {clip}), engine::OptionsBuilder());
  EXPECT_EQ(silent.report.loudness, dsp::kNoLoudness);
  EXPECT_EQ(silent.pcm, std::vector<int16_t>(24000));
}

TEST_F(MasterJobTest, ABrokenPlanAndAShortFileAreRefused) {
  Clip clip = Add(1, 150, 0.2, 0, 1);
  WriteFile();
  auto plan = Plan(24000, {clip});
  plan.resize(plan.size() - 1);
  EXPECT_EQ(Master(plan, engine::OptionsBuilder()).code, base::Code::kInvalidArgument);
  EXPECT_EQ(Master({}, engine::OptionsBuilder()).code, base::Code::kInvalidArgument);
  clip.samples += 10;
  EXPECT_EQ(Master(Plan(24010, {clip}), engine::OptionsBuilder()).code, base::Code::kBadAudio);
  clip.at = 1U << 30;
  EXPECT_EQ(Master(Plan(24000, {clip}), engine::OptionsBuilder()).code, base::Code::kBadAudio);
}

}  // namespace
}  // namespace trunkline::cast
