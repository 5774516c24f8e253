// A judge of interruptions, and what it hears in ticks of 10 ms.
#pragma once

#include <string>
#include <vector>

#include "omni/barge_judge.h"

namespace trunkline::test {

using Log = std::vector<std::string>;

// Plays a scene of 10 ms ticks and notes what the judge does, as "duck@40".
struct BargeScene {
  explicit BargeScene(const omni::BargeOptions& options) : judge(options) {}

  void Run(int64_t ms, float level, float probability, bool playing = true) {
    if (!log.empty() && log.back() == "cut") return;
    for (int64_t end = now + ms; now < end; now += 10) {
      const omni::BargeSound sound{level, static_cast<uint64_t>(now / 32), probability, echo_dbfs, echo};
      const auto step = judge.Tick(now, sound, playing);
      if (step.duck) Note("duck");
      if (step.ask_words) {
        Note("ask");
        if (answers) judge.Heard(judge.suspicion(), answer, sure);
      }
      if (step.resume) Note("resume");
      // What comes after a cut is another scene.
      if (step.cut) {
        Note("cut");
        return;
      }
    }
  }
  void Note(const char* what) { log.push_back(what), times.push_back(now); }

  omni::BargeJudge judge;
  int64_t now = 0;
  omni::Words answer = omni::Words::kUnclear;
  bool answers = true;
  bool sure = false;
  float echo_dbfs = -127;
  bool echo = false;
  std::vector<std::string> log;
  std::vector<int64_t> times;
};

}  // namespace trunkline::test
