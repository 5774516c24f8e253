// A speaker encoder: makes a vector of whoever speaks in a piece of audio. The bundled one is CAM++: cosines of pieces of
// 2.5 s of one speaker are about 0.6, of two speakers 0.15 (0.3 by telephone). Not for the realtime path.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "onnx/onnx.h"
#include "speaker/fbank.h"

namespace trunkline::speaker {

class SpeakerEncoder {
 public:
  // Fewer rows of features do not tell a speaker.
  static constexpr size_t kMinRows = 20;
  static constexpr size_t kMaxSize = 4096;

  // Returns kBadModel when the session is of another model. `window`: that of the features it was trained on.
  static base::Result<std::unique_ptr<SpeakerEncoder>> Create(std::unique_ptr<onnx::Session> session,
                                                              FbankWindow window);

  // The numbers of a vector.
  size_t size() const { return size_; }
  FbankWindow window() const { return window_; }

  // The vector, of length 1, of kMinRows or more rows of Fbank's features. Their mean is taken out, and with it the
  // line's frequency response.
  base::Result<std::vector<float>> Of(std::vector<float> features, const onnx::RunOptions* run) const;

 private:
  SpeakerEncoder() = default;
  std::unique_ptr<onnx::Session> session_;
  size_t size_ = 0;
  FbankWindow window_ = FbankWindow::kPovey;
};

}  // namespace trunkline::speaker
