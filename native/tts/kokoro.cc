#include "tts/kokoro.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "tts/style_table.h"

namespace trunkline::tts {

using base::Code;
using base::Result;
using base::Status;

namespace {

// The model counts the breath before a word as silence, so speech may begin this long before the silence
// ends.
constexpr size_t kBreath = 12;

// How a stressed word differs; docs/decisions/128-emphasis.md.
constexpr float kStressLength = 1.2F, kStressPitch = 1.2F;
constexpr ptrdiff_t kStressRise = 5;  // frames

Result<onnx::Tensor> View(const onnx::Session& session, std::span<const float> numbers,
                          std::initializer_list<int64_t> shape) {
  const std::vector<int64_t> dimensions(shape);
  return onnx::Tensor::View<const float>(session.runtime(), numbers, dimensions);
}

int64_t Size(std::span<const float> numbers) {
  return static_cast<int64_t>(numbers.size());
}

std::vector<float> StressedSpeed(const Prosody& prosody, size_t ids) {
  std::vector<float> speed(ids, prosody.speed);
  for (size_t i = 0; i < prosody.stressed.size() && i + 1 < ids; ++i)
    if (prosody.stressed[i]) speed[i + 1] /= kStressLength;
  return speed;
}

// 1 within a stressed word, rising to it from its surroundings.
std::vector<float> StressOfFrames(const std::vector<bool>& stressed, std::span<const float> durations,
                                  size_t frames) {
  std::vector<float> stress(frames, 0);
  const auto put = [&stress](ptrdiff_t at, float value) {
    if (at < 0 || at >= static_cast<ptrdiff_t>(stress.size())) return;
    float& so = stress[static_cast<size_t>(at)];
    so = std::max(so, value);
  };
  ptrdiff_t at = 0;
  for (size_t i = 0; i < durations.size(); ++i) {
    const ptrdiff_t end = at + 2 * static_cast<ptrdiff_t>(std::max(0.0F, durations[i]));
    if (i > 0 && i - 1 < stressed.size() && stressed[i - 1]) {
      for (ptrdiff_t f = at; f < end; ++f) put(f, 1);
      for (ptrdiff_t r = 1; r <= kStressRise; ++r) {
        const float value = 1 - static_cast<float>(r) / (kStressRise + 1);
        put(at - r, value);
        put(end - 1 + r, value);
      }
    }
    at = end;
  }
  return stress;
}

}  // namespace

size_t KokoroClause::speech_begins() const {
  const size_t silent = durations.empty() ? 0 : static_cast<size_t>(std::max(0.0F, durations.front())) * 2;
  return std::min(silent > kBreath ? silent - kBreath : 0, frames > 0 ? frames - 1 : 0);
}

Result<std::unique_ptr<Kokoro>> Kokoro::Load(const onnx::SessionOpener& open, const KokoroFiles& files,
                                             const onnx::SessionOptions& options) {
  std::unique_ptr<Kokoro> kokoro(new Kokoro());
  TRUNKLINE_ASSIGN_OR_RETURN(kokoro->front_, open("kokoro/front.onnx", options));
  TRUNKLINE_ASSIGN_OR_RETURN(kokoro->generator_, LoadGenerator(files.generator, BestGeneratorKernels(),
                                                               options.threads == 1 ? 1 : 2));
  static constexpr const char* kFrontIn[] = {"tokens", "style", "speed", "pitch", "range", "center"};
  static constexpr const char* kFrontOut[] = {"x", "harmonics", "durations", "f0"};
  TRUNKLINE_RETURN_IF_FAILED(kokoro->front_->Require(kFrontIn, kFrontOut));
  std::ifstream file(files.vocabulary);
  std::stringstream json;
  json << file.rdbuf();
  TRUNKLINE_ASSIGN_OR_RETURN(kokoro->table_, text::ReadPhonemeTable(json.str(), "vocab"));
  return kokoro;
}

Status Kokoro::Read(std::span<const int64_t> ids, std::span<const float> speed, std::span<const float> pitch,
                    const Prosody& prosody, KokoroClause& clause, const onnx::RunOptions* run) const {
  const std::array<int64_t, 2> shape = {1, static_cast<int64_t>(ids.size())};
  TRUNKLINE_ASSIGN_OR_RETURN(const auto tokens,
                             onnx::Tensor::View<const int64_t>(front_->runtime(), ids, shape));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto styles, View(*front_, clause.style, {1, kStyleWidth}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto speeds, View(*front_, speed, {1, Size(speed)}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto pitches, View(*front_, pitch, {1, 1, Size(pitch)}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto range, View(*front_, std::span(&prosody.range, 1), {1}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto center, View(*front_, std::span(&prosody.center_hz, 1), {1}));
  onnx::Tensor durations, f0;
  const onnx::Input inputs[] = {{"tokens", &tokens}, {"style", &styles}, {"speed", &speeds},
                                {"pitch", &pitches}, {"range", &range},  {"center", &center}};
  const onnx::Output outputs[] = {
      {"x", &clause.x}, {"harmonics", &clause.harmonics}, {"durations", &durations}, {"f0", &f0}};
  TRUNKLINE_RETURN_IF_FAILED(front_->Run(inputs, outputs, run));
  clause.frames = clause.x.size() / kGeneratorChannels;
  if (clause.frames == 0 || clause.harmonics.size() != kHarmonics * (clause.frames * kHarmonicSteps + 1)) {
    return Status(Code::kBadModel, "the front's two outputs differ in length");
  }
  const auto lengths = durations.data<float>();
  clause.durations.assign(lengths.begin(), lengths.end());
  const auto hertz = f0.data<float>();
  clause.f0.assign(hertz.begin(), hertz.end());
  return base::Ok();
}

Result<std::unique_ptr<KokoroClause>> Kokoro::Front(std::span<const int64_t> tokens,
                                                    std::span<const float> style, const Prosody& prosody,
                                                    const onnx::RunOptions* run) const {
  if (tokens.empty() || tokens.size() > kMostTokens)
    return Status(Code::kInvalidArgument, "the clause has no phonemes, or too many");
  auto clause = std::make_unique<KokoroClause>();
  clause->style.assign(style.begin(), style.end());
  std::vector<int64_t> ids(tokens.size() + 2, 0);
  std::copy(tokens.begin(), tokens.end(), ids.begin() + 1);
  if (std::find(prosody.stressed.begin(), prosody.stressed.end(), true) == prosody.stressed.end()) {
    TRUNKLINE_RETURN_IF_FAILED(
        Read(ids, std::span(&prosody.speed, 1), std::span(&prosody.pitch, 1), prosody, *clause, run));
    return clause;
  }
  // A word's position is known only with its length, so the first pass finds it and the second sets its
  // pitch.
  const std::vector<float> speed = StressedSpeed(prosody, ids.size());
  TRUNKLINE_RETURN_IF_FAILED(Read(ids, speed, std::span(&prosody.pitch, 1), prosody, *clause, run));
  clause->stress = StressOfFrames(prosody.stressed, clause->durations, clause->f0.size());
  std::vector<float> pitch(clause->stress.size());
  for (size_t i = 0; i < pitch.size(); ++i)
    pitch[i] = prosody.pitch * (1 + (kStressPitch - 1) * clause->stress[i]);
  TRUNKLINE_RETURN_IF_FAILED(Read(ids, speed, pitch, prosody, *clause, run));
  return clause;
}

Result<std::unique_ptr<GeneratorStream>> Kokoro::Generate(const KokoroClause& clause, size_t from,
                                                          std::span<const float> statistics) const {
  if (from >= clause.frames || statistics.size() != statistics_size())
    return Status(Code::kInvalidArgument, "the stretch lies outside of its clause");
  const size_t begin = from > kContext ? from - kContext : 0;
  return std::make_unique<GeneratorStream>(
      generator_, GeneratorInput{clause.style, clause.x.data<float>(), clause.harmonics.data<float>(),
                                 clause.frames, begin, statistics});
}

Result<Kokoro::Whole> Kokoro::Measure(const KokoroClause& clause, const onnx::RunOptions* run) const {
  GeneratorStream stream(
      generator_,
      {clause.style, clause.x.data<float>(), clause.harmonics.data<float>(), clause.frames, 0, {}});
  Whole whole;
  TRUNKLINE_RETURN_IF_FAILED(stream.Step(clause.frames, run, whole.samples));
  whole.statistics = stream.statistics();
  return whole;
}

}  // namespace trunkline::tts
