#include "asr/window.h"

#include <algorithm>
#include <cmath>

namespace trunkline::asr {
namespace {

// This silence after the audio stays unfolded, so that the model sees that nothing follows.
constexpr size_t kPlainRows = 50;
// This many rows are folded into one after that. Eight costs no measurable accuracy; sixteen
// does.
constexpr size_t kFold = 8;

}  // namespace

Window FoldWindow(size_t samples) {
  Window window;
  window.audio_rows = std::min(kWindowRows, (samples + kRowSamples - 1) / kRowSamples);
  const size_t plain = std::min(kWindowRows, window.audio_rows + kPlainRows);
  for (size_t row = 0; row < plain; ++row) {
    window.positions.push_back(static_cast<int64_t>(row));
    window.log_count.push_back(0.0f);
  }
  for (size_t row = plain; row < kWindowRows; row += kFold) {
    const size_t count = std::min(kFold, kWindowRows - row);
    window.positions.push_back(static_cast<int64_t>(row + count / 2));
    window.log_count.push_back(std::log(static_cast<float>(count)));
  }
  window.bias = window.log_count;
  return window;
}

}  // namespace trunkline::asr
