// The generator's layers as streams: rows go in, complete rows come out.
#pragma once

#include <vector>

#include "tts/generator.h"
#include "tts/generator_arithmetic.h"
#include "tts/generator_rows.h"

namespace trunkline::tts {

// A convolution whose input comes a few rows at a time, with silence before the first and after the last.
class ConvStream {
 public:
  ConvStream(const PackedConv& conv, Arithmetic& arithmetic, size_t before, size_t behind)
      : conv_(conv), arithmetic_(arithmetic), behind_(behind), in_(conv.shape.in, kSlackRows) {
    in_.AppendZeros(before + conv.before());
  }

  float* Append(size_t rows) { return in_.Append(rows); }
  // Appends silence after the last row, including what fills up the last outputs that are computed together.
  void Close() {
    in_.AppendZeros(behind_ + conv_.together() - 1);
    closed_ = true;
  }
  // Outputs that are computed together wait for each other, so that any split gives the same.
  size_t ready() const {
    const size_t needed = conv_.span() + (closed_ ? conv_.together() - 1 : 0);
    const size_t rows = in_.rows() > needed ? in_.rows() - needed : 0;
    return closed_ ? rows : rows - rows % conv_.together();
  }
  // Computes all ready rows and discards input that no later row needs.
  void Run(float* out) {
    const size_t rows = ready();
    if (rows > 0) arithmetic_.Conv(conv_, in_.front(), static_cast<ptrdiff_t>(conv_.shape.in), rows, out);
    in_.Drop(rows);
    if (closed_) in_.Release();
  }
  const PackedConv& conv() const { return conv_; }

 private:
  const PackedConv& conv_;
  Arithmetic& arithmetic_;
  const size_t behind_;
  bool closed_ = false;
  RowQueue in_;
};

// The statistics that normalise a layer come with the clause, or from its rows.
struct Statistics {
  std::vector<float> values;
  bool own = false;
};

class BlockStream {
 public:
  BlockStream(const BlockWeights& weights, Arithmetic& arithmetic, std::span<const float> style,
              const Statistics& statistics);

  // Returns false when `run` was terminated; the stream is then unusable.
  bool Push(const float* rows, size_t count, bool last, Statistics& statistics, const onnx::RunOptions* run);
  RowQueue& out() { return out_; }

 private:
  struct Half {
    const BlockWeights::Half* weights;
    std::vector<float> gain, shift;
    std::vector<float> scale, offset;
    ConvStream stream;
  };
  void Measure(Half& half, const float* rows, size_t count, Statistics& statistics) const;
  void Normalise(Half& half, const Statistics& statistics) const;
  void Feed(Half& half, const float* rows, size_t count, bool last, Statistics& statistics);

  Arithmetic& arithmetic_;
  const size_t channels_;
  std::vector<Half> halves_;
  std::vector<RowQueue> residuals_;
  RowQueue out_;
  Scratch middle_;
};

}  // namespace trunkline::tts
