// The rows of Whisper's encoder for a short sound, for classifiers of how it sounds. Recognition pads a
// window to half a minute; here there is no padding, so half a second takes some six milliseconds. Belongs to
// one task at a time, on the inference pool.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "asr/whisper_model.h"
#include "base/status.h"
#include "onnx/onnx.h"

namespace trunkline::asr {

class WhisperFeatures {
 public:
  explicit WhisperFeatures(std::shared_ptr<const WhisperModel> model);

  size_t width() const { return width_; }
  // `samples` at 16 kHz, at most kMaxSamples, normalised to one level. Returns a row for each 20 ms of their
  // end, valid until the next call; empty for less than a row.
  static constexpr size_t kMaxSamples = 2 * 16000;
  base::Result<std::span<const float>> Read(std::span<const float> samples,
                                            const onnx::RunOptions* stop = nullptr);

 private:
  std::shared_ptr<const WhisperModel> model_;
  const size_t width_;
  std::vector<float> samples_, mel_, log_count_, rows_;
  std::vector<int64_t> positions_;
};

}  // namespace trunkline::asr
