// How good a call sounds, estimated from what its packets met on the way.
#pragma once

namespace trunkline::rtp {

// What a codec suffers by itself and by losses (ITU-T G.113): `impairment` is Ie, `robustness` Bpl.
struct CodecQuality {
  double impairment = 0;
  double robustness = 25.1;  // G.711 with concealment
};

// The mean opinion score, 1 to 4.5, by the E-model (ITU-T G.107) with its defaults: `loss` 0 to 1, `delay_ms`
// from mouth to ear.
double OpinionScore(double loss, double delay_ms, CodecQuality codec);

}  // namespace trunkline::rtp
