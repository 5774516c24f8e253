// The filters of embedder.h, eight bands in a vector. The body is compiled for each instruction set; a file
// compiled for one includes nothing that the linker could share with the rest.
#pragma once

namespace trunkline::watermark {

using Eight = float __attribute__((vector_size(32)));

// Bands are padded to whole vectors; the padding has no gain.
inline constexpr int kEights = 4;
inline constexpr int kBlock = 8;

struct Filters {
  Eight gain[kEights], step[kEights];
  Eight feed1[kEights], feed2[kEights];
  Eight older[kEights], old[kEights];
  float before, last;  // the last two samples of the input
  bool ramps;          // a gain changes in this block
};

using EmbedKernel = void (*)(Filters& filters, float* samples, long count);

extern const EmbedKernel kEmbedPlain;
extern const EmbedKernel kEmbedAvx2;

EmbedKernel BestEmbedKernel();

// Adds the upper half of each vector to its lower half.
static inline void Fold(const Eight& a, const Eight& b, Eight& out) {
  out = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11) +
        __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
}

// Sums neighbours in each half: first those of a, then those of b.
static inline void Pair(const Eight& a, const Eight& b, Eight& out) {
  out = __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) +
        __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
}

static inline void Sum(const Eight (&v)[kBlock], Eight& sums) {
  Eight two[4], four[2], all;
  for (int i = 0; i < 4; ++i) Fold(v[2 * i], v[2 * i + 1], two[i]);
  for (int i = 0; i < 2; ++i) Pair(two[2 * i], two[2 * i + 1], four[i]);
  Pair(four[0], four[1], all);
  sums = __builtin_shufflevector(all, all, 0, 4, 1, 5, 2, 6, 3, 7);
}

// The gains are constant without `kRamps`.
template <bool kRamps>
static inline void EmbedBlock(Filters& f, float* samples, long count) {
  float rise[kBlock] = {};
  for (long i = 0; i < count; ++i) {
    rise[i] = samples[i] - f.before;
    f.before = f.last;
    f.last = samples[i];
  }
  Eight added[kBlock] = {};
  for (long i = 0; i < count; ++i) {
    for (int e = 0; e < kEights; ++e) {
      if (kRamps) f.gain[e] += f.step[e];
      const Eight now = (rise[i] + f.feed2[e] * f.older[e]) + f.feed1[e] * f.old[e];
      f.older[e] = f.old[e];
      f.old[e] = now;
      added[i] += f.gain[e] * now;
    }
  }
  Eight sums;
  Sum(added, sums);
  for (long i = 0; i < count; ++i) samples[i] += sums[i];
}

template <bool kRamps>
static inline void EmbedAll(Filters& filters, float* samples, long count) {
  Filters f = filters;
  long at = 0;
  for (; at + kBlock <= count; at += kBlock) EmbedBlock<kRamps>(f, samples + at, kBlock);
  if (at < count) EmbedBlock<kRamps>(f, samples + at, count - at);
  filters = f;
}

static inline void EmbedSamples(Filters& filters, float* samples, long count) {
  if (filters.ramps) {
    EmbedAll<true>(filters, samples, count);
  } else {
    EmbedAll<false>(filters, samples, count);
  }
}

}  // namespace trunkline::watermark
