// Whether the first moments of a voice sound like a sign of listening ("mm-hmm", "right"): told from what the
// two recognizers' encoders make of them, before any word is written (docs/decisions/090). The nets that tell
// it are learnt by models/recipes/listening.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace trunkline::omni {

// Sounds of this length, the moment before them included, are what the score was learnt from.
inline constexpr double kMostScoredS = 0.65;

// Rows of this many numbers are Moonshine's, and those of Whisper base.
inline constexpr size_t kMoonshineRow = 288, kWhisperRow = 512;

class BackchannelModel {
 public:
  // kBadModel where the file is not what models/recipes/listening/build.py writes.
  static base::Result<std::shared_ptr<const BackchannelModel>> Load(const std::string& path);

  // Above zero the sound is more likely a sign of listening, below zero something to say; 0 for no rows.
  // Logarithm of the odds, the mean of what each encoder's rows tell: one of which there are none is left
  // out.
  float Score(std::span<const float> moonshine, std::span<const float> whisper) const;

  // The nets of one encoder, whose rows are `width` numbers, one net after the other. `of_sines` is what the
  // one who learnt them makes of 16 rows of which number i is sin(i).
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

// English is judged by its own nets, every other language also by what was learnt of more of its phrases and
// voices.
struct BackchannelNets {
  std::shared_ptr<const BackchannelModel> english, elsewhere;

  // As of either.
  float Score(bool in_english, std::span<const float> moonshine, std::span<const float> whisper) const;
};

}  // namespace trunkline::omni
