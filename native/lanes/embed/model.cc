#include "lanes/embed/model.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <utility>

#include "text/tokens/tokens.h"

namespace trunkline::embed {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr const char* kIds = "input_ids";
constexpr const char* kMask = "attention_mask";
constexpr const char* kTypes = "token_type_ids";
constexpr int64_t kMaxTokens = 512;
constexpr int64_t kMaxNumbers = 4096;

Status Bad(const std::string& what) {
  return Status(Code::kBadModel, what);
}

// Scales the vector to unit length.
Status Normalize(std::span<float> out) {
  double sum = 0;
  for (const float x : out) sum += static_cast<double>(x) * x;
  if (!std::isfinite(sum)) return Bad("the model's vector has values that are not finite numbers");
  const auto scale = static_cast<float>(1.0 / (std::sqrt(sum) + 1e-12));
  for (float& x : out) x *= scale;
  return base::Ok();
}

class Conf {
 public:
  static Result<Conf> Read(const std::string& path) {
    std::ifstream file(path);
    if (!file) return Status(Code::kNotFound, "cannot read " + path);
    Conf conf;
    for (std::string name, value; file >> name >> value;) conf.values_[name] = value;
    return conf;
  }

  std::string Text(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? "" : found->second;
  }

  Result<int64_t> Number(const std::string& name, int64_t most) const {
    const std::string text = Text(name);
    const bool digits = !text.empty() && text.size() < 10 &&
                        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    const int64_t value = digits ? std::stoll(text) : -1;
    if (value < 0 || value > most)
      return Bad("embed.conf: " + name + " is not a number up to " + std::to_string(most));
    return value;
  }

 private:
  std::map<std::string, std::string> values_;
};

template <typename Table>
std::function<std::vector<int64_t>(std::string_view)> TokensOf(Table table, size_t limit) {
  return [table = std::make_shared<const Table>(std::move(table)), limit](std::string_view text) {
    return table->Encode(text, limit);
  };
}

}  // namespace

Status EmbedModel::Check() const {
  std::vector<const char*> inputs = {kIds};
  if (takes_mask) inputs.push_back(kMask);
  if (takes_types) inputs.push_back(kTypes);
  const char* const outputs[] = {output.c_str()};
  TRUNKLINE_RETURN_IF_FAILED(session->Require(inputs, outputs));
  for (const char* name : inputs) {
    if (session->input(name)->type != onnx::ElementType::kInt64)
      return Bad(std::string(name) + " is not of int64");
  }
  const onnx::TensorInfo& made = *session->output(output);
  if (made.type != onnx::ElementType::kFloat) return Bad(output + " is not of float32");
  const int64_t numbers = made.shape.empty() ? 0 : made.shape.back();
  if (numbers >= 0 && numbers != static_cast<int64_t>(size)) {
    return Bad(output + " has " + std::to_string(numbers) + " numbers a token, not " + std::to_string(size));
  }
  return base::Ok();
}

Status Embed(const EmbedModel& model, std::string_view text, std::vector<float>& hidden, std::span<float> out,
             const onnx::RunOptions* stop) {
  std::vector<int64_t> ids = model.tokens(text);
  if (ids.size() <= 2) return base::Ok();
  std::vector<int64_t> mask(ids.size(), 1), types(ids.size(), 0);
  const auto count = static_cast<int64_t>(ids.size());
  const int64_t shape[] = {1, count};
  const bool pooled = model.pooling == Pooling::kInGraph;
  const auto size = static_cast<int64_t>(model.size);
  const int64_t out_shape[] = {1, pooled ? size : count, size};
  const auto out_dimensions = pooled ? std::span(out_shape).first(2) : std::span(out_shape);
  hidden.resize((pooled ? 1 : ids.size()) * model.size);
  const onnx::Runtime& runtime = model.session->runtime();
  TRUNKLINE_ASSIGN_OR_RETURN(auto ids_in, onnx::Tensor::View<int64_t>(runtime, ids, shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto mask_in, onnx::Tensor::View<int64_t>(runtime, mask, shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto types_in, onnx::Tensor::View<int64_t>(runtime, types, shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto vectors, onnx::Tensor::View<float>(runtime, hidden, out_dimensions));
  std::vector<onnx::Input> inputs = {{kIds, &ids_in}};
  if (model.takes_mask) inputs.push_back({kMask, &mask_in});
  if (model.takes_types) inputs.push_back({kTypes, &types_in});
  const onnx::Output outputs[] = {{model.output.c_str(), &vectors}};
  TRUNKLINE_RETURN_IF_FAILED(model.session->Run(inputs, outputs, stop));
  const size_t summed = model.pooling == Pooling::kMean ? ids.size() : 1;
  for (size_t t = 0; t < summed; ++t) {
    for (size_t i = 0; i < model.size; ++i) out[i] += hidden[t * model.size + i];
  }
  return Normalize(out);
}

Result<std::shared_ptr<EmbedModel>> OpenFolder(std::shared_ptr<onnx::Runtime> runtime,
                                               const std::string& folder) {
  TRUNKLINE_ASSIGN_OR_RETURN(const Conf conf, Conf::Read(folder + "/embed.conf"));
  TRUNKLINE_ASSIGN_OR_RETURN(const int64_t tokens, conf.Number("tokens", kMaxTokens));
  TRUNKLINE_ASSIGN_OR_RETURN(const int64_t size, conf.Number("size", kMaxNumbers));
  TRUNKLINE_ASSIGN_OR_RETURN(const int64_t types, conf.Number("types", 1));
  if (tokens < 3 || size == 0) return Bad("embed.conf: a text has no tokens, or a vector no numbers");
  auto model = std::make_shared<EmbedModel>();
  model->size = static_cast<size_t>(size);
  model->output = conf.Text("output");
  model->takes_types = types == 1;
  const std::string pooling = conf.Text("pooling");
  if (pooling != "mean" && pooling != "first" && pooling != "graph") {
    return Bad("embed.conf: unknown pooling " + pooling);
  }
  model->pooling = pooling == "mean"    ? Pooling::kMean
                   : pooling == "first" ? Pooling::kFirst
                                        : Pooling::kInGraph;
  const auto limit = static_cast<size_t>(tokens);
  if (conf.Text("tokenizer") == "word_pieces") {
    TRUNKLINE_ASSIGN_OR_RETURN(auto pieces, text::WordPieces::Load(folder + "/vocab.txt"));
    model->tokens = TokensOf(std::move(pieces), limit);
  } else if (conf.Text("tokenizer") == "unigram") {
    TRUNKLINE_ASSIGN_OR_RETURN(auto pieces, text::UnigramPieces::Load(folder + "/pieces.bin"));
    model->tokens = TokensOf(std::move(pieces), limit);
  } else {
    return Bad("embed.conf: unknown tokenizer " + conf.Text("tokenizer"));
  }
  TRUNKLINE_ASSIGN_OR_RETURN(model->session,
                             onnx::Session::Open(std::move(runtime), folder + "/model.onnx", {}));
  TRUNKLINE_RETURN_IF_FAILED(model->Check());
  return model;
}

}  // namespace trunkline::embed
