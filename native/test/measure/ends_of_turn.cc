// Measures how well a call tells that its caller has finished: recordings of people by telephone (8 kHz, u-law), each one
// turn. A line of JSON for each pause of 100 ms or more: how long it was, after how much of it a call ends the turn with
// each of some endpointing settings, and what the end-of-turn model says of it as it grows. The last pause is the end of
// the turn; at every other one the caller goes on. bench/omni/ends-of-turn.ts runs this and writes the report.
//
//   ninja -C build-native measure_ends_of_turn && build-native/measure_ends_of_turn LANGUAGE [EVERY]
//
// EVERY: only each so many-th recording.
#include <cstdio>
#include <map>
#include <utility>

#include "dsp/g711.h"
#include "test/measure/callers.h"
#include "test/support/open_models.h"
#include "vad/vad.h"

namespace trunkline::test {
namespace {

constexpr int kWide = 16000;
constexpr size_t kStep = vad::FrameSamples(vad::VadRate::k16k);
constexpr double kBeforeS = 0.5, kAfterS = 3.5, kTurnS = 8, kLeastPauseS = 0.1;
constexpr float kLineNoise = 0.0008f;
// Milliseconds of a pause after which the model is asked, for peers.
constexpr int kAsked[] = {64, 96, 192, 288, 384, 480, 576, 768, 992};
constexpr int kEndpointing[] = {200, 250, 300, 350, 400, 500, 600, 700, 900, 1200, 1600};
// A call has the model's answer this many frames after it has asked.
constexpr size_t kAnswerFrames = 2;

struct Pause {
  size_t from, to;  // frames
};

std::vector<float> ByTelephone(std::vector<float> samples) {
  // A line is never quite silent.
  uint32_t state = 1;
  std::vector<int16_t> pcm(samples.size());
  std::vector<uint8_t> coded(samples.size());
  for (size_t i = 0; i < pcm.size(); ++i) {
    state = state * 1664525U + 1013904223U;
    const float noise = kLineNoise * (static_cast<float>(state >> 8) / 8388608.0f - 1);
    pcm[i] = static_cast<int16_t>(std::lround(std::clamp(samples[i] + noise, -1.0f, 1.0f) * 32767));
  }
  dsp::EncodeUlaw(pcm, coded);
  dsp::DecodeUlaw(coded, pcm);
  for (size_t i = 0; i < pcm.size(); ++i) samples[i] = static_cast<float>(pcm[i]) / 32768.0f;
  return samples;
}

class Turns {
 public:
  Turns(std::shared_ptr<vad::SmartTurn> turn, std::shared_ptr<onnx::Session> silero)
      : turn_(std::move(turn)), silero_(std::move(silero)) {}

  void Play(const Clip& clip) {
    const Recorded recorded = ReadWav(Recording(clip.path));
    if (recorded.rate == 0) return;
    RecordedSpeech said = AtLevel(Resampled(recorded, kRate), kVoiceDbfs);
    std::vector<float> line(static_cast<size_t>(kBeforeS * kRate), 0);
    line.insert(line.end(), said.samples.begin(), said.samples.end());
    line.resize(line.size() + static_cast<size_t>(kAfterS * kRate), 0);
    heard_ = ByTelephone(line);
    sound_ = Resampled({kRate, heard_}, kWide);
    known_.clear();
    Hear();
    const std::vector<Pause> pauses = Pauses();
    if (pauses.empty()) return;
    std::map<int, std::vector<int>> waited;
    for (const int ms : kEndpointing) waited[ms] = Waits(pauses, ms);
    for (size_t n = 0; n < pauses.size(); ++n) {
      const Pause& pause = pauses[n];
      const double pause_s = vad::kFrameSeconds * static_cast<double>(pause.to - pause.from);
      const bool last = n + 1 == pauses.size();
      if (pause_s < kLeastPauseS) continue;
      std::printf("{\"clip\": \"%s\", \"seconds\": %.2f, \"last\": %s, \"pauseMs\": %.0f", clip.path.c_str(),
                  static_cast<double>(said.end - said.onset) / kRate, last ? "true" : "false",
                  1000 * pause_s);
      // The detector hears the end of speech later than its level shows it.
      std::printf(", \"lateMs\": %.0f, \"waitedMs\": {",
                  1000 * (vad::kFrameSeconds * static_cast<double>(pause.from) - kBeforeS -
                          static_cast<double>(said.end) / kRate));
      for (const int ms : kEndpointing) {
        std::printf("%s\"%d\": %d", ms == kEndpointing[0] ? "" : ", ", ms, waited[ms][n]);
      }
      std::printf("}, \"finished\": {");
      for (const int ms : kAsked) {
        const size_t at = pause.from + static_cast<size_t>(ms / 32);
        if (at > pause.to) break;
        std::printf("%s\"%d\": %.4f", ms == kAsked[0] ? "" : ", ", ms, static_cast<double>(Finished(at)));
      }
      std::printf("}}\n");
    }
    std::fflush(stdout);
  }

