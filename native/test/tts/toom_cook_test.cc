// Fewer products, the same sums: every plan against the convolution it stands for.

#include "tts/toom_cook.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trunkline::tts {
namespace {

class ToomCookTest : public testing::TestWithParam<const ToomCook*> {};

TEST_P(ToomCookTest, MakesWhatTheConvolutionMakes) {
  const ToomCook& plan = *GetParam();
  ASSERT_EQ(plan.points, plan.outputs + plan.taps - 1);
  std::vector<double> input(plan.points), weights(plan.taps);
  for (size_t i = 0; i < input.size(); ++i) input[i] = std::sin(1.7 * static_cast<double>(i + 1));
  for (size_t k = 0; k < weights.size(); ++k) weights[k] = std::cos(0.9 * static_cast<double>(k));
  std::vector<double> made(plan.outputs, 0);
  for (size_t j = 0; j < plan.points; ++j) {
    double point = 0, weight = 0;
    for (size_t i = 0; i < plan.points; ++i)
      point += static_cast<double>(plan.spread[j * plan.points + i]) * input[i];
    for (size_t k = 0; k < plan.taps; ++k) weight += plan.weights[j * plan.taps + k] * weights[k];
    for (size_t i = 0; i < plan.outputs; ++i)
      made[i] += static_cast<double>(plan.gather[i * plan.points + j]) * point * weight;
  }
  for (size_t i = 0; i < plan.outputs; ++i) {
    double direct = 0;
    for (size_t k = 0; k < plan.taps; ++k) direct += weights[k] * input[i + k];
    EXPECT_NEAR(made[i], direct, 1e-12) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Plans, ToomCookTest, testing::Values(&ToomCookOfThree(), &ToomCookOfFour()));

}  // namespace
}  // namespace trunkline::tts
