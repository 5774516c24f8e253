// Who speaks, as a vector: recordings of one speaker point the same way (cosine about 0.8 at 3 s), of two do
// not (0.3). Not for the realtime path.
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
// As the model was trained: so many rows of features at a time, half of them again in the next.
inline constexpr size_t kWindowRows = 80, kWindowStride = 40;

class Embedder {
 public:
  // kBadModel where the session is of another model.
  static base::Result<std::unique_ptr<Embedder>> Create(std::unique_ptr<onnx::Session> session);
  static base::Result<std::unique_ptr<Embedder>> Load(const std::shared_ptr<onnx::Runtime>& runtime,
                                                      const std::string& model,
                                                      const onnx::SessionOptions& options);

  // Of a sound at kRate, full scale 1; what is too short for one window is filled up with nothing by Fill.
  std::vector<float> Features(std::span<const float> samples) const { return mel_.Features(samples); }
  static void Fill(std::vector<float>& features);
  // Of features that are filled up.
  static size_t WindowsIn(std::span<const float> features);
  // Appends the vectors of so many windows from `first` on, each of length 1.
  base::Status Read(std::span<const float> features, size_t first, size_t count, const onnx::RunOptions* run,
                    std::vector<float>& vectors) const;

  // Of a whole sound: of length 1.
  base::Result<std::vector<float>> Of(std::span<const float> samples, const onnx::RunOptions* run) const;

 private:
  Embedder() = default;
  std::unique_ptr<onnx::Session> session_;
  Mel mel_;
};

// The mean of vectors that lie one behind the other, of length 1.
std::vector<float> MeanOf(std::span<const float> vectors);
float Cosine(std::span<const float> a, std::span<const float> b);

}  // namespace trunkline::speaker
