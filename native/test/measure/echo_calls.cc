// Measures the effect of an echo on interruptions, by the lane's own classes in virtual time: recorded
// callers of the development half speak under the agent's voice, while a part of that comes back.
//
// ninja -C build-native-test measure_echo_calls && build-native-test/measure_echo_calls [WORD of a line…]
//
// Every suspicion is answered with "something is said" 30 ms later, which is harsher than the recognizer.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <optional>
#include <random>

#include "dsp/g711.h"
#include "dsp/level.h"
#include "lanes/omni/barge_in_detector.h"
#include "lanes/omni/echo_cancelled_input.h"
#include "lanes/omni/playout.h"
#include "onnx/runtime.h"
#include "test/measure/callers.h"
#include "test/support/omni_scene.h"
#include "test/support/speech.h"
#include "vad/silero.h"

namespace trunkline::test {
namespace {

// The loudspeaker, the room and the microphone at the caller's end.
class Far : public omni::PlayoutSink {
 public:
  Far(const Echo& echo, uint32_t seed) : echo_(echo), random_(seed) {
    const size_t length = echo.room_acoustics ? 640 : 1;
    std::normal_distribution<float> normal(0, 1);
    double energy = 0;
    for (size_t i = 0; i < length; ++i) {
      path_.push_back(normal(random_) * static_cast<float>(std::exp(-static_cast<double>(i) / 160.0)));
      if (i == 0) path_[0] = 1;
      energy += static_cast<double>(path_[i]) * path_[i];
    }
    const auto gain = static_cast<float>(std::pow(10, echo.db / 20) / std::sqrt(energy));
    for (float& tap : path_) tap *= gain;
  }
  // The player begins anew a little later or sooner each time.
  void BeginSpeech() { late_ = random_() % (2 * kTick); }
  void Now(uint64_t clock, bool ducked) {
    now_ = clock;
    ducked_now_ = ducked;
  }
  bool Frame(std::span<const int16_t> frame) override {
    to_ = std::max(to_, static_cast<size_t>(now_) + late_);
    sounded_.resize(std::max(sounded_.size(), to_ + frame.size()));
    lowered_.resize(sounded_.size());
    for (size_t i = 0; i < frame.size(); ++i, ++to_) {
      const float sample = frame[i] / 32768.0f;
      sounded_[to_] = echo_.distorted ? std::tanh(6 * sample) / 6 + 0.05f * std::abs(sample) : sample;
      lowered_[to_] = ducked_now_;
    }
    return true;
  }
  void Truncate(uint64_t clock) { to_ = std::min(to_, static_cast<size_t>(clock)), Silence(); }
  void Playing(uint32_t, uint32_t, uint64_t) override {}
  void SpeechPlayed(uint32_t, std::span<const omni::PlayedSegment>) override {}

  bool Lowered(size_t at) const { return at >= lowered_.size() || at >= to_ || lowered_[at]; }
  // When a sample is recorded, by the server's clock, in samples.
  double Moment(size_t at) const { return static_cast<double>(at) * (1 + echo_.millionths / 1e6); }
  // Returns the microphone's sample.
  int16_t Recorded(size_t at, float said, bool echoes) {
    float sum = said;
    const auto delay = static_cast<size_t>(echo_.delay_ms) * kRate / 1000;
    for (size_t i = 0; echoes && i < path_.size() && delay + i <= at; ++i) {
      sum += path_[i] * Played(at - delay - i);
    }
    if (echo_.noise_dbfs > -100)
      sum += noise_(random_) * static_cast<float>(std::pow(10, echo_.noise_dbfs / 20));
    return static_cast<int16_t>(std::lround(std::clamp(sum, -1.0f, 1.0f) * 32767));
  }

 private:
  // Interpolates what sounded at a sample of the caller's sound card by a long sinc.
  float Played(size_t at) {
    for (size_t next = played_.size(); next <= at; ++next) {
      const double moment = Moment(next);
      const auto before = static_cast<ptrdiff_t>(moment);
      float sum = 0;
      for (ptrdiff_t one = before - 15; one <= before + 16; ++one) {
        if (one < 0 || static_cast<size_t>(one) >= sounded_.size()) continue;
        const double x = std::numbers::pi * (moment - static_cast<double>(one));
        const double sinc = std::abs(x) < 1e-9 ? 1 : std::sin(x) / x;
        sum += sounded_[static_cast<size_t>(one)] * static_cast<float>(sinc * (0.5 + 0.5 * std::cos(x / 17)));
      }
      played_.push_back(sum);
    }
    return played_[at];
  }
  void Silence() {
    for (size_t i = to_; i < sounded_.size(); ++i) sounded_[i] = 0;
  }
  const Echo echo_;
  std::mt19937 random_;
  std::normal_distribution<float> noise_{0, 1};
  std::vector<float> path_, sounded_, played_;
  std::vector<bool> lowered_;
  uint64_t now_ = 0;
  size_t to_ = 0, late_ = 0;
  bool ducked_now_ = false;
};

// -- a call

struct Tally {
  std::vector<double> ducked_ms, interrupted_ms;  // counted from the onset; infinite: never
  int self_interruptions = 0, self_ducked = 0;
};

struct Call {
  Call(const Echo& of, uint32_t seed, vad::Silero& detector, const std::vector<float>& voice)
      : echo(of), far(of, seed), silero(detector), agent(voice), random(seed) {}

