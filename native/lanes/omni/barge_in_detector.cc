#include "lanes/omni/barge_in_detector.h"

#include <algorithm>

namespace trunkline::omni {
namespace {

// A dip inside a word does not separate two sounds.
constexpr int64_t kWordDipMs = 60;
// The detector asks for text again this soon after an unclear result.
constexpr int64_t kRetryTextMs = 30;
// A sound that follows within this time belongs to the one before, if both fit into the recognizer's input.
constexpr int64_t kFollowsMs = 300;
constexpr int64_t kMaxSoundMs = 800;
// Results in a row that must have other words before a backchannel becomes an interruption.
constexpr int kOthers = 2;

}  // namespace

BargeInOptions BargeInNormal() {
  return {};
}

BargeInOptions BargeInHigh() {
  BargeInOptions options;
  options.gate_dbfs = -50;
  options.latest_ms = 120;
  options.speech_ms = 80;
  options.uses_text = false;
  return options;
}

BargeInOptions BargeInLow() {
  BargeInOptions options;
  options.gate_dbfs = -34;
  options.frames = 3;
  options.start = 0.7f;
  options.sure = 1.1f;
  options.speech_ms = 180;
  options.persist_ms = 1200;
  return options;
}

BargeInOptions BargeInGate(float dbfs) {
  BargeInOptions options;
  options.gate_dbfs = dbfs;
  return options;
}

bool BargeInDetector::Audible(const BargeInSound& sound) const {
  return sound.level_dbfs >= options_.gate_dbfs && sound.level_dbfs >= sound.echo_dbfs + kAboveEchoDb;
}

BargeInStep BargeInDetector::Tick(int64_t now_ms, const BargeInSound& sound, bool agent_playing) {
  if (now_ms != last_ms_) {
    Listen(now_ms, sound);
    CountFrames(sound);
    duck_trigger_.Listen(now_ms, sound.level_dbfs, sound.echo_dbfs + kAboveEchoDb, sound.frames,
                         sound.probability);
    last_ms_ = now_ms;
  }
  if (!agent_playing) {
    state_ = State::kIdle;
    duck_trigger_.TakenOver();
    return {};
  }
  if (state_ == State::kSuspecting) return Weigh(now_ms, sound);
  if (state_ == State::kWatching) return Watch(now_ms, sound.others);
  const bool likely = sure_ || likely_frames_ >= options_.frames;
  const bool lasts = loud_last_ms_ == now_ms && now_ms - loud_since_ms_ >= options_.min_ms;
  return likely && lasts && !sound.others ? Suspect(now_ms) : DecideDuck(now_ms, sound.others);
}

BargeInStep BargeInDetector::DecideDuck(int64_t now_ms, bool others) {
  if (others && !duck_trigger_.ducked()) return {};
  const DuckTrigger::Step step = duck_trigger_.Decide(now_ms);
  return {.duck = step == DuckTrigger::Step::kDuck, .resume = step == DuckTrigger::Step::kUnduck};
}

void BargeInDetector::Listen(int64_t now_ms, const BargeInSound& sound) {
  if (Audible(sound)) {
    if (loud_since_ms_ < 0) loud_since_ms_ = now_ms;
    loud_last_ms_ = now_ms;
  } else if (now_ms - loud_last_ms_ > kWordDipMs) {
    loud_since_ms_ = -1;
  }
  if (Audible(sound) && sound.probability >= options_.hold) {
    spoken_ms_ += now_ms - last_ms_;
    quiet_since_ms_ = -1;
  } else if (quiet_since_ms_ < 0) {
    quiet_since_ms_ = now_ms;
  }
}

void BargeInDetector::CountFrames(const BargeInSound& sound) {
  if (sound.frames == frames_) return;
  frames_ = sound.frames;
  const bool likely = Audible(sound) && sound.probability >= options_.start;
  likely_frames_ = likely ? likely_frames_ + 1 : 0;
  sure_ = likely && sound.probability >= options_.sure;
}

BargeInStep BargeInDetector::Suspect(int64_t now_ms) {
  state_ = State::kSuspecting;
  ++suspicion_;
  since_ms_ = now_ms;
  began_ms_ = loud_since_ms_;
  const bool follows = began_ms_ - ended_ms_ < kFollowsMs && now_ms - onset_ms_ < kMaxSoundMs;
  if (!follows) onset_ms_ = began_ms_;
  spoken_ms_ = now_ms - began_ms_;
  quiet_since_ms_ = -1;
  asking_ = answered_ = false;
  asked_ms_ = -1;
  words_ = TextVerdict::kUnclear;
  const bool ducked = duck_trigger_.ducked();
  duck_trigger_.TakenOver();
  return {.duck = !ducked};
}

BargeInStep BargeInDetector::Weigh(int64_t now_ms, const BargeInSound& sound) {
  if (sound.echo || sound.others) return Resume(State::kIdle);
  const int64_t left = DecidedAt() - now_ms;
  const bool speech = spoken_ms_ >= options_.speech_ms;
  // While the voice detector still reports speech, the silence is a stop consonant inside a word.
  const int64_t silence = sound.probability >= options_.hold ? options_.word_quiet_ms : options_.quiet_ms;
  if (Quiet(now_ms, silence) && !speech) return Resume(State::kIdle);
  if (answered_ && words_ == TextVerdict::kTurn && speech) return Interrupt();
  if (answered_ && (words_ == TextVerdict::kBackchannel || words_ == TextVerdict::kNone))
    return Resume(State::kWatching);
  if (left <= (asking_ ? -options_.grace_ms : 0)) {
    return speech ? Interrupt() : Resume(State::kWatching);
  }
  if (!options_.uses_text || asking_) return {};
  const bool ended = Quiet(now_ms, options_.word_quiet_ms);
  const bool again = asked_ms_ < 0 || now_ms - asked_ms_ >= kRetryTextMs;
  if (!again || (left > options_.first_text_ms && !ended)) return {};
  const auto span = static_cast<float>(options_.first_text_ms - options_.last_text_ms);
  const float confidence_margin = static_cast<float>(left - options_.last_text_ms) / span;
  return Ask(now_ms, ended ? 0 : std::clamp(confidence_margin, 0.0f, 1.0f));
}

int64_t BargeInDetector::DecidedAt() const {
  const int64_t latest = since_ms_ + options_.latest_ms;
  return std::min(latest, std::max(began_ms_ + options_.within_ms, since_ms_ + 2 * options_.first_text_ms));
}

BargeInStep BargeInDetector::Watch(int64_t now_ms, bool others) {
  if (others) return Resume(State::kIdle);
  if (spoken_ms_ >= options_.persist_ms) return Interrupt();
  if (asking_) return {};
  const bool quiet = Quiet(now_ms, options_.word_quiet_ms);
  if (answered_) {
    // The recognizer often misreads a word that is just ending.
    answered_ = false;
    others_ = words_ == TextVerdict::kTurn ? others_ + 1 : 0;
    const bool enough = others_ >= (sure_words_ ? 1 : kOthers);
    if (enough && !Quiet(now_ms, options_.quiet_ms)) return Interrupt();
  }
  if (quiet && asked_ms_ >= quiet_since_ms_ + options_.quiet_ms) {
    state_ = State::kIdle;
    ended_ms_ = quiet_since_ms_;
    likely_frames_ = 0;
    sure_ = false;
    return {};
  }
  // The detector asks again until it is quiet, and once more then, because the last word may differ.
  return quiet || now_ms - asked_ms_ >= options_.next_text_ms ? Ask(now_ms, 0.5f) : BargeInStep{};
}

BargeInStep BargeInDetector::Ask(int64_t now_ms, float confidence_margin) {
  asking_ = true;
  answered_ = false;
  asked_ms_ = now_ms;
  return {.needs_text = true, .confidence_margin = confidence_margin};
}

BargeInStep BargeInDetector::Interrupt() {
  duck_trigger_.WasRight();
  state_ = State::kIdle;
  likely_frames_ = 0;
  sure_ = false;
  return {.interrupt = true};
}

BargeInStep BargeInDetector::Resume(State next) {
  state_ = next;
  others_ = 0;
  likely_frames_ = 0;
  sure_ = false;
  answered_ = false;
  return {.resume = true};
}

void BargeInDetector::Heard(uint32_t suspicion, TextVerdict words, bool sure) {
  if (suspicion != suspicion_ || state_ == State::kIdle) return;
  asking_ = false;
  answered_ = true;
  words_ = words;
  sure_words_ = sure;
}

}  // namespace trunkline::omni
