// Scores whether the first moments of a voice are a backchannel ("mm-hmm", "right") from the encoder outputs
// of both recognizers, before any word is decoded (docs/decisions/090). models/recipes/listening trains the
// nets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace trunkline::omni {

// The score was trained on sounds of this length, including the moment before speech.
inline constexpr double kMaxScoredS = 0.65;

// Row widths of Moonshine and of Whisper base.
inline constexpr size_t kMoonshineRow = 288, kWhisperRow = 512;

class BackchannelModel {
 public:
  // Returns kBadModel when models/recipes/listening/build.py did not write the file.
  static base::Result<std::shared_ptr<const BackchannelModel>> Load(const std::string& path);

  // Returns log odds, above zero for a backchannel and below zero for a turn: the mean over the encoders that
  // have rows, and 0 without rows.
  float Score(std::span<const float> moonshine, std::span<const float> whisper) const;

  // The nets of one encoder, one after the other; a row has `width` numbers. `of_sines` is the training
  // code's output for 16 rows of which number i is sin(i), and verifies the tables.
  struct EncoderNet {
    size_t width = 0;
    float of_sines = 0;
    const float* of_row = nullptr;
    const float* row_bias = nullptr;
    const float* hidden = nullptr;
    const float* hidden_bias = nullptr;
    const float* out = nullptr;
    const float* straight = nullptr;
    const float* bias = nullptr;
  };
  const EncoderNet& moonshine() const { return moonshine_; }
  const EncoderNet& whisper() const { return whisper_; }
  std::span<const float> weights() const { return weights_; }

 private:
  BackchannelModel() = default;

  std::vector<float> weights_;
  EncoderNet moonshine_, whisper_;
};

// English uses its own nets; every other language also uses nets trained on more phrases and voices.
struct BackchannelNets {
  std::shared_ptr<const BackchannelModel> english, elsewhere;

  float Score(bool in_english, std::span<const float> moonshine, std::span<const float> whisper) const;
};

}  // namespace trunkline::omni
