#include "engine/barge_judge.h"

namespace trunkline::engine {

BargeOptions BargeNormal() {
  return {};
}

BargeOptions BargeHigh() {
  BargeOptions options;
  options.gate_dbfs = -50;
  options.decide_ms = 120;
  options.latest_ms = 120;
  options.speech_ms = 80;
  options.heed_words = false;
  return options;
}

BargeOptions BargeLow() {
  BargeOptions options;
  options.gate_dbfs = -34;
  options.frames = 3;
  options.start = 0.7f;
  options.speech_ms = 220;
  options.insist_ms = 1000;
  return options;
}

BargeOptions BargeGate(float dbfs) {
  BargeOptions options;
  options.gate_dbfs = dbfs;
  return options;
}

bool BargeJudge::Loud(float level_dbfs, float probability, float least) const {
  return probability >= least && level_dbfs >= options_.gate_dbfs;
}

BargeStep BargeJudge::Tick(int64_t now_ms, float level_dbfs, uint64_t frames, float probability,
                           bool agent_playing) {
  const int64_t passed = now_ms - last_ms_;
  last_ms_ = now_ms;
  if (frames != frames_) {
    frames_ = frames;
    loud_frames_ = Loud(level_dbfs, probability, options_.start) ? loud_frames_ + 1 : 0;
  }
  if (!agent_playing) {
    state_ = State::kIdle;
    return {};
  }
  if (state_ == State::kIdle) return loud_frames_ >= options_.frames ? Suspect(now_ms) : BargeStep{};
  if (Loud(level_dbfs, probability, options_.hold)) {
    spoken_ms_ += passed;
    quiet_since_ms_ = -1;
  } else if (quiet_since_ms_ < 0) {
    quiet_since_ms_ = now_ms;
  }
  return state_ == State::kSuspecting ? Weigh(now_ms) : Watch(now_ms);
}

BargeStep BargeJudge::Suspect(int64_t now_ms) {
  state_ = State::kSuspecting;
  ++suspicion_;
  since_ms_ = now_ms;
  spoken_ms_ = 0;
  quiet_since_ms_ = -1;
  asked_ = false;
  words_ = Words::kUnknown;
  return {.duck = true};
}

BargeStep BargeJudge::Weigh(int64_t now_ms) {
  const int64_t age = now_ms - since_ms_;
  const bool quiet = quiet_since_ms_ >= 0 && now_ms - quiet_since_ms_ >= options_.quiet_ms;
  if (quiet) return Resume(State::kIdle);
  if (options_.heed_words && !asked_ && age >= options_.ask_ms) {
    asked_ = true;
    return {.ask_words = true};
  }
  if (age < options_.decide_ms) return {};
  const bool waiting = options_.heed_words && words_ == Words::kUnknown;
  if (waiting && age < options_.latest_ms) return {};
  const bool listening = words_ == Words::kListening || words_ == Words::kNone;
  if (listening || spoken_ms_ < options_.speech_ms) return Resume(State::kWatching);
  return Cut();
}

BargeStep BargeJudge::Watch(int64_t now_ms) {
  if (quiet_since_ms_ >= 0 && now_ms - quiet_since_ms_ >= options_.quiet_ms) {
    state_ = State::kIdle;
    loud_frames_ = 0;
    return {};
  }
  return spoken_ms_ >= options_.insist_ms ? Cut() : BargeStep{};
}

BargeStep BargeJudge::Cut() {
  state_ = State::kIdle;
  loud_frames_ = 0;
  return {.cut = true};
}

BargeStep BargeJudge::Resume(State next) {
  state_ = next;
  loud_frames_ = 0;
  return {.resume = true};
}

void BargeJudge::Heard(uint32_t suspicion, Words words) {
  if (suspicion == suspicion_ && state_ == State::kSuspecting) words_ = words;
}

}  // namespace trunkline::engine
