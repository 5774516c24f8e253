// The arithmetic of Kokoro's generator, for each instruction set. Rows are moments, columns channels: a
// layer's input rows are contiguous, so a convolution is a matrix product of overlapping rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tts/generator_rows.h"
#include "tts/toom_cook.h"

namespace trunkline::tts {

// A kernel may read, and ignores, this many rows after the last one it was given.
inline constexpr size_t kSlackRows = 48;

struct ConvShape {
  size_t in = 0, out = 0, taps = 1, dilation = 1;
};

// Outputs are computed in blocks of at most this many.
inline constexpr size_t kMaxBlock = 32;

// y[t][o] = scale * sum over k, c of w[k][c][o] * x[t + k * dilation][c] + bias[o].
struct PackedConv {
  ConvShape shape;
  float scale = 1;
  bool split = false;  // `snake` writes its input for tiles, not as floats
  AlignedFloats weights;
  AlignedFloats bias;  // filled up with zeros to a whole block

  // The Toom-Cook plan: one matrix product a point. Null: direct convolution.
  const ToomCookPlan* plan = nullptr;
  std::vector<PackedConv> points;

  size_t taps() const { return plan == nullptr ? shape.taps : plan->taps(); }
  // Rows that one output reads, less the first.
  size_t span() const { return (taps() - 1) * shape.dilation; }
  // Rows before the first of the weights: taps of zero fill the first piece.
  size_t before() const { return (taps() - shape.taps) * shape.dilation; }
  size_t together() const { return plan == nullptr ? 1 : plan->outputs() * shape.dilation; }
};

// The position and number of a group of rows: `first` counts the groups of one phase of the dilation.
struct Groups {
  size_t first = 0, count = 0;
};

// Floats that `pack` may write.
inline constexpr size_t PackedFloats(const ConvShape& shape) {
  return shape.taps * shape.in * ((shape.out + kMaxBlock - 1) / kMaxBlock) * kMaxBlock;
}

struct GeneratorKernels {
  std::string_view name;

  // `weights`: [taps][in][out]; `integers`: they are whole numbers of at most 8 bits. Sets `split`.
  void (*pack)(const float* weights, bool integers, PackedConv& conv);
  // The outputs of a block; the last block may hold fewer.
  size_t block = kMaxBlock;
  // Computes one block of the outputs. `pitch`: floats from one row of x to the next; `out` floats from one
  // row of y to the next.
  void (*conv)(const PackedConv& conv, size_t block, const float* x, ptrdiff_t pitch, size_t rows, float* y);
  // v = x * scale + shift; out = v + sin(alpha v)^2 / alpha. Written for a convolution that is `split` or
  // not.
  void (*snake)(const float* x, size_t rows, size_t channels, const float* scale, const float* shift,
                const float* alpha, bool split, float* out);

  // `conv` is faster by Toom-Cook.
  bool minimal = false;
  // Spreads rows of x over the points: group g's point j at v[j * pitch + (g - first) * channels].
  void (*spread)(const ToomCookPlan& plan, const float* x, size_t channels, size_t dilation, Groups groups,
                 float* v, size_t pitch) = nullptr;
  // Computes y of the first `rows` rows from the products, which have the layout of `spread`.
  void (*gather)(const PackedConv& conv, const float* products, size_t pitch, Groups groups, size_t rows,
                 float* y) = nullptr;
};

const GeneratorKernels& PlainGeneratorKernels();
#if defined(__x86_64__)
const GeneratorKernels& Avx2GeneratorKernels();
const GeneratorKernels& Avx512GeneratorKernels();
// Returns null when the system refuses the tiles.
const GeneratorKernels* AmxGeneratorKernels();
#elif defined(__aarch64__)
const GeneratorKernels& NeonGeneratorKernels();
#endif

// The fastest for this processor (base::Cpu(), which TRUNKLINE_CPU limits).
const GeneratorKernels& BestGeneratorKernels();
// All that run on this processor, the fastest first.
std::vector<const GeneratorKernels*> RunnableGeneratorKernels();

}  // namespace trunkline::tts
