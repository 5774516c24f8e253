// Fewer products, the same sums: every plan against the convolution it stands for.

#include "tts/toom_cook.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trunkline::tts {
namespace {

class ToomCookTest : public testing::TestWithParam<const ToomCookPlan*> {
 protected:
  const ToomCookPlan& plan_ = *GetParam();

  // Point `point` of the inputs of one group and its neighbours.
  double Spread(const std::vector<double>& input, size_t point) const {
    const ToomCook &within = plan_.within, &across = plan_.across;
    double sum = 0;
    for (size_t g = 0; g < across.points; ++g)
      for (size_t i = 0; i < within.points; ++i)
        sum += static_cast<double>(across.spread[point / within.points * across.points + g]) *
               static_cast<double>(within.spread[point % within.points * within.points + i]) *
               input[g * within.outputs + i];
    return sum;
  }

  double Gather(size_t output, size_t point) const {
    const ToomCook &within = plan_.within, &across = plan_.across;
    return static_cast<double>(
               across.gather[output / within.outputs * across.points + point / within.points]) *
           static_cast<double>(
               within.gather[output % within.outputs * within.points + point % within.points]);
  }
};

TEST_P(ToomCookTest, MakesWhatTheConvolutionMakes) {
  std::vector<double> input(plan_.outputs() + plan_.taps() - 1), weights(plan_.taps());
  for (size_t i = 0; i < input.size(); ++i) input[i] = std::sin(1.7 * static_cast<double>(i + 1));
  for (size_t k = 0; k < weights.size(); ++k) weights[k] = std::cos(0.9 * static_cast<double>(k));
  std::vector<double> made(plan_.outputs(), 0);
  for (size_t j = 0; j < plan_.points(); ++j) {
    double weight = 0;
    for (size_t k = 0; k < weights.size(); ++k) weight += plan_.weight(j, k) * weights[k];
    for (size_t i = 0; i < made.size(); ++i) made[i] += Gather(i, j) * Spread(input, j) * weight;
  }
  for (size_t i = 0; i < made.size(); ++i) {
    double direct = 0;
    for (size_t k = 0; k < weights.size(); ++k) direct += weights[k] * input[i + k];
    EXPECT_NEAR(made[i], direct, 1e-12) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Plans, ToomCookTest,
                         testing::Values(&kToomCookOfThree, &kToomCookOfEight, &kToomCookOfTwelve));

}  // namespace
}  // namespace trunkline::tts
