#include "dsp/call_tones.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "test/dsp/allocation_counter.h"
#include "test/dsp/signals.h"

namespace trunkline::dsp {
namespace {

constexpr int kRate = 8000;

// Tones from their standards: parts in Hz, then on and off in ms, over and over.
struct Pattern {
  const char* name;
  CallTone tone;
  Region region;
  std::vector<double> parts;
  std::vector<double> rhythm;
  double modulation = 0;
};

std::vector<float> Play(const Pattern& pattern, double seconds, double detune, double amplitude,
                        int rate = kRate) {
  std::vector<float> sound;
  for (size_t i = 0; sound.size() < static_cast<size_t>(seconds * rate); ++i) {
    const double ms = pattern.rhythm[i % pattern.rhythm.size()];
    const size_t count = static_cast<size_t>(ms * rate / 1000);
    std::vector<float> part(count);
    if (i % 2 == 0) {
      for (double hertz : pattern.parts) {
        const auto tone =
            Tone(hertz * (1 + detune), rate, count, amplitude / static_cast<double>(pattern.parts.size()));
        for (size_t k = 0; k < count; ++k) part[k] += tone[k];
      }
      for (size_t k = 0; pattern.modulation > 0 && k < count; ++k) {
        const double wave =
            std::sin(2 * std::numbers::pi * pattern.modulation * static_cast<double>(k) / rate);
        part[k] *= static_cast<float>(0.5 + 0.5 * wave);
      }
    }
    Append(sound, part);
  }
  sound.resize(static_cast<size_t>(seconds * rate));
  return sound;
}

std::vector<CallToneEvent> Detect(const std::vector<float>& sound, size_t piece = 160, int rate = kRate) {
  CallToneDetector detector(rate);
  std::vector<CallToneEvent> events, some(512);
  for (size_t at = 0; at < sound.size(); at += piece) {
    const size_t count =
        detector.Process(std::span(sound).subspan(at, std::min(piece, sound.size() - at)), some);
    events.insert(events.end(), some.begin(), some.begin() + static_cast<long>(count));
  }
  return events;
}

std::vector<CallToneEvent> Without(CallTone tone, std::vector<CallToneEvent> events) {
  std::erase_if(events, [&](const CallToneEvent& event) { return event.tone == tone; });
  return events;
}

void AddNoise(std::vector<float>& sound, double rms, unsigned seed) {
  const auto hiss = Noise(sound.size(), rms * std::sqrt(3), seed);
  for (size_t i = 0; i < sound.size(); ++i) sound[i] += hiss[i];
}

std::vector<Pattern> Cadences() {
  using enum CallTone;
  using enum Region;
  return {
      {"us_ringback", kRingback, kUnitedStates, {440, 480}, {2000, 4000}},
      {"us_busy", kBusy, kUnitedStates, {480, 620}, {500, 500}},
      {"us_reorder", kReorder, kUnitedStates, {480, 620}, {250, 250}},
      {"uk_ringback", kRingback, kUnitedKingdom, {400, 450}, {400, 200, 400, 2000}},
      {"uk_busy", kBusy, kUnitedKingdom, {400}, {375, 375}},
      {"uk_reorder", kReorder, kUnitedKingdom, {400}, {400, 350, 225, 525}},
      {"de_ringback", kRingback, kEurope, {425}, {1000, 4000}},
      {"es_ringback", kRingback, kEurope, {425}, {1500, 3000}},
      {"fr_ringback", kRingback, kEurope, {440}, {1500, 3500}},
      {"pt_ringback", kRingback, kEurope, {425}, {1000, 5000}},
      {"de_busy", kBusy, kEurope, {425}, {480, 480}},
      {"fr_busy", kBusy, kEurope, {440}, {500, 500}},
      {"de_reorder", kReorder, kEurope, {425}, {240, 240}},
      {"it_reorder", kReorder, kEurope, {425}, {200, 200}},
      {"in_ringback", kRingback, kIndia, {400}, {400, 200, 400, 2000}, 25},
      {"in_busy", kBusy, kIndia, {400}, {750, 750}},
      {"in_reorder", kReorder, kIndia, {400}, {250, 250}},
  };
}

class CadenceTest : public testing::TestWithParam<Pattern> {};

TEST_P(CadenceTest, IsFoundDetunedSoftAndInNoise) {
  const Pattern& pattern = GetParam();
  struct Condition {
    double detune, amplitude, noise;
  };
  for (const Condition& c :
       {Condition{0, 0.2, 0}, {0.01, 0.2, 0.005}, {-0.01, 0.2, 0.005}, {0, 0.02, 0.0007}}) {
    std::vector<float> sound(1234);
    Append(sound, Play(pattern, 12, c.detune, c.amplitude));
    AddNoise(sound, c.noise, 7);
    const auto events = Without(CallTone::kBeep, Detect(sound));
    ASSERT_FALSE(events.empty()) << pattern.name << " " << c.detune << " " << c.amplitude;
    for (const CallToneEvent& event : events) {
      EXPECT_EQ(event.tone, pattern.tone) << c.detune << " " << c.amplitude;
      EXPECT_EQ(event.region, pattern.region) << c.detune << " " << c.amplitude;
    }
    // Its first burst is a whole one here; ring and pause at most take four seconds.
    EXPECT_NEAR(static_cast<double>(events[0].start), 1234, 0.04 * kRate);
    EXPECT_LT(events[0].end, 1234 + 4 * kRate);
  }
}

INSTANTIATE_TEST_SUITE_P(Standards, CadenceTest, testing::ValuesIn(Cadences()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(CallTones, CadencesAtSixteenKilohertz) {
  for (const Pattern& pattern : Cadences()) {
    const auto events = Without(CallTone::kBeep, Detect(Play(pattern, 9, 0, 0.2, 16000), 320, 16000));
    ASSERT_FALSE(events.empty()) << pattern.name;
    EXPECT_EQ(events[0].tone, pattern.tone) << pattern.name;
    EXPECT_EQ(events[0].region, pattern.region) << pattern.name;
  }
}

TEST(CallTones, DialToneIsNoneOfThem) {
  EXPECT_TRUE(
      Detect(Play({"", CallTone::kBusy, Region::kEurope, {350, 440}, {1000000}}, 20, 0, 0.2)).empty());
  EXPECT_TRUE(Detect(Play({"", CallTone::kBusy, Region::kEurope, {425}, {1000000}}, 20, 0, 0.2)).empty());
}

// Bell's eight and the ITU's own.
TEST(CallTones, SpecialInformationTones) {
  struct Sit {
    double hertz[3], ms[3];
  };
  const Sit kSits[] = {
      {{913.8, 1370.6, 1776.7}, {276, 276, 380}}, {{985.2, 1370.6, 1776.7}, {380, 276, 380}},
      {{913.8, 1428.5, 1776.7}, {276, 380, 380}}, {{985.2, 1428.5, 1776.7}, {380, 380, 380}},
      {{985.2, 1370.6, 1776.7}, {276, 380, 380}}, {{913.8, 1370.6, 1776.7}, {380, 276, 380}},
      {{913.8, 1428.5, 1776.7}, {380, 380, 380}}, {{985.2, 1428.5, 1776.7}, {276, 276, 380}},
      {{950, 1400, 1800}, {330, 330, 330}},
  };
  for (const Sit& sit : kSits) {
    for (double gap : {0.0, 5.0, 30.0}) {
      std::vector<float> sound(2000);
      for (int i = 0; i < 3; ++i) {
        Append(sound, Tone(sit.hertz[i], kRate, static_cast<size_t>(sit.ms[i] * kRate / 1000), 0.1));
        sound.resize(sound.size() + static_cast<size_t>(gap * kRate / 1000));
      }
      sound.resize(sound.size() + 4000);
      AddNoise(sound, 0.003, 3);
      const auto events = Detect(sound);
      ASSERT_EQ(events.size(), 1u) << sit.hertz[0] << " gap " << gap;
      EXPECT_EQ(events[0].tone, CallTone::kSit);
      EXPECT_NEAR(static_cast<double>(events[0].start), 2000, 80);
    }
  }
}

TEST(CallTones, HalfASitIsBeeps) {
  std::vector<float> sound(2000);
  Append(sound, Tone(950, kRate, 2640, 0.1));
  Append(sound, Tone(1400, kRate, 2640, 0.1));
  sound.resize(sound.size() + 4000);
  const auto events = Detect(sound);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].tone, CallTone::kBeep);
  EXPECT_NEAR(events[1].frequency, 1400, 5);
}

TEST(CallTones, FaxTones) {
  for (double hertz : {1100.0, 1062.0 + 4, 1138.0 - 4}) {
    const auto cng = Detect(Play({"", CallTone::kFaxCng, Region::kEurope, {hertz}, {500, 3000}}, 9, 0, 0.1));
    ASSERT_EQ(cng.size(), 3u) << hertz;
    for (const CallToneEvent& event : cng) EXPECT_EQ(event.tone, CallTone::kFaxCng);
  }
  for (double hertz : {2085.0, 2100.0, 2115.0}) {
    std::vector<float> sound(1000);
    Append(sound, Tone(hertz, kRate, 3 * kRate, 0.1));
    // An echo canceller's answer tone turns its phase every 450 ms and swells at 15 Hz.
    auto swelling = sound;
    for (size_t i = 1000; i < swelling.size(); ++i) {
      const double seconds = static_cast<double>(i - 1000) / kRate;
      const double swell = 1 + 0.2 * std::sin(2 * std::numbers::pi * 15 * seconds);
      swelling[i] *= static_cast<float>(static_cast<int>(seconds / 0.45) % 2 == 0 ? swell : -swell);
    }
    for (auto* each : {&sound, &swelling}) {
      each->resize(each->size() + 2000);
      const auto ced = Detect(*each);
      ASSERT_FALSE(ced.empty()) << hertz;
      EXPECT_EQ(ced[0].tone, CallTone::kFaxCed);
      EXPECT_NEAR(static_cast<double>(ced[0].start), 1000, 80);
      EXPECT_LT(ced[0].end, 1000 + 8 * 700);
    }
  }
}

TEST(CallTones, VoicemailBeeps) {
  for (double hertz : {300.0, 440.0, 850.0, 1000.0, 1400.0, 2000.0, 2500.0}) {
    for (double ms : {80.0, 250.0, 400.0, 990.0}) {
      std::vector<float> sound(3000);
      Append(sound, Tone(hertz, kRate, static_cast<size_t>(ms * 8), 0.1));
      const size_t end = sound.size();
      sound.resize(end + 4000);
      const auto events = Detect(sound);
      ASSERT_EQ(events.size(), 1u) << hertz << " " << ms;
      EXPECT_EQ(events[0].tone, CallTone::kBeep);
      EXPECT_NEAR(events[0].frequency, hertz, 0.01 * hertz);
      EXPECT_NEAR(static_cast<double>(events[0].start), 3000, 80) << hertz << " " << ms;
      EXPECT_NEAR(static_cast<double>(events[0].end), static_cast<double>(end), 80) << hertz << " " << ms;
    }
  }
}

// @requirement AMD: The end of a beep is found within 20 ms.
TEST(CallTones, ABeepThatLostPacketsIsOne) {
  for (double hertz : {440.0, 950.0, 1000.0, 1411.0, 2000.0}) {
    for (size_t at : {720, 1200, 2400, 3000}) {
      for (size_t lost : {160, 320}) {
        std::vector<float> sound(3000);
        Append(sound, Tone(hertz, kRate, 4000, 0.1));
        std::fill_n(sound.begin() + static_cast<ptrdiff_t>(3000 + at), lost, 0.0f);
        sound.resize(sound.size() + 4000);
        const auto events = Detect(sound);
        ASSERT_EQ(events.size(), 1u) << hertz << " " << at << " " << lost;
        EXPECT_EQ(events[0].tone, CallTone::kBeep);
        EXPECT_NEAR(static_cast<double>(events[0].start), 3000, 80);
        EXPECT_NEAR(static_cast<double>(events[0].end), 7000, 80);
      }
    }
  }
}

TEST(CallTones, BeepsWithAPauseAreSeveral) {
  for (double other : {1000.0, 1040.0}) {
    std::vector<float> sound(3000);
    Append(sound, Tone(1000, kRate, 1600, 0.1));
    sound.resize(sound.size() + (other == 1000.0 ? 800 : 240));
    Append(sound, Tone(other, kRate, 1600, 0.1));
    sound.resize(sound.size() + 4000);
    const auto events = Detect(sound);
    ASSERT_EQ(events.size(), 2u) << other;
    EXPECT_NEAR(static_cast<double>(events[0].end), 4600, 80);
  }
}

TEST(CallTones, EverySplitGivesTheSameEventsAndAllocatesNothing) {
  auto sound = Play(Cadences()[1], 3, 0, 0.2);
  Append(sound, Tone(950, kRate, 2640, 0.1));
  Append(sound, Tone(1400, kRate, 2640, 0.1));
  Append(sound, Tone(1800, kRate, 2640, 0.1));
  sound.resize(sound.size() + 2000);
  Append(sound, Tone(1100, kRate, 4000, 0.1));
  sound.resize(sound.size() + 2000);
  const auto whole = Detect(sound, sound.size());
  ASSERT_GE(whole.size(), 3u);
  for (size_t piece : {1, 2, 3, 7, 39, 40, 41, 79, 80, 81, 160, 200, 333, 8000}) {
    const auto events = Detect(sound, piece);
    ASSERT_EQ(events.size(), whole.size()) << piece;
    for (size_t i = 0; i < events.size(); ++i) {
      ASSERT_EQ(events[i].tone, whole[i].tone);
      ASSERT_EQ(events[i].start, whole[i].start);
      ASSERT_EQ(events[i].end, whole[i].end);
    }
  }
  CallToneDetector detector(kRate);
  std::array<CallToneEvent, 64> events;
  const long before = AllocationsOfThisThread();
  detector.Process(sound, events);
  EXPECT_EQ(AllocationsOfThisThread(), before);
}

}  // namespace
}  // namespace trunkline::dsp
