#include "tts/finisher.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace trunkline::tts {
namespace {

constexpr int kRate = 24000;

// A tone of `seconds`, of this RMS in dB.
std::vector<float> Tone(double seconds, double db, double hertz = 220) {
  std::vector<float> out(static_cast<size_t>(seconds * kRate));
  const double amplitude = std::pow(10.0, db / 20) * std::numbers::sqrt2;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<float>(amplitude *
                                std::sin(2 * std::numbers::pi * hertz * static_cast<double>(i) / kRate));
  }
  return out;
}

std::vector<float> Silence(double seconds) {
  return std::vector<float>(static_cast<size_t>(seconds * kRate), 0.0F);
}

std::vector<float> Join(std::initializer_list<std::vector<float>> parts) {
  std::vector<float> out;
  for (const auto& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

double Db(std::span<const float> samples) {
  double sum = 0;
  for (const float s : samples) sum += static_cast<double>(s) * s;
  return 10 * std::log10(sum / static_cast<double>(samples.size()) + 1e-12);
}

std::vector<float> Finish(std::initializer_list<std::vector<float>> clauses, FinishOptions options = {},
                          size_t piece = 0) {
  Finisher finisher(options);
  std::vector<float> out;
  for (const auto& clause : clauses) {
    finisher.BeginClause(200);
    for (size_t at = 0; at < clause.size(); at += piece == 0 ? clause.size() : piece) {
      const size_t size = piece == 0 ? clause.size() : std::min(piece, clause.size() - at);
      finisher.Add(std::span(clause).subspan(at, size), out);
    }
    finisher.EndClause(out);
  }
  return out;
}

TEST(Finisher, CutsTheSilentEnds) {
  const auto out = Finish({Join({Silence(0.5), Tone(1, -20), Silence(0.4)})});
  EXPECT_NEAR(static_cast<double>(out.size()) / kRate, 1.04, 0.02);
  EXPECT_GT(Db(std::span(out).first(kRate / 20)), -30);
}

TEST(Finisher, KeepsAPauseInsideAClause) {
  const auto out = Finish({Join({Tone(0.5, -20), Silence(0.3), Tone(0.5, -20)})});
  EXPECT_NEAR(static_cast<double>(out.size()) / kRate, 1.3, 0.02);
}

TEST(Finisher, PutsThePauseBetweenClausesAndNoneBefore) {
  const auto clause = Join({Silence(0.3), Tone(0.5, -20), Silence(0.3)});
  const auto out = Finish({clause, clause});
  EXPECT_NEAR(static_cast<double>(out.size()) / kRate, 0.54 + 0.2 + 0.54, 0.03);
}

TEST(Finisher, AnySplitGivesTheSameSamples) {
  const auto clause = Join({Silence(0.21), Tone(0.7, -14), Silence(0.1), Tone(0.3, -30), Silence(0.2)});
  const auto whole = Finish({clause, clause});
  for (const size_t piece : {1u, 7u, 119u, 120u, 121u, 4800u})
    EXPECT_EQ(Finish({clause, clause}, {}, piece), whole) << piece;
}

TEST(Finisher, BringsClausesOfUnlikeLoudnessTogether) {
  const auto loud = Join({Tone(2, -17), Silence(0.2)}), soft = Join({Tone(2, -23), Silence(0.2)});
  Finisher finisher({});
  std::vector<std::vector<float>> outs(4);
  for (int i = 0; i < 4; ++i) {
    finisher.BeginClause(0);
    finisher.Add(i % 2 == 0 ? loud : soft, outs[static_cast<size_t>(i)]);
    finisher.EndClause(outs[static_cast<size_t>(i)]);
  }
  // Less than half of the difference of six decibels is left, over the whole of each clause.
  EXPECT_LT(std::abs(Db(outs[2]) - Db(outs[3])), 3);
}

// The expected level of a short clause counts from its first sample, because the leveller has no time for it.
TEST(Finisher, BeginsAClauseAtTheLevelThatIsExpectedOfIt) {
  const auto soft = Tone(2, -20), loud = Tone(0.3, -18);
  std::vector<float> plain, brief, untold;
  Finisher finisher({});
  finisher.BeginClause(0);
  finisher.Add(soft, plain);
  finisher.EndClause(plain);
  finisher.BeginClause(0);
  finisher.Expect(2);
  finisher.Add(loud, brief);
  finisher.EndClause(brief);
  finisher.BeginClause(0);
  finisher.Add(loud, untold);
  finisher.EndClause(untold);
  EXPECT_NEAR(Db(brief), Db(plain), 0.2);
  EXPECT_GT(Db(untold), Db(plain) + 1);
}

TEST(Finisher, LiftsAStretchOverWhatTheLevellerWants) {
  const auto sound = Tone(1.5, -26);
  const auto levels = [&](float lift) {
    Finisher finisher({});
    std::vector<float> out;
    finisher.BeginClause(0);
    std::vector<float> gains(120, 1.0F);  // frames of 12.5 ms
    std::fill(gains.begin() + 40, gains.begin() + 80, lift);
    finisher.Lift(gains, kRate / 80);
    finisher.Add(sound, out);
    finisher.EndClause(out);
    return std::pair{Db(std::span(out).subspan(13'000, 10'000)), Db(std::span(out).subspan(26'000, 9'000))};
  };
  const auto plain = levels(1), lifted = levels(1.41F);
  EXPECT_NEAR(lifted.first - plain.first, 3, 0.1);
  EXPECT_NEAR(lifted.second, plain.second, 0.1) << "behind it nothing is softer";
}

TEST(Finisher, NothingReachesFullScaleAndNothingBreaks) {
  auto clause = Tone(0.5, 6);
  clause[100] = NAN;
  clause[101] = INFINITY;
  for (const float sample : Finish({clause})) {
    ASSERT_TRUE(std::isfinite(sample));
    ASSERT_LT(std::abs(sample), 0.971F);
  }
}

TEST(Finisher, SilenceAloneIsNothing) {
  EXPECT_TRUE(Finish({Silence(1)}).empty());
  EXPECT_TRUE(Finish({{}}).empty());
}

TEST(Finisher, TiltMovesHighAgainstLow) {
  FinishOptions warm;
  warm.tilt_db = -6;
  const double high = Db(Finish({Tone(1, -20, 5000)}, warm)), low = Db(Finish({Tone(1, -20, 200)}, warm));
  EXPECT_LT(high, low - 0.5);
}

// The joins make no step: the largest jump between neighbours is that of the tone itself.
TEST(Finisher, SeamsDoNotClick) {
  const auto clause = Join({Silence(0.3), Tone(0.5, -20), Silence(0.3)});
  const auto out = Finish({clause, clause, clause});
  float jump = 0;
  for (size_t i = 1; i < out.size(); ++i) jump = std::max(jump, std::abs(out[i] - out[i - 1]));
  const double own = std::pow(10.0, -20.0 / 20) * std::numbers::sqrt2 * 2 * std::numbers::pi * 220 / kRate;
  EXPECT_LT(jump, 1.7 * own);
}

}  // namespace
}  // namespace trunkline::tts
