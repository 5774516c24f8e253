#include "tts/tilt.h"

#include <cmath>
#include <complex>
#include <numbers>

namespace trunkline::tts {
namespace {

constexpr float kHertz = 1200;

float HalfUp(float db) {
  return std::pow(10.0F, db / 40);
}

float Step(int rate) {
  return 1 - std::exp(-2 * std::numbers::pi_v<float> * kHertz / static_cast<float>(rate));
}

}  // namespace

TiltFilter::TiltFilter(int rate, float db)
    : step_(Step(rate)), low_gain_(HalfUp(-db)), high_gain_(HalfUp(db)) {}

float TiltFilter::GainDb(int rate, float db, float hertz) {
  const float turn = 2 * std::numbers::pi_v<float> * hertz / static_cast<float>(rate);
  const std::complex<float> low = Step(rate) / (1.0F - (1 - Step(rate)) * std::polar(1.0F, -turn));
  return 20 * std::log10(std::abs(HalfUp(-db) * low + HalfUp(db) * (1.0F - low)));
}

}  // namespace trunkline::tts
