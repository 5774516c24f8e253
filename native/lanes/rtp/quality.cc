#include "lanes/rtp/quality.h"

#include <algorithm>
#include <cmath>

namespace trunkline::rtp {

double OpinionScore(double loss, double delay_ms, CodecQuality codec) {
  // The rating with every default of G.107.
  constexpr double kBest = 93.2;
  const double percent = std::clamp(loss, 0.0, 1.0) * 100;
  const double losses = codec.impairment + (95 - codec.impairment) * percent / (percent + codec.robustness);
  const double beyond = std::max(0.0, delay_ms - 177.3);
  const double delay = 0.024 * delay_ms + 0.11 * beyond;
  const double rating = std::clamp(kBest - delay - losses, 0.0, 100.0);
  const double score = 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6;
  return std::clamp(score, 1.0, 4.5);
}

}  // namespace trunkline::rtp
