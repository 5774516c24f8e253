// The layers of the generator as streams: rows go in, the rows that are complete come out.
#pragma once

#include <vector>

#include "tts/generator.h"
#include "tts/generator_arithmetic.h"
#include "tts/generator_rows.h"

namespace trunkline::tts {

// Floats that are written before they are read, kept from step to step.
class Scratch {
 public:
  float* Get(size_t count) {
    if (count > capacity_) {
      memory_ = {};
      capacity_ = count + count / 8;
      memory_ = AlignedFloats(capacity_);
    }
    return memory_.data();
  }
  void Release() {
    memory_ = {};
    capacity_ = 0;
  }

 private:
  AlignedFloats memory_;
  size_t capacity_ = 0;
};

// A convolution whose input comes a few rows at a time, with silence before the first and behind the last.
class ConvStream {
 public:
  ConvStream(const PackedConv& conv, const Arithmetic& arithmetic, size_t before, size_t behind)
      : conv_(conv), arithmetic_(arithmetic), behind_(behind), in_(conv.shape.in, kSlackRows) {
    in_.AppendZeros(before);
  }

  float* Append(size_t rows) { return in_.Append(rows); }
  void Close() {
    in_.AppendZeros(behind_);
    closed_ = true;
  }
  size_t ready() const {
    const size_t span = (conv_.shape.taps - 1) * conv_.shape.dilation;
    return in_.rows() > span ? in_.rows() - span : 0;
  }
  // Makes all rows that are ready and forgets the input that no later one needs.
  void Run(float* out) {
    const size_t rows = ready();
    if (rows > 0) arithmetic_.Conv(conv_, in_.front(), static_cast<ptrdiff_t>(conv_.shape.in), rows, out);
    in_.Drop(rows);
    if (closed_) in_.Release();
  }
  const PackedConv& conv() const { return conv_; }

 private:
  const PackedConv& conv_;
  const Arithmetic& arithmetic_;
  const size_t behind_;
  bool closed_ = false;
  RowQueue in_;
};

// What normalises a layer: given with the clause, or taken from the rows themselves.
struct Statistics {
  std::vector<float> values;
  bool own = false;
};

class BlockStream {
 public:
  BlockStream(const BlockWeights& weights, const Arithmetic& arithmetic, std::span<const float> style,
              const Statistics& statistics);

  // False when `run` was terminated; the stream is of no use then.
  bool Push(const float* rows, size_t count, bool last, Statistics& statistics, const onnx::RunOptions* run);
  RowQueue& out() { return out_; }

 private:
  struct Half {
    const BlockWeights::Half* weights;
    std::vector<float> gain, shift;    // of the style
    std::vector<float> scale, offset;  // with the statistics
    ConvStream stream;
  };
  void Measure(Half& half, const float* rows, size_t count, Statistics& statistics) const;
  void Normalise(Half& half, const Statistics& statistics) const;
  void Feed(Half& half, const float* rows, size_t count, bool last, Statistics& statistics);

  const Arithmetic& arithmetic_;
  const size_t channels_;
  std::vector<Half> halves_;
  std::vector<RowQueue> residuals_;
  RowQueue out_;
  Scratch first_, second_;
};

}  // namespace trunkline::tts
