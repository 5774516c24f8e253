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

// The model counts the breath before a word into the silent start: speech may begin this long before its end.
constexpr size_t kBreath = 12;

Result<onnx::Tensor> View(const onnx::Session& session, std::span<const float> numbers,
                          std::initializer_list<int64_t> shape) {
  const std::vector<int64_t> dimensions(shape);
  return onnx::Tensor::View<const float>(session.runtime(), numbers, dimensions);
}

}  // namespace

size_t KokoroClause::speech_begins() const {
  const size_t silent = durations.empty() ? 0 : static_cast<size_t>(std::max(0.0F, durations.front())) * 2;
  return std::min(silent > kBreath ? silent - kBreath : 0, frames > 0 ? frames - 1 : 0);
}

Result<std::unique_ptr<Kokoro>> Kokoro::Load(const std::shared_ptr<onnx::Runtime>& runtime,
                                             const KokoroFiles& files, const onnx::SessionOptions& options) {
  std::unique_ptr<Kokoro> kokoro(new Kokoro());
  TRUNKLINE_ASSIGN_OR_RETURN(kokoro->front_, onnx::Session::Open(runtime, files.front, options));
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

Result<std::unique_ptr<KokoroClause>> Kokoro::Front(std::span<const int64_t> tokens,
                                                    std::span<const float> style, const Prosody& prosody,
                                                    const onnx::RunOptions* run) const {
  if (tokens.empty() || tokens.size() > kMostTokens)
    return Status(Code::kInvalidArgument, "a clause of no or too many sounds");
  auto clause = std::make_unique<KokoroClause>();
  clause->style.assign(style.begin(), style.end());
  std::vector<int64_t> padded(tokens.size() + 2, 0);
  std::copy(tokens.begin(), tokens.end(), padded.begin() + 1);
  const std::array<int64_t, 2> shape = {1, static_cast<int64_t>(padded.size())};
  TRUNKLINE_ASSIGN_OR_RETURN(const auto ids,
                             onnx::Tensor::View<const int64_t>(front_->runtime(), padded, shape));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto styles, View(*front_, clause->style, {1, kStyleWidth}));
  const std::array<float, 4> numbers = {prosody.speed, prosody.pitch, prosody.range, prosody.center_hz};
  TRUNKLINE_ASSIGN_OR_RETURN(const auto speed, View(*front_, std::span(numbers).subspan(0, 1), {1}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto pitch, View(*front_, std::span(numbers).subspan(1, 1), {1}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto range, View(*front_, std::span(numbers).subspan(2, 1), {1}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto center, View(*front_, std::span(numbers).subspan(3, 1), {1}));
  onnx::Tensor durations, f0;
  const onnx::Input inputs[] = {{"tokens", &ids},  {"style", &styles}, {"speed", &speed},
                                {"pitch", &pitch}, {"range", &range},  {"center", &center}};
  const onnx::Output outputs[] = {
      {"x", &clause->x}, {"harmonics", &clause->harmonics}, {"durations", &durations}, {"f0", &f0}};
  TRUNKLINE_RETURN_IF_FAILED(front_->Run(inputs, outputs, run));
  clause->frames = clause->x.size() / kGeneratorChannels;
  if (clause->frames == 0 || clause->harmonics.size() != kHarmonics * (clause->frames * kHarmonicSteps + 1)) {
    return Status(Code::kBadModel, "the front's two outputs do not fit each other");
  }
  const auto seconds = durations.data<float>();
  clause->durations.assign(seconds.begin(), seconds.end());
  const auto hertz = f0.data<float>();
  clause->f0.assign(hertz.begin(), hertz.end());
  return clause;
}

Result<std::unique_ptr<GeneratorStream>> Kokoro::Generate(const KokoroClause& clause, size_t from,
                                                          std::span<const float> statistics) const {
  if (from >= clause.frames || statistics.size() != statistics_size())
    return Status(Code::kInvalidArgument, "a stretch outside its clause");
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
