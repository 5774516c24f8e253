#include "tts/generator_layers.h"

#include <cmath>

namespace trunkline::tts {
namespace {

constexpr float kEpsilon = 1e-5F;

}  // namespace

BlockStream::BlockStream(const BlockWeights& weights, Arithmetic& arithmetic, std::span<const float> style,
                         const Statistics& statistics)
    : arithmetic_(arithmetic), channels_(weights.channels), out_(weights.channels) {
  halves_.reserve(6);
  for (const auto& pair : weights.halves) {
    residuals_.emplace_back(channels_);
    for (const auto& half : pair) {
      const ConvShape& shape = half.conv.shape;
      const size_t pad = (shape.taps - 1) * shape.dilation / 2;
      std::vector<float> values = half.fc_bias;
      for (size_t i = 0; i < style.size(); ++i)
        for (size_t c = 0; c < values.size(); ++c)
          values[c] += style[i] * half.fc_weights[i * values.size() + c];
      for (size_t c = 0; c < channels_; ++c) values[c] += 1;
      const auto middle = values.begin() + static_cast<ptrdiff_t>(channels_);
      halves_.push_back({&half,
                         {values.begin(), middle},
                         {middle, values.end()},
                         {},
                         {},
                         ConvStream(half.conv, arithmetic, pad, pad)});
      if (!statistics.own) Normalise(halves_.back(), statistics);
    }
  }
}

void BlockStream::Normalise(Half& half, const Statistics& statistics) const {
  half.scale.resize(channels_);
  half.offset.resize(channels_);
  for (size_t c = 0; c < channels_; ++c) {
    const float mean = statistics.values[half.weights->mean + c];
    const float variance = statistics.values[half.weights->variance + c];
    half.scale[c] = half.gain[c] / std::sqrt(std::max(variance, 0.0F) + kEpsilon);
    half.offset[c] = half.shift[c] - mean * half.scale[c];
  }
}

void BlockStream::Measure(Half& half, const float* rows, size_t count, Statistics& statistics) const {
  std::vector<double> sums(channels_, 0), squares(channels_, 0);
  for (size_t row = 0; row < count; ++row)
    for (size_t c = 0; c < channels_; ++c) sums[c] += static_cast<double>(rows[row * channels_ + c]);
  for (double& sum : sums) sum /= static_cast<double>(std::max<size_t>(1, count));
  for (size_t row = 0; row < count; ++row) {
    for (size_t c = 0; c < channels_; ++c) {
      const double off = static_cast<double>(rows[row * channels_ + c]) - sums[c];
      squares[c] += off * off;
    }
  }
  for (size_t c = 0; c < channels_; ++c) {
    statistics.values[half.weights->mean + c] = static_cast<float>(sums[c]);
    statistics.values[half.weights->variance + c] =
        static_cast<float>(squares[c] / static_cast<double>(std::max<size_t>(1, count)));
  }
}

void BlockStream::Feed(Half& half, const float* rows, size_t count, bool last, Statistics& statistics) {
  if (statistics.own) {
    Measure(half, rows, count, statistics);
    Normalise(half, statistics);
  }
  if (count > 0) {
    arithmetic_.Snake(rows, count, channels_, half.scale.data(), half.offset.data(),
                      half.weights->alpha.data(), half.stream.conv().split, half.stream.Append(count));
  }
  if (last) half.stream.Close();
}

bool BlockStream::Push(const float* rows, size_t count, bool last, Statistics& statistics,
                       const onnx::RunOptions* run) {
  if (count > 0) std::memcpy(residuals_[0].Append(count), rows, count * channels_ * sizeof(float));
  for (size_t j = 0; j < residuals_.size(); ++j) {
    if (run != nullptr && run->terminated()) return false;
    RowQueue& residual = residuals_[j];
    Half& one = halves_[2 * j];
    Feed(one, rows, count, last, statistics);
    count = one.stream.ready();
    float* middle = middle_.Get(count * channels_);
    one.stream.Run(middle);
    if (run != nullptr && run->terminated()) return false;
    Half& two = halves_[2 * j + 1];
    Feed(two, middle, count, last, statistics);
    count = two.stream.ready();
    float* made = (j + 1 < residuals_.size() ? residuals_[j + 1] : out_).Append(count);
    two.stream.Run(made);
    const float* before = residual.front();
    arithmetic_.Rows(count, [&](size_t first, size_t some) {
      for (size_t i = first * channels_; i < (first + some) * channels_; ++i) made[i] += before[i];
    });
    residual.Drop(count);
    if (last) residual.Release();
    rows = made;
  }
  if (last) middle_.Release();
  return true;
}

}  // namespace trunkline::tts
