#include "lanes/hear/cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <semaphore>
#include <vector>

#include "lanes/hear/tasks.h"

namespace trunkline::hear {
namespace {

constexpr size_t kRate = 16000;
// The load of a caller who speaks continuously: an utterance of three seconds, then half a second of silence.
// A pause in every other utterance triggers a decode and a turn check that are discarded.
constexpr double kUtteranceS = 3, kPauseS = 0.5;
constexpr double kPauses = 1.5;
// Partials a second under load, including the short passes that look for an utterance's first word.
constexpr double kPartialsPerSecond = 1.3;
// The tokens of an utterance of three seconds, timestamps included.
constexpr int kTokens = 14;
constexpr int kMeasuredTokens = 6;
constexpr int kFrames = 16;
constexpr int kFinalRuns = 2, kPartialRuns = 3;
// The first run of a model also allocates its memory.
constexpr int kWarmFrames = 2;

class Stopwatch {
 public:
  double Lap() {
    const double now = ProcessorSeconds(), lap = now - began_;
    began_ = now;
    return lap;
  }

 private:
  double began_ = ProcessorSeconds();
};

// Noise that rises and falls a few times a second, as speech does.
std::vector<float> SpeechLikeNoise(double seconds) {
  std::vector<float> out(static_cast<size_t>(seconds * kRate));
  uint32_t state = 1;
  for (size_t i = 0; i < out.size(); ++i) {
    state = state * 1664525u + 1013904223u;
    const double loud = 0.1 * (1 + std::sin(static_cast<double>(i) * 25 / kRate));
    out[i] = static_cast<float>(loud * (static_cast<double>(state >> 16) / 32768.0 - 1));
  }
  return out;
}

base::Result<double> OfFrame(HearModels& models, std::span<const float> sound) {
  vad::Silero silero(models.voice_activity());
  vad::VadState state;
  Stopwatch watch;
  for (int i = 0; i < kWarmFrames + kFrames; ++i) {
    if (i == kWarmFrames) watch.Lap();
    vad::VadItem item{&state, sound.subspan(static_cast<size_t>(i) * 512, 512)};
    TRUNKLINE_RETURN_IF_FAILED(silero.Run(vad::VadRate::k16k, {&item, 1}));
  }
  return watch.Lap() / kFrames;
}

base::Result<double> OfPass(const std::shared_ptr<const asr::MoonshineModel>& model,
                            std::span<const float> sound) {
  asr::MoonshinePass pass(model);
  Stopwatch watch;
  // A partial has half of an utterance on average.
  pass.Begin(sound.first(sound.size() / 2), {});
  TRUNKLINE_RETURN_IF_FAILED(pass.Step().status());
  return watch.Lap();
}

base::Result<double> OfPartial(HearModels& models, std::span<const float> sound) {
  return OfPass(models.moonshine(), sound);
}

base::Result<double> OfWhisper(const std::shared_ptr<const asr::WhisperModel>& model,
                               std::span<const float> sound,
                               std::shared_ptr<asr::RecognizerDevice> device = nullptr) {
  asr::WhisperDecoder decoder(model, std::move(device));
  const asr::WhisperTimestamps& marks = model->marks();
  Stopwatch watch;
  TRUNKLINE_RETURN_IF_FAILED(decoder.BeginEncode(sound));
  if (decoder.pending()) {
    std::binary_semaphore done{0};
    decoder.Submit([&] { done.release(); });
    done.acquire();
  }
  TRUNKLINE_RETURN_IF_FAILED(decoder.Collect());
  // The prompt's tokens do not change what a step costs.
  const std::array<text::TokenId, 4> prompt = {marks.start, marks.start, marks.start, marks.no_timestamps};
  TRUNKLINE_RETURN_IF_FAILED(decoder.Step(prompt));
  const double read = watch.Lap();
  constexpr std::array<text::TokenId, kFinalWidth> tokens = {1, 2, 3, 4, 5};
  constexpr std::array<size_t, kFinalWidth> first{}, same = {0, 1, 2, 3, 4};
  TRUNKLINE_RETURN_IF_FAILED(decoder.Step(tokens, first));
  watch.Lap();
  for (int i = 0; i < kMeasuredTokens; ++i) TRUNKLINE_RETURN_IF_FAILED(decoder.Step(tokens, same));
  return read + watch.Lap() * kTokens / kMeasuredTokens;
}

base::Result<double> OfFinal(HearModels& models, std::span<const float> sound) {
  return OfWhisper(models.whisper(), sound);
}

base::Result<double> OfTurn(HearModels& models, std::span<const float> sound) {
  Stopwatch watch;
  TRUNKLINE_RETURN_IF_FAILED(models.smart_turn().Finished(sound).status());
  return watch.Lap();
}

using Part = base::Result<double> (*)(HearModels&, std::span<const float>);
constexpr std::array<Part, 4> kMeasures = {OfFrame, OfPartial, OfFinal, OfTurn};

}  // namespace

int64_t FinalMillicores(double seconds) {
  return std::lround(1000 * kPauses * seconds / (kUtteranceS + kPauseS));
}

int64_t PartialMillicores(double seconds) {
  return std::lround(1000 * kPartialsPerSecond * seconds);
}

double ProcessorSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

base::Result<double> FinalSeconds(const Recognizer& recognizer) {
  double least = HUGE_VAL;
  for (int i = 0; i < kFinalRuns; ++i) {
    TRUNKLINE_ASSIGN_OR_RETURN(const double seconds,
                               OfWhisper(recognizer.whisper(), SpeechLikeNoise(kUtteranceS)));
    least = std::min(least, seconds);
  }
  return least;
}

base::Result<double> GpuFinalSeconds(const Recognizer& recognizer) {
  if (!recognizer.serves_on_gpu()) return 0.0;
  return OfWhisper(recognizer.whisper(), SpeechLikeNoise(kUtteranceS), recognizer.device());
}

base::Result<double> PartialSeconds(const QuickRecognizer& quick) {
  double least = HUGE_VAL;
  for (int i = 0; i < kPartialRuns; ++i) {
    TRUNKLINE_ASSIGN_OR_RETURN(const double seconds, OfPass(quick.moonshine(), SpeechLikeNoise(kUtteranceS)));
    least = std::min(least, seconds);
  }
  return least;
}

base::Status HearCost::Measure(HearModels& models) {
  for (;;) {
    TRUNKLINE_ASSIGN_OR_RETURN(const bool more, MeasureNext(models));
    if (!more) return base::Ok();
  }
}

base::Result<bool> HearCost::MeasureNext(HearModels& models) {
  TRUNKLINE_ASSIGN_OR_RETURN(const double seconds, kMeasures[next_](models, SpeechLikeNoise(kUtteranceS)));
  least_[next_] = std::min(least_[next_], seconds);
  if (kMeasures[next_] == OfPartial) models.quick()->SetPartialSeconds(least_[next_]);
  if (kMeasures[next_] == OfFinal) {
    models.recognizer()->SetFinalSeconds(least_[next_]);
    // The GPU is measured once, before there is a call that this could wait for.
    if (on_gpu_ == 0) {
      TRUNKLINE_ASSIGN_OR_RETURN(on_gpu_, GpuFinalSeconds(*models.recognizer()));
      models.recognizer()->SetGpuFinalSeconds(on_gpu_);
    }
  }
  next_ = (next_ + 1) % kParts;
  return next_ != 0;
}

uint32_t HearCost::millicores(bool partials, double final_seconds, double partial_seconds) const {
  const auto [frame, stock_partial, stock_final, turn] = least_;
  const double partial = partial_seconds > 0 ? partial_seconds : stock_partial;
  const double final_text = final_seconds > 0 ? final_seconds : stock_final;
  const double each_second = frame / vad::kFrameSeconds + (partials ? partial * kPartialsPerSecond : 0) +
                             kPauses * (turn + final_text) / (kUtteranceS + kPauseS);
  return static_cast<uint32_t>(std::lround(std::clamp(1000 * each_second, 1.0, 10'000.0)));
}

}  // namespace trunkline::hear
