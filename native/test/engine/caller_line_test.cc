#include "engine/caller_line.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace trunkline::engine {
namespace {

constexpr int kRate = 8000;
constexpr size_t kTick = kRate / 100;

struct Wire : PlayoutSink {
  std::vector<int16_t> sounded;  // by the clock of the player at the other end
  size_t now = 0, to = 0;
  bool Frame(std::span<const int16_t> frame) override {
    to = std::max(to, now);
    sounded.resize(std::max(sounded.size(), to + frame.size()));
    std::copy(frame.begin(), frame.end(), sounded.begin() + static_cast<ptrdiff_t>(to));
    to += frame.size();
    return true;
  }
  void Playing(uint32_t, uint32_t, uint64_t) override {}
  void SpeechPlayed(uint32_t, std::span<const PlayedSegment>) override {}
};

// An agent that speaks on and on, and a caller whose loudspeaker is heard by their microphone.
struct Call {
  void Run(double seconds, size_t frame_ms = 20, size_t late_ms = 0) {
    const size_t frame = frame_ms * kRate / 1000;
    for (const uint64_t end = clock + static_cast<uint64_t>(seconds * kRate); clock < end; clock += kTick) {
      if (playout.queued_s() < 1) Speak();
      wire.now = clock;
      // A late frame comes with the one after it.
      const bool holds = late_ms > 0 && random() % 10 == 0;
      while (!holds && recorded + frame <= clock) Take(frame);
      line.Tick(playout.sounding_dbfs(clock));
      playout.Tick(clock, wire);
    }
  }
  void Speak() {
    std::normal_distribution<float> noise(0, 1);
    std::vector<int16_t> said(kRate);
    float held = 0;
    for (size_t i = 0; i < said.size(); ++i) {
      held = 0.7f * held + noise(random);
      const float syllable = 0.5f + 0.5f * std::sin(static_cast<float>(i) / 250.0f);
      said[i] = static_cast<int16_t>(2500 * syllable * held);
    }
    playout.BeginSegment(1, segment++, false);
    playout.Append(said);
    playout.EndSegment();
  }
  void Take(size_t frame) {
    std::vector<int16_t> pcm(frame);
    for (size_t i = 0; i < frame; ++i, ++recorded) {
      const int64_t at = static_cast<int64_t>(recorded) - 960;
      const bool heard = at >= 0 && static_cast<size_t>(at) < wire.sounded.size();
      pcm[i] = heard ? static_cast<int16_t>(wire.sounded[static_cast<size_t>(at)] / 10) : int16_t{0};
    }
    taken += line.Take(pcm, clock, playout).size();
  }

  Playout playout{PlayoutOptions{.rate = kRate}};
  CallerLine line{kRate};
  Wire wire;
  std::mt19937 random{3};
  uint64_t clock = 0;
  size_t recorded = 0, taken = 0;
  uint32_t segment = 0;
};

TEST(CallerLine, TakesOutTheEchoOfALineWhoseFramesComeInTimeOrNot) {
  for (const auto& [frame_ms, late_ms] : {std::pair{20, 0}, {20, 40}, {10, 0}, {60, 0}, {200, 0}}) {
    Call call;
    call.Run(5, static_cast<size_t>(frame_ms), static_cast<size_t>(late_ms));
    EXPECT_LT(call.line.level_dbfs(), -52) << frame_ms << " ms, late " << late_ms;
    EXPECT_EQ(call.taken, call.recorded);
  }
}

TEST(CallerLine, LosesNothingOfFramesOfAnyLength) {
  CallerLine line(kRate);
  Playout playout({.rate = kRate});
  std::mt19937 random(5);
  std::vector<int16_t> sent, taken;
  for (uint64_t clock = 0; clock < 10 * kRate; clock = sent.size()) {
    std::vector<int16_t> frame(1 + random() % 700);
    for (int16_t& sample : frame) sample = static_cast<int16_t>(random());
    sent.insert(sent.end(), frame.begin(), frame.end());
    const auto clean = line.Take(frame, clock, playout);
    taken.insert(taken.end(), clean.begin(), clean.end());
  }
  EXPECT_LT(sent.size() - taken.size(), kTick);
  sent.resize(taken.size());
  EXPECT_EQ(taken, sent);
}

TEST(CallerLine, IsSilentWhenNothingComes) {
  CallerLine line(kRate);
  Playout playout({.rate = kRate});
  line.Take(std::vector<int16_t>(160, 5000), 160, playout);
  for (int tick = 0; tick < 5; ++tick) line.Tick(-127);
  EXPECT_GT(line.level_dbfs(), -20);
  for (int tick = 0; tick < 5; ++tick) line.Tick(-127);
  EXPECT_EQ(line.level_dbfs(), dsp::kSilenceDbfs);
}

}  // namespace
}  // namespace trunkline::engine