 private:
  void Hear() {
    vad::VadState state;
    speech_.clear();
    constexpr size_t frame = vad::FrameSamples(vad::VadRate::k8k);
    for (size_t at = 0; at + frame <= heard_.size(); at += frame) {
      vad::VadItem item{&state, std::span<const float>(heard_).subspan(at, frame)};
      if (!silero_.Run(vad::VadRate::k8k, {&item, 1}).ok()) std::abort();
      speech_.push_back(item.probability);
    }
  }

  // Returns the silences after the first speech, as the endpointer sees them.
  std::vector<Pause> Pauses() const {
    vad::Endpointer endpointer({.endpointing_s = 1000, .longest_s = 2000});
    std::vector<Pause> pauses;
    size_t quiet_from = 0;
    for (size_t i = 0; i < speech_.size(); ++i) {
      const auto events = endpointer.Frame(speech_[i], At(i));
      if (events.silence_started) quiet_from = i;
      if (events.paused) pauses.push_back({quiet_from, speech_.size()});
      if (events.resumed) pauses.back().to = i;
    }
    return pauses;
  }

  // Returns after how many milliseconds of each pause a call ends the turn; -1: it does not.
  std::vector<int> Waits(const std::vector<Pause>& pauses, int endpointing_ms) {
    vad::Endpointer endpointer(
        {.endpointing_s = endpointing_ms / 1000.0, .waits = vad::kCallWaits, .longest_s = 2000});
    std::vector<int> waited(pauses.size(), -1);
    size_t answer_at = 0, asked_at = 0;
    uint32_t asked = 0;
    for (size_t i = 0; i < speech_.size(); ++i) {
      if (answer_at != 0 && i == answer_at) endpointer.Finished(asked, Finished(asked_at));
      const auto events = endpointer.Frame(speech_[i], At(i));
      if (events.paused) {
        endpointer.Finished(endpointer.pause(), 0.0F);
        asked = endpointer.pause();
        asked_at = i + 1;
        answer_at = i + kAnswerFrames;
      }
      if (!events.ended) continue;
      for (size_t n = 0; n < pauses.size(); ++n) {
        if (i >= pauses[n].from && i < pauses[n].to)
          waited[n] = static_cast<int>(std::lround(1000 * vad::kFrameSeconds) *
                                       static_cast<int64_t>(i + 1 - pauses[n].from));
      }
    }
    return waited;
  }

  // Returns what the model says of the sound before this frame.
  float Finished(size_t frame) {
    const auto known = known_.find(frame);
    if (known != known_.end()) return known->second;
    const size_t to = std::min(frame * kStep, sound_.size()), most = static_cast<size_t>(kTurnS * kWide);
    const size_t from = to > most ? to - most : 0;
    const auto probability = turn_->Finished(std::span<const float>(sound_).subspan(from, to - from));
    if (!probability.ok()) std::abort();
    return known_[frame] = *probability;
  }

  static double At(size_t frame) { return vad::kFrameSeconds * static_cast<double>(frame + 1); }

  std::shared_ptr<vad::SmartTurn> turn_;
  vad::Silero silero_;
  std::vector<float> heard_, sound_;  // at 8 kHz, and for the end-of-turn model at 16
  std::vector<float> speech_;
  std::map<size_t, float> known_;
};

int Measure(const std::string& language, size_t every) {
  const auto runtime = onnx::Runtime::Load({InferenceLibrary(), 1});
  if (!runtime.ok()) return 1;
  const auto turn = vad::SmartTurn::Open(ModelOpener(*runtime));
  const auto silero = vad::Silero::OpenModel(*runtime, ModelFile("silero-vad/silero_vad.onnx"));
  if (!turn.ok() || !silero.ok()) return 1;
  Turns turns(*turn, *silero);
  const auto clips = Clips("", language);
  for (size_t at = 0; at < clips.size(); at += every) turns.Play(clips[at]);
  return 0;
}

}  // namespace
}  // namespace trunkline::test

int main(int count, char** words) {
  if (count < 2) return 1;
  const int every = count > 2 ? std::atoi(words[2]) : 1;
  return trunkline::test::Measure(words[1], static_cast<size_t>(std::max(1, every)));
}