  void Speak() {
    far.BeginSpeech();
    const size_t from = random() % (agent.size() / 2);
    std::vector<int16_t> pcm;
    for (size_t i = from; i < from + 9 * kRate && i < agent.size(); ++i) {
      pcm.push_back(static_cast<int16_t>(std::lround(agent[i] * 32767)));
    }
    playout.BeginSegment(++speech, 0, false);
    playout.Append(pcm);
    playout.EndSegment();
    playout.FinishSpeech(speech);
  }

  void Interrupt() {
    playout.Interrupt(clock, far);
    far.Truncate(clock);
  }

  // 10 ms in which the caller says this; true when it interrupted the agent.
  bool Tick(const float* said) {
    far.Now(clock, playout.ducked());
    playout.Tick(clock, far);
    const auto began = static_cast<double>(clock);
    clock += kTick;
    for (; far.Moment(recorded) < static_cast<double>(clock); ++recorded) {
      const auto at = static_cast<size_t>(std::max(0.0, far.Moment(recorded) - began));
      frame.push_back(far.Recorded(recorded, said ? said[at] : 0, trial >= echo.from_trial));
    }
    if (frame.size() >= kFrame) {
      std::vector<int16_t> next(frame.begin() + kFrame, frame.end());
      frame.resize(kFrame);
      std::array<uint8_t, kFrame> wire;
      dsp::EncodeUlaw(frame, wire);
      dsp::DecodeUlaw(wire, frame);
      for (const int16_t sample : input.Take(frame, clock, playout)) heard.push_back(sample / 32768.0f);
      frame = std::move(next);
    }
    while (heard.size() >= 256) {
      vad::VadItem item{.state = &state, .frame = std::span<const float>(heard).first(256)};
      (void)silero.Run(vad::VadRate::k8k, std::span<vad::VadItem>(&item, 1));
      probability = item.probability;
      ++frames;
      heard.erase(heard.begin(), heard.begin() + 256);
    }
    input.Tick(playout.sounding_dbfs(clock));
    bool interrupted = false;
    while (input.Step(1e9)) {
      interrupted = interrupted || Judge();
      if (!input.behind()) break;
    }
    return interrupted;
  }

  bool Judge() {
    if (!detector.suspecting()) {
      input.ForgetCompared();
    } else if (input.now_ms() % 40 == 0) {
      input.Compare(playout);
    }
    if (answer_in > 0 && --answer_in == 0)
      detector.Heard(detector.suspicion(), omni::TextVerdict::kTurn, true);
    const omni::BargeInStep step = detector.Tick(
        input.now_ms(), {input.level_dbfs(), frames, probability, input.echo_dbfs(), input.echo()},
        playout.playing());
    if (step.needs_text) answer_in = 3;
    if (step.duck) playout.Duck(), ++ducks;
    if (step.resume) playout.Resume();
    if (step.interrupt) Interrupt();
    return step.interrupt;
  }

  void Trial(const RecordedSpeech& said, Tally& tally) {
    Speak();
    const size_t before = 110 + random() % 60;
    int interruptions = 0;
    ducks = 0;
    for (size_t tick = 0; tick < before; ++tick) {
      if (!Tick(nullptr)) continue;
      ++interruptions;
      Speak();
    }
    const bool counts = trial >= echo.from_trial;
    tally.self_ducked += counts ? ducks : 0;
    const uint64_t onset = clock + said.onset;
    std::optional<double> interrupted_ms;
    for (size_t at = 0; at + kTick <= said.samples.size() || clock < onset + 5 * kRate / 2; at += kTick) {
      const uint64_t now = clock;
      const bool speaks = at + kTick <= said.samples.size();
      if (!Tick(speaks ? said.samples.data() + at : nullptr) || interrupted_ms) continue;
      if (now < onset) {
        ++interruptions;
        Speak();
        continue;
      }
      interrupted_ms = static_cast<double>(clock - onset) * 1000 / kRate;
    }
    if (counts) Note(tally, onset, interrupted_ms, interruptions);
    ++trial;
    Interrupt();
    for (int tick = 0; tick < 100; ++tick) Tick(nullptr);
  }

