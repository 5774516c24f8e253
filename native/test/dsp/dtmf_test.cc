// @requirement SIP: DTMF works as events and as tones, both ways.
#include "dsp/dtmf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "test/dsp/allocation_counter.h"
#include "test/dsp/signals.h"

namespace trunkline::dsp {
namespace {

constexpr int kRate = 8000;

struct Digit {
  double low_shift = 0, high_shift = 0;  // shares of the nominal frequencies
  double low = 0.1, high = 0.1;          // amplitudes
  double ms = 60;
};

std::vector<float> Sound(char key, const Digit& digit, int rate = kRate) {
  for (int place = 0; place < 16; ++place) {
    if (DtmfKey(place / 4, place % 4) != key) continue;
    const size_t count = static_cast<size_t>(digit.ms * rate / 1000);
    auto sound =
        Tone(kDtmfLow[static_cast<size_t>(place / 4)] * (1 + digit.low_shift), rate, count, digit.low, 0.4);
    const auto high = Tone(kDtmfHigh[static_cast<size_t>(place % 4)] * (1 + digit.high_shift), rate, count,
                           digit.high, 1.1);
    for (size_t i = 0; i < count; ++i) sound[i] += high[i];
    return sound;
  }
  ADD_FAILURE() << "no key " << key;
  return {};
}

std::vector<float> Silence(double ms, int rate = kRate) {
  return std::vector<float>(static_cast<size_t>(ms * rate / 1000));
}

std::vector<DtmfEvent> Detect(const std::vector<float>& sound, size_t piece = 160, int rate = kRate) {
  DtmfDetector detector(rate);
  std::vector<DtmfEvent> events, some(256);
  for (size_t at = 0; at < sound.size(); at += piece) {
    const size_t count =
        detector.Process(std::span(sound).subspan(at, std::min(piece, sound.size() - at)), some);
    events.insert(events.end(), some.begin(), some.begin() + static_cast<long>(count));
  }
  return events;
}

std::string Digits(const std::vector<DtmfEvent>& events) {
  std::string digits;
  for (const DtmfEvent& event : events) {
    if (!event.ended) digits += event.digit;
  }
  return digits;
}

// Says how often `digit` is heard, over every key and many places between the detector's windows.
struct DetectedDigits {
  int tries = 0, right = 0, wrong = 0;
};
DetectedDigits Try(const Digit& digit, double noise = 0, unsigned seed = 1) {
  DetectedDigits heard;
  for (int place = 0; place < 16; ++place) {
    const char key = DtmfKey(place / 4, place % 4);
    for (int lead = 0; lead < 40; lead += 3) {
      auto sound = Silence(60);
      sound.resize(sound.size() + static_cast<size_t>(lead));
      Append(sound, Sound(key, digit));
      Append(sound, Silence(60));
      if (noise > 0) {
        const auto hiss = Noise(sound.size(), noise, seed++);
        for (size_t i = 0; i < sound.size(); ++i) sound[i] += hiss[i];
      }
      const std::string digits = Digits(Detect(sound));
      ++heard.tries;
      if (digits == std::string(1, key)) ++heard.right;
      if (digits != std::string(1, key) && !digits.empty()) ++heard.wrong;
    }
  }
  return heard;
}

void ExpectAll(const DetectedDigits& heard) {
  EXPECT_EQ(heard.right, heard.tries);
}
void ExpectNone(const DetectedDigits& heard) {
  EXPECT_EQ(heard.right + heard.wrong, 0);
}

TEST(Dtmf, FrequenciesWithin1_5PercentAreAccepted) {
  for (double shift : {-0.015, -0.008, 0.0, 0.008, 0.015}) {
    ExpectAll(Try({.low_shift = shift, .high_shift = shift}));
    ExpectAll(Try({.low_shift = shift, .high_shift = -shift}));
  }
}

TEST(Dtmf, FrequenciesBeyond3_5PercentAreRejected) {
  for (double shift : {-0.035, 0.035, -0.045, 0.045}) {
    ExpectNone(Try({.low_shift = shift, .ms = 200}));
    ExpectNone(Try({.high_shift = shift, .ms = 200}));
  }
}

TEST(Dtmf, FortyMillisecondsAreADigitAndTwentyThreeAreNot) {
  for (double ms : {40.0, 41.0, 45.0, 50.0, 100.0, 1000.0}) ExpectAll(Try({.ms = ms}));
  for (double ms : {5.0, 10.0, 15.0, 20.0, 23.0}) ExpectNone(Try({.ms = ms}));
}

TEST(Dtmf, TwistWithinTheToleranceIsAcceptedAndFarBeyondItRejected) {
  const auto by = [](double db) { return Digit{.low = 0.1, .high = 0.1 * std::pow(10, db / 20), .ms = 40}; };
  for (double db : {4.0, 2.0, -4.0, -8.0}) ExpectAll(Try(by(db)));
  for (double db : {9.0, -13.0}) ExpectNone(Try(by(db)));
}

TEST(Dtmf, LevelsFromFullScaleToTheLeast) {
  ExpectAll(Try({.low = 0.5, .high = 0.5, .ms = 40}));
  ExpectAll(Try({.low = 0.03, .high = 0.03, .ms = 40}));
  ExpectNone(Try({.low = 0.002, .high = 0.002, .ms = 200}));
}

TEST(Dtmf, NoiseFifteenDecibelsBelowIsBorne) {
  // Two tones of amplitude 0.1 have an RMS of 0.1; uniform noise of amplitude a one of a / sqrt(3).
  const double noise = 0.1 * std::pow(10, -15.0 / 20) * std::sqrt(3);
  const DetectedDigits heard = Try({.ms = 50}, noise);
  EXPECT_EQ(heard.wrong, 0);
  EXPECT_GE(heard.right, heard.tries * 99 / 100);
}

TEST(Dtmf, PausesOfFortyMillisecondsDivideAndBriefGapsDoNot) {
  for (int lead = 0; lead < 40; lead += 7) {
    std::vector<float> sound(static_cast<size_t>(lead));
    for (int i = 0; i < 10; ++i) {
      Append(sound, Sound('5', {.ms = 40}));
      Append(sound, Silence(40));
    }
    EXPECT_EQ(Digits(Detect(sound)), "5555555555");
    std::vector<float> broken(static_cast<size_t>(lead));
    Append(broken, Sound('7', {.ms = 50}));
    Append(broken, Silence(10));
    Append(broken, Sound('7', {.ms = 50}));
    Append(broken, Silence(60));
    EXPECT_EQ(Digits(Detect(broken)), "7");
  }
}

TEST(Dtmf, StartAndEndAreWhereTheyAre) {
  for (double ms : {40.0, 65.0, 100.0, 333.0}) {
    auto sound = Silence(123.4);
    const int64_t start = static_cast<int64_t>(sound.size());
    Append(sound, Sound('9', {.ms = ms}));
    const int64_t end = static_cast<int64_t>(sound.size());
    Append(sound, Silence(100));
    const auto events = Detect(sound);
    ASSERT_EQ(events.size(), 2u);
    EXPECT_NEAR(static_cast<double>(events[0].start - start), 0, 0.003 * kRate);
    EXPECT_NEAR(static_cast<double>(events[1].start - start), 0, 0.003 * kRate);
    EXPECT_NEAR(static_cast<double>(events[1].end - end), 0, 0.003 * kRate);
    EXPECT_TRUE(events[1].ended);
  }
}

TEST(Dtmf, DigitsWithoutAPauseBetweenThemAreTwo) {
  auto sound = Silence(50);
  Append(sound, Sound('1', {.ms = 100}));
  Append(sound, Sound('6', {.ms = 100}));
  Append(sound, Silence(60));
  EXPECT_EQ(Digits(Detect(sound)), "16");
}

TEST(Dtmf, SingleTonesAndDialToneAreNoDigits) {
  for (double hertz = 300; hertz < 3400; hertz += 37) {
    EXPECT_EQ(Digits(Detect(Tone(hertz, kRate, kRate, 0.3))), "") << hertz;
  }
  auto dial = Tone(350, kRate, kRate, 0.2);
  const auto second = Tone(440, kRate, kRate, 0.2);
  for (size_t i = 0; i < dial.size(); ++i) dial[i] += second[i];
  EXPECT_EQ(Digits(Detect(dial)), "");
}

TEST(Dtmf, EverySplitGivesTheSameEvents) {
  auto sound = Silence(33);
  for (char key : std::string("159D*0#")) {
    Append(sound, Sound(key, {.ms = 47}));
    Append(sound, Silence(44));
  }
  const auto whole = Detect(sound, sound.size());
  ASSERT_EQ(Digits(whole), "159D*0#");
  for (size_t piece = 1; piece < 400; ++piece) {
    const auto events = Detect(sound, piece);
    ASSERT_EQ(events.size(), whole.size());
    for (size_t i = 0; i < events.size(); ++i) {
      ASSERT_EQ(events[i].start, whole[i].start);
      ASSERT_EQ(events[i].end, whole[i].end);
      ASSERT_EQ(events[i].digit, whole[i].digit);
    }
  }
}

TEST(Dtmf, WhatIsGeneratedIsHeardAtEveryRate) {
  for (int rate : {8000, 16000, 24000, 48000}) {
    auto generator = DtmfGenerator::Create(rate, "0123456789*#ABCDabcd", {.tone_ms = 45, .pause_ms = 45});
    ASSERT_TRUE(generator);
    std::vector<float> sound, buffer(77);
    while (const size_t count = generator->Process(buffer)) {
      sound.insert(sound.end(), buffer.begin(), buffer.begin() + static_cast<long>(count));
    }
    EXPECT_EQ(sound.size(), static_cast<size_t>(rate) * 90 / 1000 * 20);
    EXPECT_EQ(Digits(Detect(sound, 160, rate)), "0123456789*#ABCDABCD") << rate;
  }
}

TEST(Dtmf, GeneratorRefusesWhatIsNoDigit) {
  EXPECT_FALSE(DtmfGenerator::Create(8000, ""));
  EXPECT_FALSE(DtmfGenerator::Create(8000, "12x"));
  EXPECT_FALSE(DtmfGenerator::Create(8000, std::string(257, '1')));
  EXPECT_FALSE(DtmfGenerator::Create(0, "1"));
  auto waits = DtmfGenerator::Create(8000, "1w2,");
  std::vector<float> sound(20000);
  EXPECT_EQ(waits->Process(sound), 2u * 1600 + 2 * 4000);
}

TEST(Dtmf, ContainsWhatIsNoNumberAndAllocatesNothing) {
  DtmfDetector detector(kRate);
  auto sound = Sound('4', {.ms = 100});
  sound[5] = std::numeric_limits<float>::quiet_NaN();
  std::vector<DtmfEvent> events(8);
  const long before = AllocationsOfThisThread();
  const size_t first = detector.Process(sound, events);
  detector.Process(Noise(0, 0, 1), events);
  EXPECT_EQ(AllocationsOfThisThread(), before);
  EXPECT_EQ(first, 1u);
  EXPECT_EQ(events[0].digit, '4');
}

}  // namespace
}  // namespace trunkline::dsp
