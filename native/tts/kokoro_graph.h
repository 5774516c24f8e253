// A Kokoro that the operator added, as published: one graph, which makes the audio of a clause at once. Unlike the bundled one, it
// does not stream, and its pitch cannot be changed. See models/recipes/kokoro/added.py.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "onnx/onnx.h"
#include "text/phonemes/phonemes.h"
#include "tts/style_table.h"

namespace trunkline::tts {

class KokoroGraph {
 public:
  // The folder has graph.onnx, the table of each voice, and vocab.json where the phonemes are not those of `vocabulary`.
  static base::Result<std::unique_ptr<KokoroGraph>> LoadFolder(const std::shared_ptr<onnx::Runtime>& runtime,
                                                               const std::string& folder,
                                                               const std::string& vocabulary,
                                                               const onnx::SessionOptions& options);

  std::vector<int64_t> Encode(std::string_view phonemes) const { return table_.Encode(phonemes); }
  StyleFolder& styles() { return styles_; }
  // The samples of a clause, at kKokoroRate; kInvalidArgument for no tokens or too many.
  base::Result<std::vector<float>> Read(std::span<const int64_t> tokens, std::span<const float> style,
                                        float speed, const onnx::RunOptions* run) const;

 private:
  explicit KokoroGraph(const std::string& folder) : styles_(folder) {}
  std::unique_ptr<onnx::Session> session_;
  text::PhonemeTable table_;
  StyleFolder styles_;
};

// The audio of a clause, handed out in windows.
class MadeSound {
 public:
  explicit MadeSound(std::vector<float> samples) : samples_(std::move(samples)) {}
  void Step(size_t count, std::vector<float>& out);
  size_t size() const { return samples_.size(); }
  bool done() const { return next_ >= samples_.size(); }

 private:
  std::vector<float> samples_;
  size_t next_ = 0;
};

}  // namespace trunkline::tts
