// The generator's kernels for any width of vector, compiled once for each instruction set. Each sum has one
// fixed order, so any split of the rows gives the same floats.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "tts/generator_kernels.h"

namespace trunkline::tts {
namespace {

// Lanes::Vector holds kWidth floats; a tile is kRows rows by two vectors.
template <class Lanes>
struct LaneConv {
  using Vector = typename Lanes::Vector;
  static constexpr size_t kBlock = 2 * Lanes::kWidth;

  static Vector Load(const float* from) {
    Vector v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }

  // kFirst: the first tile of its block prefetches the weights of the next block.
  template <int kRows, bool kFirst = false>
  static void Tile(const PackedConv& conv, size_t block, const float* x, ptrdiff_t pitch, float* y) {
    const ConvShape& shape = conv.shape;
    Vector low[kRows] = {}, high[kRows] = {};
    const size_t next = shape.taps * shape.in * kBlock;
    const float* w = conv.weights.data() + block * next;
    for (size_t tap = 0; tap < shape.taps; ++tap) {
      const float* row = x + static_cast<ptrdiff_t>(tap * shape.dilation) * pitch;
      for (size_t c = 0; c < shape.in; ++c, w += kBlock) {
        const Vector a = Load(w), b = Load(w + Lanes::kWidth);
        if constexpr (kFirst) {
          for (size_t line = 0; line < kBlock; line += 16) __builtin_prefetch(w + next + line, 0, 2);
        }
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          const float s = row[r * pitch + static_cast<ptrdiff_t>(c)];
          low[r] += a * s;
          high[r] += b * s;
        }
      }
    }
    const float* bias = conv.bias.data() + block * kBlock;
    const size_t first = block * kBlock, count = std::min(kBlock, shape.out - first);
    for (int r = 0; r < kRows; ++r) {
      const Vector out[2] = {low[r] * conv.scale + Load(bias),
                             high[r] * conv.scale + Load(bias + Lanes::kWidth)};
      std::memcpy(y + static_cast<size_t>(r) * shape.out + first, out, count * sizeof(float));
    }
  }

  static void Run(const PackedConv& conv, size_t block, const float* x, ptrdiff_t pitch, size_t rows,
                  float* y) {
    size_t row = 0;
    if (rows >= Lanes::kRows) {
      Tile<Lanes::kRows, true>(conv, block, x, pitch, y);
      row = Lanes::kRows;
    }
    for (; row + Lanes::kRows <= rows; row += Lanes::kRows)
      Tile<Lanes::kRows>(conv, block, x + static_cast<ptrdiff_t>(row) * pitch, pitch,
                         y + row * conv.shape.out);
    Rest<Lanes::kRows - 1>(conv, block, x + static_cast<ptrdiff_t>(row) * pitch, pitch, rows - row,
                           y + row * conv.shape.out);
  }

  template <int kRows>
  static void Rest(const PackedConv& conv, size_t block, const float* x, ptrdiff_t pitch, size_t rows,
                   float* y) {
    if constexpr (kRows > 0) {
      if (rows == kRows) {
        Tile<kRows>(conv, block, x, pitch, y);
      } else {
        Rest<kRows - 1>(conv, block, x, pitch, rows, y);
      }
    }
  }

  static void Pack(const float* weights, bool, PackedConv& conv) {
    const size_t in = conv.shape.in, out = conv.shape.out, taps = conv.shape.taps;
    conv.split = false;
    float* to = conv.weights.data();
    for (size_t first = 0; first < out; first += kBlock)
      for (size_t row = 0; row < taps * in; ++row)
        for (size_t o = first; o < first + kBlock; ++o) *to++ = o < out ? weights[row * out + o] : 0.0F;
  }
};

// The input and output transforms of Toom-Cook, for any width of vector. The plan is a compile-time constant,
// so that nothing is multiplied by zero.
template <class Lanes, const ToomCookPlan& kPlan>
struct LanePoints {
  using Vector = typename Lanes::Vector;
  static constexpr size_t kWithin = kPlan.within.points, kAcross = kPlan.across.points;
  static constexpr size_t kOutputs = kPlan.within.outputs, kGroups = kPlan.across.outputs;

  // Tables of kTo sums of kFrom inputs.
  struct SpreadWithin {
    static constexpr const auto& kBy = kPlan.within.spread;
    static constexpr size_t kFrom = kWithin, kTo = kWithin;
  };
  struct SpreadAcross {
    static constexpr const auto& kBy = kPlan.across.spread;
    static constexpr size_t kFrom = kAcross, kTo = kAcross;
  };
  struct GatherWithin {
    static constexpr const auto& kBy = kPlan.within.gather;
    static constexpr size_t kFrom = kWithin, kTo = kOutputs;
  };
  struct GatherAcross {
    static constexpr const auto& kBy = kPlan.across.gather;
    static constexpr size_t kFrom = kAcross, kTo = kGroups;
  };

  template <class Table, size_t kRow, size_t... kAt>
  static Vector Sum(const Vector* in, size_t step, std::index_sequence<kAt...>) {
    Vector sum{};
    const auto add = [&]<size_t kColumn>(std::integral_constant<size_t, kColumn>) {
      constexpr float kBy = Table::kBy[kRow * Table::kFrom + kColumn];
      if constexpr (kBy != 0) sum += in[kColumn * step] * kBy;
    };
    (add(std::integral_constant<size_t, kAt>{}), ...);
    return sum;
  }

  template <class Table, size_t... kRow>
  static void Rows(const Vector* in, size_t step, Vector* sums, size_t apart, std::index_sequence<kRow...>) {
    ((sums[kRow * apart] = Sum<Table, kRow>(in, step, std::make_index_sequence<Table::kFrom>{})), ...);
  }

