// An embedding model: a tokenizer, the graph of an encoder, and how its tokens' vectors become one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "onnx/onnx.h"

namespace trunkline::embed {

enum class Pooling { kMean, kFirst, kInGraph };

struct EmbedModel {
  std::function<std::vector<int64_t>(std::string_view text)> tokens;
  std::unique_ptr<onnx::Session> session;
  size_t size = 384;
  Pooling pooling = Pooling::kMean;
  std::string output = "last_hidden_state";
  // The inputs of the graph besides "input_ids".
  bool takes_mask = true;
  bool takes_types = false;
  // This many texts take some 20 ms, which keeps a step short.
  size_t texts_per_step = 1;

  // Returns kBadModel unless the graph has these inputs and this output, in their types and size.
  base::Status Check() const;
};

// Writes the text's vector, of unit length, to `out`, which is all 0 before and stays so for an empty text. `hidden` is
// memory for the tokens' vectors. Texts run one at a time: an int8 graph scales its activations over the whole batch, so
// neighbours would change a vector.
base::Status Embed(const EmbedModel& model, std::string_view text, std::vector<float>& hidden,
                   std::span<float> out, const onnx::RunOptions* stop);

// Opens a folder that models/recipes/embedding/added.py wrote: model.onnx, vocab.txt or pieces.bin, and embed.conf, which
// has a name and a value a line:
//
//   tokenizer   word_pieces (vocab.txt) or unigram (pieces.bin)
//   tokens      the most tokens of a text
//   size        the numbers of a vector
//   pooling     mean, first (the opening token's vector) or graph (the output is the text's vector)
//   output      the output's name
//   types       1 if the graph takes "token_type_ids"
base::Result<std::shared_ptr<EmbedModel>> OpenFolder(std::shared_ptr<onnx::Runtime> runtime,
                                                     const std::string& folder);

}  // namespace trunkline::embed
