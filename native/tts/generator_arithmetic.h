// The generator's arithmetic on one thread or on two. The same sums in the same order, so the same samples.
#pragma once

#include <algorithm>

#include "tts/generator_kernels.h"
#include "tts/helper_thread.h"

namespace trunkline::tts {

class Arithmetic {
 public:
  explicit Arithmetic(const GeneratorKernels& kernels) : kernels_(kernels) {}

  void WorkWith(HelperThread* helper) { helper_ = helper; }

  void Conv(const PackedConv& conv, const float* x, ptrdiff_t pitch, size_t rows, float* y) {
    if (conv.plan != nullptr) return ConvByPoints(conv, x, rows, y);
    const size_t blocks = Blocks(conv);
    Each(blocks, [&](size_t block) { kernels_.conv(conv, block, x, pitch, rows, y); });
  }

  void Snake(const float* x, size_t rows, size_t channels, const float* scale, const float* shift,
             const float* alpha, bool split, float* out) const {
    Rows(rows, [&](size_t first, size_t count) {
      kernels_.snake(x + first * channels, count, channels, scale, shift, alpha, split,
                     out + first * channels);
    });
  }

  // Calls `make(first, count)` for stretches of the rows.
  template <class Make>
  void Rows(size_t rows, const Make& make) const {
    Each((rows + kRows - 1) / kRows, [&](size_t piece) {
      const size_t first = piece * kRows;
      make(first, std::min(kRows, rows - first));
    });
  }

 private:
  static constexpr size_t kRows = 64;
  // Floats of all points of the groups that go through a convolution together, so that they stay in the
  // cache.
  static constexpr size_t kNear = 3 << 17;
  // Groups, and blocks of outputs, that one thread takes at a time.
  static constexpr size_t kPiece = 8, kBlocks = 4;

  size_t Blocks(const PackedConv& conv) const {
    return (conv.shape.out + kernels_.block - 1) / kernels_.block;
  }

  void ConvByPoints(const PackedConv& conv, const float* x, size_t rows, float* y) {
    const ConvShape& shape = conv.shape;
    const size_t groups = kNear / (conv.plan->points() * shape.in);
    const size_t stretch = std::max<size_t>(1, groups / shape.dilation) * conv.together();
    for (size_t row = 0; row < rows; row += stretch)
      Stretch(conv, x + row * shape.in, std::min(stretch, rows - row), y + row * shape.out);
  }

  void Stretch(const PackedConv& conv, const float* x, size_t rows, float* y) {
    const ToomCookPlan& plan = *conv.plan;
    const ConvShape& shape = conv.shape;
    const size_t groups = (rows + conv.together() - 1) / conv.together() * shape.dilation;
    float* v = points_.Get(plan.points() * groups * shape.in);
    float* products = products_.Get(plan.points() * groups * shape.out);
    EachPiece(groups, [&](Groups piece) {
      kernels_.spread(plan, x, shape.in, shape.dilation, piece, v + piece.first * shape.in,
                      groups * shape.in);
    });
    const size_t blocks = Blocks(conv), pieces = (blocks + kBlocks - 1) / kBlocks;
    Each(plan.points() * pieces, [&](size_t which) {
      const size_t point = which / pieces, first = which % pieces * kBlocks;
      for (size_t block = first; block < std::min(blocks, first + kBlocks); ++block)
        kernels_.conv(conv.points[point], block, v + point * groups * shape.in,
                      static_cast<ptrdiff_t>(shape.in), groups, products + point * groups * shape.out);
    });
    EachPiece(groups, [&](Groups piece) {
      kernels_.gather(conv, products + piece.first * shape.out, groups * shape.out, piece, rows, y);
    });
  }

  template <class Make>
  void EachPiece(size_t groups, const Make& make) const {
    Each((groups + kPiece - 1) / kPiece, [&](size_t piece) {
      make(Groups{piece * kPiece, std::min(kPiece, groups - piece * kPiece)});
    });
  }

  template <class Make>
  void Each(size_t count, const Make& make) const {
    if (helper_ != nullptr && count > 1) {
      helper_->Each(count, make);
    } else {
      for (size_t piece = 0; piece < count; ++piece) make(piece);
    }
  }

  const GeneratorKernels& kernels_;
  HelperThread* helper_ = nullptr;
  Scratch points_, products_;
};

}  // namespace trunkline::tts
