// Converts audio of up to 30 s into the encoder's rows of 20 ms, with the silence after it folded
// (models/recipes/whisper/encoder.py has the reason).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trunkline::asr {

inline constexpr double kWindowSeconds = 30.0;
inline constexpr size_t kRowSamples = 320;
inline constexpr size_t kWindowRows = 1500;
inline constexpr size_t kWindowSamples = kWindowRows * kRowSamples;
// The bias of a row that nobody attends to: softmax ignores it.
inline constexpr float kUnattended = -1e4F;

struct Window {
  // Rows that hold audio, the unit of times.
  size_t audio_rows = 0;
  // The position of each row in the window of 30 s, and the logarithm of the number of rows that
  // it replaces.
  std::vector<int64_t> positions;
  std::vector<float> log_count;
  // The decoder's bias against each row: that logarithm, until it attends to some rows alone.
  std::vector<float> bias;

  size_t rows() const { return positions.size(); }
};

// `samples` at 16 kHz, at most kWindowSamples.
Window FoldWindow(size_t samples);

}  // namespace trunkline::asr
