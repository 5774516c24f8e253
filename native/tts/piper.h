// A Piper voice (VITS): a whole clause at once, at a twentieth of real time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "onnx/session.h"
#include "text/pronunciation.h"

namespace trunkline::tts {

inline constexpr int kPiperRate = 22050;

class Piper {
 public:
  // `model` takes its noise from outside (models/recipes/piper); `table` holds phoneme_id_map.
  static base::Result<std::unique_ptr<Piper>> Load(const std::shared_ptr<onnx::Runtime>& runtime,
                                                   const std::string& model, const std::string& table,
                                                   const onnx::SessionOptions& options);

  // Floats of full scale 1. The same seed gives the same samples.
  base::Result<std::vector<float>> Speak(std::string_view phonemes, float speed, float range, uint64_t seed,
                                         const onnx::RunOptions* run) const;

 private:
  Piper() = default;
  std::unique_ptr<onnx::Session> session_;
  text::PhonemeTable table_;
};

}  // namespace trunkline::tts
