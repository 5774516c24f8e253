// Who hears what a playout sends, and speaks into it.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "lanes/omni/playout.h"

namespace trunkline::omni {

constexpr int kRate = 8000;
constexpr size_t kFrame = kRate / 50;
constexpr uint64_t kTick = kRate / 100;

struct PlayoutListener : PlayoutSink {
  std::vector<int16_t> samples;
  std::vector<std::string> log;
  std::vector<PlayedSegment> last;
  bool open = true;

  bool Frame(std::span<const int16_t> frame) override {
    if (!open) return false;
    EXPECT_EQ(frame.size(), kFrame);
    samples.insert(samples.end(), frame.begin(), frame.end());
    return true;
  }
  void Playing(uint32_t speech, uint32_t segment, uint64_t clock) override {
    log.push_back("play " + std::to_string(speech) + "." + std::to_string(segment) + " @" +
                  std::to_string(clock));
  }
  void SpeechPlayed(uint32_t speech, std::span<const PlayedSegment> segments) override {
    log.push_back("done " + std::to_string(speech));
    last.assign(segments.begin(), segments.end());
  }
};

inline std::vector<int16_t> Ramp(size_t count, int16_t first) {
  std::vector<int16_t> samples(count);
  std::iota(samples.begin(), samples.end(), first);
  return samples;
}

inline void Say(Playout& playout, uint32_t speech, uint32_t segment, const std::vector<int16_t>& samples,
                bool held = false) {
  ASSERT_TRUE(playout.BeginSegment(speech, segment, held));
  ASSERT_EQ(playout.Append(samples), samples.size());
  playout.EndSegment();
}

}  // namespace trunkline::omni
