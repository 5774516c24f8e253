// The filters behind marker.h, eight bands beside one another. The body is compiled for each instruction set; a file compiled
// for one includes nothing that the linker could share with the rest.
#pragma once

namespace trunkline::mark {

using Eight = float __attribute__((vector_size(32)));

// Bands are filled up to whole vectors; those that are none have no gain.
inline constexpr int kEights = 4;

struct Filters {
  Eight gain[kEights], step[kEights];  // what a band is made louder by, and how that grows with each sample
  Eight lead[kEights], feed1[kEights], feed2[kEights];
  Eight older[kEights], old[kEights];  // of each filter the two samples before
  float before, last;                  // the same of the sound
};

using MarkKernel = void (*)(Filters& filters, float* samples, long count);

extern const MarkKernel kMarkPlain;
extern const MarkKernel kMarkAvx2;

// The best for this processor.
MarkKernel BestMarkKernel();

static inline void MarkSamples(Filters& filters, float* samples, long count) {
  Filters f = filters;
  for (long i = 0; i < count; ++i) {
    const float rise = samples[i] - f.before;
    Eight added = f.gain[0] - f.gain[0];
    for (int e = 0; e < kEights; ++e) {
      f.gain[e] += f.step[e];
      const Eight now = f.lead[e] * rise + f.feed1[e] * f.old[e] + f.feed2[e] * f.older[e];
      f.older[e] = f.old[e];
      f.old[e] = now;
      added += f.gain[e] * now;
    }
    f.before = f.last;
    f.last = samples[i];
    samples[i] +=
        ((added[0] + added[4]) + (added[1] + added[5])) + ((added[2] + added[6]) + (added[3] + added[7]));
  }
  filters = f;
}

}  // namespace trunkline::mark