  // The inputs lie `step` apart, the sums `apart`.
  template <class Table>
  static void Combine(const Vector* in, size_t step, Vector* sums, size_t apart) {
    Rows<Table>(in, step, sums, apart, std::make_index_sequence<Table::kTo>{});
  }

  static void Spread(const float* x, size_t channels, size_t dilation, Groups groups, float* v,
                     size_t pitch) {
    for (size_t group = groups.first; group < groups.first + groups.count; ++group, v += channels) {
      const size_t first = group / dilation * kGroups * kOutputs * dilation + group % dilation;
      for (size_t c = 0; c < channels; c += Lanes::kWidth) {
        Vector middle[kAcross * kWithin];
        for (size_t g = 0; g < kAcross; ++g) {
          Vector in[kWithin];
          const float* row = x + (first + g * kOutputs * dilation) * channels + c;
          for (size_t i = 0; i < kWithin; ++i) in[i] = LaneConv<Lanes>::Load(row + i * dilation * channels);
          Combine<SpreadWithin>(in, 1, middle + g * kWithin, 1);
        }
        for (size_t j = 0; j < kWithin; ++j) {
          Vector sums[kAcross];
          Combine<SpreadAcross>(middle + j, kWithin, sums, 1);
          for (size_t r = 0; r < kAcross; ++r)
            std::memcpy(v + (r * kWithin + j) * pitch + c, &sums[r], sizeof sums[r]);
        }
      }
    }
  }

  static void Gather(const PackedConv& conv, const float* products, size_t pitch, Groups groups, size_t rows,
                     float* y) {
    const size_t channels = conv.shape.out, dilation = conv.shape.dilation;
    for (size_t group = groups.first; group < groups.first + groups.count; ++group, products += channels) {
      const size_t first = group / dilation * kGroups * kOutputs * dilation + group % dilation;
      for (size_t c = 0; c < channels; c += Lanes::kWidth) {
        Vector middle[kGroups * kWithin];
        for (size_t j = 0; j < kWithin; ++j) {
          Vector in[kAcross];
          for (size_t r = 0; r < kAcross; ++r)
            in[r] = LaneConv<Lanes>::Load(products + (r * kWithin + j) * pitch + c);
          Combine<GatherAcross>(in, 1, middle + j, kWithin);
        }
        const Vector bias = LaneConv<Lanes>::Load(conv.bias.data() + c);
        for (size_t g = 0; g < kGroups; ++g) {
          Vector sums[kOutputs];
          Combine<GatherWithin>(middle + g * kWithin, 1, sums, 1);
          for (size_t i = 0; i < kOutputs; ++i) {
            const size_t row = first + (g * kOutputs + i) * dilation;
            if (row >= rows) break;
            const Vector sum = sums[i] * conv.scale + bias;
            std::memcpy(y + row * channels + c, &sum, sizeof sum);
          }
        }
      }
    }
  }
};

template <class Lanes>
void SpreadLanes(const ToomCookPlan& plan, const float* x, size_t channels, size_t dilation, Groups groups,
                 float* v, size_t pitch) {
  const auto spread = plan.taps() == kToomCookOfThree.taps() ? &LanePoints<Lanes, kToomCookOfThree>::Spread
                      : plan.taps() == kToomCookOfEight.taps()
                          ? &LanePoints<Lanes, kToomCookOfEight>::Spread
                          : &LanePoints<Lanes, kToomCookOfTwelve>::Spread;
  spread(x, channels, dilation, groups, v, pitch);
}

template <class Lanes>
void GatherLanes(const PackedConv& conv, const float* products, size_t pitch, Groups groups, size_t rows,
                 float* y) {
  const size_t taps = conv.taps();
  const auto gather = taps == kToomCookOfThree.taps()   ? &LanePoints<Lanes, kToomCookOfThree>::Gather
                      : taps == kToomCookOfEight.taps() ? &LanePoints<Lanes, kToomCookOfEight>::Gather
                                                        : &LanePoints<Lanes, kToomCookOfTwelve>::Gather;
  gather(conv, products, pitch, groups, rows, y);
}

// sin(v)^2 for any v of speech: v less whole half-turns, then a series that is accurate to the last bit but
// one.
inline float SineSquared(float v) {
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to a whole number
  const float turns = (v * 0.31830988618F + kRound) - kRound;
  float r = v - turns * 3.140625F;
  r -= turns * 9.67653589793e-4F;
  const float q = r * r;
  const float series =
      r + r * q *
              (-1.6666667e-1F +
               q * (8.3333310e-3F + q * (-1.9840874e-4F + q * (2.7525562e-6F - q * 2.3889859e-8F))));
  return series * series;
}

inline void SnakeRows(const float* x, size_t rows, size_t channels, const float* scale, const float* shift,
                      const float* alpha, bool, float* out) {
  for (size_t row = 0; row < rows; ++row, x += channels, out += channels) {
    for (size_t c = 0; c < channels; ++c) {
      const float v = x[c] * scale[c] + shift[c];
      out[c] = v + SineSquared(v * alpha[c]) / alpha[c];
    }
  }
}

template <class Lanes>
GeneratorKernels LaneKernels(std::string_view name) {
  return {name, &LaneConv<Lanes>::Pack, LaneConv<Lanes>::kBlock, &LaneConv<Lanes>::Run, &SnakeRows,
          true, &SpreadLanes<Lanes>,    &GatherLanes<Lanes>};
}

}  // namespace
}  // namespace trunkline::tts
