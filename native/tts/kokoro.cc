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

constexpr size_t kChannels = 512;
constexpr size_t kHarmonics = 22;
constexpr size_t kSteps = 60;  // of the harmonic source a frame
// The model counts the breath before a word into the silent start: speech may begin this long before its end.
constexpr size_t kBreath = 12;

Result<onnx::Tensor> View(const onnx::Session& session, std::span<const float> numbers,
                          std::initializer_list<int64_t> shape) {
  const std::vector<int64_t> dimensions(shape);
  return onnx::Tensor::View<const float>(session.runtime(), numbers, dimensions);
}

// Columns [from, to) of a [rows, width] matrix.
std::vector<float> Columns(std::span<const float> matrix, size_t rows, size_t width, size_t from, size_t to) {
  std::vector<float> out(rows * (to - from));
  for (size_t row = 0; row < rows; ++row) {
    const float* source = matrix.data() + row * width;
    std::copy(source + from, source + to, out.data() + row * (to - from));
  }
  return out;
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
  TRUNKLINE_ASSIGN_OR_RETURN(kokoro->generator_, onnx::Session::Open(runtime, files.generator, options));
  static constexpr const char* kFrontIn[] = {"tokens", "style", "speed", "pitch", "range", "center"};
  static constexpr const char* kFrontOut[] = {"x", "harmonics", "durations", "f0"};
  static constexpr const char* kGeneratorIn[] = {"style", "x", "harmonics", "statistics", "mix"};
  static constexpr const char* kGeneratorOut[] = {"audio", "measured"};
  TRUNKLINE_RETURN_IF_FAILED(kokoro->front_->Require(kFrontIn, kFrontOut));
  TRUNKLINE_RETURN_IF_FAILED(kokoro->generator_->Require(kGeneratorIn, kGeneratorOut));
  const auto& shape = kokoro->generator_->input("statistics")->shape;
  if (shape.size() != 2 || shape[1] <= 0)
    return Status(Code::kBadModel, files.generator + " says no size of statistics");
  kokoro->statistics_size_ = static_cast<size_t>(shape[1]);
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
  clause->frames = clause->x.size() / kChannels;
  if (clause->frames == 0 || clause->harmonics.size() != kHarmonics * (clause->frames * kSteps + 1)) {
    return Status(Code::kBadModel, "the front's two outputs do not fit each other");
  }
  const auto seconds = durations.data<float>();
  clause->durations.assign(seconds.begin(), seconds.end());
  const auto hertz = f0.data<float>();
  clause->f0.assign(hertz.begin(), hertz.end());
  return clause;
}

Result<std::vector<float>> Kokoro::Window(const KokoroClause& clause, size_t from, size_t to,
                                          std::span<const float> statistics,
                                          const onnx::RunOptions* run) const {
  if (from >= to || to > clause.frames || statistics.size() != statistics_size_) {
    return Status(Code::kInvalidArgument, "a window outside its clause");
  }
  const size_t begin = from > kContext ? from - kContext : 0;
  const size_t end = std::min(clause.frames, to + kContext);
  const size_t width = end - begin;
  const auto x = Columns(clause.x.data<float>(), kChannels, clause.frames, begin, end);
  const auto harmonics = Columns(clause.harmonics.data<float>(), kHarmonics, clause.frames * kSteps + 1,
                                 begin * kSteps, end * kSteps + 1);
  const float mix = 1;
  TRUNKLINE_ASSIGN_OR_RETURN(const auto style, View(*generator_, clause.style, {1, kStyleWidth}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto xs,
                             View(*generator_, x, {1, kChannels, static_cast<int64_t>(width)}));
  TRUNKLINE_ASSIGN_OR_RETURN(
      const auto hs, View(*generator_, harmonics, {1, kHarmonics, static_cast<int64_t>(width * kSteps + 1)}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto given,
                             View(*generator_, statistics, {1, static_cast<int64_t>(statistics_size_)}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto share, View(*generator_, std::span(&mix, 1), {1}));
  onnx::Tensor audio;
  const onnx::Input inputs[] = {
      {"style", &style}, {"x", &xs}, {"harmonics", &hs}, {"statistics", &given}, {"mix", &share}};
  const onnx::Output outputs[] = {{"audio", &audio}};
  TRUNKLINE_RETURN_IF_FAILED(generator_->Run(inputs, outputs, run));
  const auto samples = audio.data<float>();
  const size_t first = (from - begin) * kFrameSamples;
  const size_t last = to == clause.frames ? samples.size() : (to - begin) * kFrameSamples;
  if (last > samples.size() || first > last)
    return Status(Code::kBadModel, "the generator made too little sound");
  return std::vector<float>(samples.begin() + static_cast<std::ptrdiff_t>(first),
                            samples.begin() + static_cast<std::ptrdiff_t>(last));
}

Result<Kokoro::Whole> Kokoro::Measure(const KokoroClause& clause, const onnx::RunOptions* run) const {
  const std::vector<float> none(statistics_size_, 0.0F);
  const float mix = 0;
  TRUNKLINE_ASSIGN_OR_RETURN(const auto style, View(*generator_, clause.style, {1, kStyleWidth}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto given,
                             View(*generator_, none, {1, static_cast<int64_t>(statistics_size_)}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto share, View(*generator_, std::span(&mix, 1), {1}));
  onnx::Tensor audio, measured;
  const onnx::Input inputs[] = {{"style", &style},
                                {"x", &clause.x},
                                {"harmonics", &clause.harmonics},
                                {"statistics", &given},
                                {"mix", &share}};
  const onnx::Output outputs[] = {{"audio", &audio}, {"measured", &measured}};
  TRUNKLINE_RETURN_IF_FAILED(generator_->Run(inputs, outputs, run));
  const auto samples = audio.data<float>();
  const auto statistics = measured.data<float>();
  return Whole{{samples.begin(), samples.end()}, {statistics.begin(), statistics.end()}};
}

}  // namespace trunkline::tts
