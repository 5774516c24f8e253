// The generator's arithmetic on one thread or on two. The same sums in the same order, so the same samples.
#pragma once

#include <algorithm>

#include "tts/generator_kernels.h"
#include "tts/helping_hand.h"

namespace trunkline::tts {

class Arithmetic {
 public:
  explicit Arithmetic(const GeneratorKernels& kernels) : kernels_(kernels) {}

  // From here on; null: alone.
  void WorkWith(HelpingHand* hand) { hand_ = hand; }

  void Conv(const PackedConv& conv, const float* x, ptrdiff_t pitch, size_t rows, float* y) const {
    const size_t blocks = (conv.shape.out + kernels_.block - 1) / kernels_.block;
    Each(blocks, [&](size_t block) { kernels_.conv(conv, block, x, pitch, rows, y); });
  }

  void Snake(const float* x, size_t rows, size_t channels, const float* scale, const float* shift,
             const float* alpha, bool split, float* out) const {
    Each((rows + kSnakeRows - 1) / kSnakeRows, [&](size_t piece) {
      const size_t first = piece * kSnakeRows, count = std::min(kSnakeRows, rows - first);
      kernels_.snake(x + first * channels, count, channels, scale, shift, alpha, split,
                     out + first * channels);
    });
  }

 private:
  static constexpr size_t kSnakeRows = 64;

  template <class Make>
  void Each(size_t count, const Make& make) const {
    if (hand_ != nullptr && count > 1) {
      hand_->Each(count, make);
    } else {
      for (size_t piece = 0; piece < count; ++piece) make(piece);
    }
  }

  const GeneratorKernels& kernels_;
  HelpingHand* hand_ = nullptr;
};

}  // namespace trunkline::tts
