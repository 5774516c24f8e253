// Estimates a call's speech quality from its packet statistics.
#pragma once

namespace trunkline::rtp {

// A codec's own impairment and its robustness to loss (ITU-T G.113): Ie and Bpl.
struct CodecQuality {
  double impairment = 0;
  double robustness = 25.1;  // G.711 with concealment
};

// Returns the mean opinion score, 1 to 4.5, by the E-model (ITU-T G.107) with its defaults. `loss` is 0 to 1;
// `delay_ms` is mouth to ear.
double OpinionScore(double loss, double delay_ms, CodecQuality codec);

}  // namespace trunkline::rtp
