// What Whisper's encoder makes of a short sound, row by row, for whoever wants to know how it sounds and not
// what was said. A recognition's window has half a minute of silence behind its sound; here there is none, so
// that half a second costs some six milliseconds. Belongs to one task at a time, on the inference pool.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "asr/whisper_model.h"
#include "base/status.h"
#include "onnx/onnx.h"

namespace trunkline::asr {

class WhisperRows {
 public:
  explicit WhisperRows(std::shared_ptr<const WhisperModel> model);

  // Numbers in a row: the model's width.
  size_t width() const { return width_; }
  // `samples` at 16 kHz, at most kMostSamples; a row for each 20 ms of their end. However loud they are, they
  // are heard at one level. Valid until the next call; empty of less than a row.
  static constexpr size_t kMostSamples = 2 * 16000;
  base::Result<std::span<const float>> Read(std::span<const float> samples,
                                            const onnx::RunOptions* stop = nullptr);

 private:
  std::shared_ptr<const WhisperModel> model_;
  const size_t width_;
  std::vector<float> samples_, mel_, log_count_, rows_;
  std::vector<int64_t> positions_;
};

}  // namespace trunkline::asr
