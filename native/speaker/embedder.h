// Speaker embeddings: recordings of one speaker have a cosine similarity of about 0.8 at 3 s, of two speakers
// 0.3. Not for the realtime path.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "onnx/onnx.h"
#include "speaker/mel.h"

namespace trunkline::speaker {

inline constexpr size_t kVectorSize = 256;
// The model's window: so many rows of features, with half of them again in the next.
inline constexpr size_t kWindowRows = 80, kWindowStride = 40;

class Embedder {
 public:
  // Returns kBadModel when the session is of another model.
  static base::Result<std::unique_ptr<Embedder>> Open(const onnx::SessionOpener& open);

  // Features of audio at kRate, full scale 1; Fill pads audio that is too short for one window.
  std::vector<float> Features(std::span<const float> samples) const { return mel_.Features(samples); }
  static void Fill(std::vector<float>& features);
  // Requires padded features.
  static size_t WindowsIn(std::span<const float> features);
  // Appends the embeddings of so many windows from `first` on, each of length 1.
  base::Status Read(std::span<const float> features, size_t first, size_t count, const onnx::RunOptions* run,
                    std::vector<float>& vectors) const;

  // The embedding of a whole recording, of length 1.
  base::Result<std::vector<float>> Of(std::span<const float> samples, const onnx::RunOptions* run) const;

 private:
  Embedder() = default;
  std::unique_ptr<onnx::Session> session_;
  Mel mel_;
};

// The mean of consecutive embeddings, normalised to length 1.
std::vector<float> MeanOf(std::span<const float> vectors);
float Cosine(std::span<const float> a, std::span<const float> b);

}  // namespace trunkline::speaker
