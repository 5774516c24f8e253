// How audio of any length up to 30 s becomes the rows that the encoder reads: 20 ms each, and the silence
// after it folded (models/recipes/whisper/encoder.py says why).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trunkline::asr {

inline constexpr double kWindowSeconds = 30.0;
inline constexpr size_t kRowSamples = 320;
inline constexpr size_t kWindowRows = 1500;
inline constexpr size_t kWindowSamples = kWindowRows * kRowSamples;

struct Window {
  // Rows that hold audio; times are measured in them.
  size_t audio_rows = 0;
  // The place of each row in the window of 30 s, and the logarithm of how many it stands for.
  std::vector<int64_t> positions;
  std::vector<float> log_count;
  // What the decoder adds to its scores against each row: the logarithm, until it attends to some rows alone.
  std::vector<float> bias;

  size_t rows() const { return positions.size(); }
};

// `samples` at 16 kHz, at most kWindowSamples.
Window FoldWindow(size_t samples);

}  // namespace trunkline::asr
