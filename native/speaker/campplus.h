// CAM++: a vector of whoever speaks in a piece of audio. Cosines of pieces of 2.5 s of one speaker are about 0.6, of two
// speakers 0.15 (0.3 by telephone). Not for the realtime path.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "onnx/onnx.h"

namespace trunkline::speaker {

class Campplus {
 public:
  static constexpr size_t kSize = 192;
  // Fewer rows of features do not tell a speaker.
  static constexpr size_t kMinRows = 20;

  // Returns kBadModel when the session is of another model.
  static base::Result<std::unique_ptr<Campplus>> Create(std::unique_ptr<onnx::Session> session);

  // The vector, of length 1, of kMinRows or more rows of Fbank's features. Their mean is taken out, and with it the
  // line's frequency response.
  base::Result<std::vector<float>> Of(std::vector<float> features, const onnx::RunOptions* run) const;

 private:
  Campplus() = default;
  std::unique_ptr<onnx::Session> session_;
};

}  // namespace trunkline::speaker