  // When it was first 20 dB lower for 40 ms, or nothing any more.
  void Note(Tally& tally, uint64_t onset, std::optional<double> interrupted_ms, int interruptions) const {
    double ducked_ms = INFINITY;
    for (size_t at = static_cast<size_t>(onset), run = 0; at < onset + 2 * kRate; at += kTick) {
      run = far.Lowered(at) ? run + 1 : 0;
      if (run < 4) continue;
      ducked_ms = (static_cast<double>(at - onset) - 3.0 * kTick) * 1000 / kRate;
      break;
    }
    tally.ducked_ms.push_back(std::min(ducked_ms, interrupted_ms.value_or(INFINITY)));
    tally.interrupted_ms.push_back(interrupted_ms.value_or(INFINITY));
    tally.self_interruptions += interruptions;
  }

  const Echo& echo;
  Far far;
  vad::Silero& silero;
  const std::vector<float>& agent;
  std::mt19937 random;
  omni::Playout playout{omni::PlayoutOptions{.rate = kRate}};
  omni::EchoCancelledInput input{kRate};
  omni::BargeInDetector detector{omni::BargeInNormal()};
  vad::VadState state;
  std::vector<int16_t> frame;
  std::vector<float> heard;
  size_t recorded = 0;
  uint64_t clock = 0, frames = 0;
  float probability = 0;
  uint32_t speech = 0;
  size_t trial = 0;
  int answer_in = 0, ducks = 0;
};

double Share(const std::vector<double>& of, double within) {
  const auto count = std::count_if(of.begin(), of.end(), [&](double one) { return one <= within; });
  return 100.0 * static_cast<double>(count) / static_cast<double>(of.size());
}

double Quantile(std::vector<double> of, double q) {
  std::sort(of.begin(), of.end());
  return of[std::min(of.size() - 1, static_cast<size_t>(q * static_cast<double>(of.size())))];
}

// The agent's voice, of the voice that is the quickest.
std::vector<float> AgentVoice() {
  test::OmniScene scene;
  std::string text;
  for (const char* day : {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}) {
    text +=
        std::string("On ") + day +
        " we are open from nine in the morning until five in the afternoon, and you may come at any time. ";
  }
  scene.Speak(1, text);
  scene.Until(omni::kOmniPlayed, 60);
  return scene.sounded();
}

int Measure(const std::vector<std::string>& words) {
  const auto library = onnx::Runtime::Load({.library = test::InferenceLibrary()});
  if (!library.ok()) return 1;
  const auto model = vad::Silero::OpenModel(*library, test::ModelFile("silero-vad/silero_vad.onnx"));
  if (!model.ok()) return 1;
  vad::Silero silero(*model);
  const std::vector<RecordedSpeech> callers = Callers();
  const std::vector<float> voice = AgentVoice();
  std::printf("%zu callers, %.1f s of the agent\n", callers.size(),
              static_cast<double>(voice.size()) / kRate);
  for (const Echo& echo : kEchoes) {
    if (!words.empty() && std::find(words.begin(), words.end(), echo.name) == words.end()) continue;
    Tally tally;
    for (size_t first = 0; first < callers.size(); first += kTrials) {
      Call call(echo, static_cast<uint32_t>(first + 1), silero, voice);
      for (size_t at = first; at < std::min(first + kTrials, callers.size()); ++at)
        call.Trial(callers[at], tally);
    }
    const auto missed = std::count(tally.interrupted_ms.begin(), tally.interrupted_ms.end(), INFINITY);
    std::printf(
        "%-18s missed %3td of %3zu; lowered p50 %3.0f p95 %4.0f, %5.1f %% in 200 ms; interrupted p50 %3.0f "
        "p95 "
        "%4.0f, "
        "%5.1f %% in 400; own echo: lowered %d, interrupted %d\n",
        echo.name, missed, tally.interrupted_ms.size(), Quantile(tally.ducked_ms, 0.5),
        Quantile(tally.ducked_ms, 0.95), Share(tally.ducked_ms, 200), Quantile(tally.interrupted_ms, 0.5),
        Quantile(tally.interrupted_ms, 0.95), Share(tally.interrupted_ms, 400), tally.self_ducked,
        tally.self_interruptions);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace trunkline::test

int main(int count, char** words) {
  return trunkline::test::Measure(std::vector<std::string>(words + 1, words + count));
}
