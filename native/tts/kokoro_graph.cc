#include "tts/kokoro_graph.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <sstream>

#include "tts/kokoro.h"

namespace trunkline::tts {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr const char* kGraphIn[] = {"tokens", "style", "speed"};
constexpr const char* kGraphOut[] = {"audio"};
// A token lasts less than half a second, at the slowest speed too.
constexpr size_t kMostSamplesOfToken = kKokoroRate;

}  // namespace

Result<std::unique_ptr<KokoroGraph>> KokoroGraph::LoadFolder(const std::shared_ptr<onnx::Runtime>& runtime,
                                                             const std::string& folder,
                                                             const std::string& vocabulary,
                                                             const onnx::SessionOptions& options) {
  std::unique_ptr<KokoroGraph> graph(new KokoroGraph(folder));
  TRUNKLINE_ASSIGN_OR_RETURN(graph->session_, onnx::Session::Open(runtime, folder + "/graph.onnx", options));
  TRUNKLINE_RETURN_IF_FAILED(graph->session_->Require(kGraphIn, kGraphOut));
  if (graph->session_->output(kGraphOut[0])->type != onnx::ElementType::kFloat)
    return Status(Code::kBadModel, "the audio is not of float32");
  std::ifstream file(folder + "/vocab.json");
  if (!file) file.open(vocabulary);
  if (!file) return Status(Code::kNotFound, "cannot read " + vocabulary);
  std::stringstream json;
  json << file.rdbuf();
  TRUNKLINE_ASSIGN_OR_RETURN(graph->table_, text::ReadPhonemeTable(json.str(), "vocab"));
  return graph;
}

Result<std::vector<float>> KokoroGraph::Read(std::span<const int64_t> tokens, std::span<const float> style,
                                             float speed, const onnx::RunOptions* run) const {
  if (tokens.empty() || tokens.size() > kMaxTokens)
    return Status(Code::kInvalidArgument, "the clause has no phonemes, or too many");
  // Silence is before the first token and behind the last.
  std::vector<int64_t> ids(tokens.size() + 2, 0);
  std::copy(tokens.begin(), tokens.end(), ids.begin() + 1);
  const std::array<int64_t, 2> shape = {1, static_cast<int64_t>(ids.size())};
  const std::array<int64_t, 2> style_shape = {1, static_cast<int64_t>(style.size())};
  const std::array<int64_t, 1> one = {1};
  const auto& runtime = session_->runtime();
  TRUNKLINE_ASSIGN_OR_RETURN(const auto input, onnx::Tensor::View<const int64_t>(runtime, ids, shape));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto styled, onnx::Tensor::View<const float>(runtime, style, style_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto pace,
                             onnx::Tensor::View<const float>(runtime, std::span(&speed, 1), one));
  onnx::Tensor audio;
  const onnx::Input inputs[] = {{kGraphIn[0], &input}, {kGraphIn[1], &styled}, {kGraphIn[2], &pace}};
  const onnx::Output outputs[] = {{kGraphOut[0], &audio}};
  TRUNKLINE_RETURN_IF_FAILED(session_->Run(inputs, outputs, run));
  const auto made = audio.data<float>();
  if (made.size() > ids.size() * kMostSamplesOfToken)
    return Status(Code::kBadModel, "the audio is longer than a second a phoneme");
  if (!std::all_of(made.begin(), made.end(), [](float x) { return std::isfinite(x); }))
    return Status(Code::kBadModel, "the audio has values that are not finite numbers");
  return std::vector<float>(made.begin(), made.end());
}

void MadeSound::Step(size_t count, std::vector<float>& out) {
  const auto part = std::span<const float>(samples_).subspan(next_, std::min(count, samples_.size() - next_));
  out.insert(out.end(), part.begin(), part.end());
  next_ += part.size();
}

}  // namespace trunkline::tts
