// @requirement AMD: The engine detects cadence, tones, music, beeps and known greetings.
#include "lanes/amd/signal_analyzer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "lanes/amd/recognition_windows.h"

namespace trunkline::amd {
namespace {

constexpr float kSpeech = 0.9f, kNothing = 0.05f;

std::vector<float> Tone(double hertz, double seconds, double amplitude = 0.3) {
  std::vector<float> sound(static_cast<size_t>(seconds * kRate));
  for (size_t i = 0; i < sound.size(); ++i) {
    sound[i] = static_cast<float>(amplitude *
                                  std::sin(2 * std::numbers::pi * hertz * static_cast<double>(i) / kRate));
  }
  return sound;
}

std::vector<float> Noise(double seconds, double amplitude, uint32_t seed = 1) {
  std::mt19937 chance(seed);
  std::normal_distribution<float> normal(0, static_cast<float>(amplitude));
  std::vector<float> sound(static_cast<size_t>(seconds * kRate));
  for (float& sample : sound) sample = normal(chance);
  return sound;
}

// Notes of a fifth of a second, three at a time, as a hold music's.
std::vector<float> Chords(double seconds) {
  constexpr double kNotes[] = {262, 330, 392, 440, 523, 587, 659, 784};
  std::vector<float> sound;
  for (size_t step = 0; sound.size() < static_cast<size_t>(seconds * kRate); ++step) {
    std::vector<float> chord(static_cast<size_t>(0.4 * kRate));
    for (size_t voice = 0; voice < 3; ++voice) {
      const auto note = Tone(kNotes[(step * 3 + voice * 2) % 8], 0.4, 0.1);
      for (size_t i = 0; i < chord.size(); ++i) chord[i] += note[i];
    }
    sound.insert(sound.end(), chord.begin(), chord.end());
  }
  return sound;
}

template <typename Each>
void Hear(SignalAnalyzer& analyzer, const std::vector<float>& sound, float speech, Each each) {
  for (size_t at = 0; at + kFrameSamples <= sound.size(); at += kFrameSamples) {
    each(analyzer.Frame(std::span(sound).subspan(at, kFrameSamples), speech));
  }
}

bool PlaysMusic(const std::vector<float>& sound, float speech = kNothing) {
  SignalAnalyzer analyzer;
  bool music = false;
  Hear(analyzer, sound, speech,
       [&](const FrameEvents& events) { music |= events.music == dsp::MusicWatch::Change::kBegan; });
  return music;
}

TEST(SpeechSegments, TellsWhereSpeechBeganAndRested) {
  SpeechSegments segments;
  std::vector<SegmentEvent> reported;
  double at = 0;
  const auto frames = [&](int count, float probability) {
    for (int i = 0; i < count; ++i, at += 0.032) {
      const SegmentEvent event = segments.Frame(probability, at);
      if (event.kind != SegmentEvent::Kind::kNone) reported.push_back(event);
    }
  };
  frames(10, 0.1f);
  frames(1, 0.9f);  // a click
  frames(10, 0.1f);
  frames(20, 0.9f);
  frames(3, 0.1f);  // a breath
  frames(10, 0.4f);
  frames(20, 0.1f);
  ASSERT_EQ(reported.size(), 2u);
  EXPECT_EQ(reported[0].kind, SegmentEvent::Kind::kSpeech);
  EXPECT_NEAR(reported[0].at_s, 21 * 0.032, 1e-9);
  EXPECT_EQ(reported[1].kind, SegmentEvent::Kind::kQuiet);
  EXPECT_NEAR(reported[1].at_s, 54 * 0.032, 1e-9);
}

TEST(Music, IsToldFromNoiseHumAndSpeech) {
  EXPECT_TRUE(PlaysMusic(Chords(8)));
  EXPECT_FALSE(PlaysMusic(Noise(8, 0.1)));
  EXPECT_FALSE(PlaysMusic(Tone(120, 8))) << "a hum never lets go";
  EXPECT_FALSE(PlaysMusic(std::vector<float>(8 * kRate))) << "silence";
  EXPECT_FALSE(PlaysMusic(Chords(8), kSpeech)) << "somebody who speaks";
}

TEST(Music, EndsWhereItStops) {
  SignalAnalyzer analyzer;
  std::vector<float> sound = Chords(8);
  sound.resize(16 * kRate);
  double ended = -1;
  Hear(analyzer, sound, kNothing, [&](const FrameEvents& events) {
    if (events.music == dsp::MusicWatch::Change::kEnded) ended = events.music_at_s;
  });
  EXPECT_NEAR(ended, 8, 0.3);
}

TEST(SignalAnalyzer, FindsABeepAndItsEnd) {
  SignalAnalyzer analyzer;
  std::vector<float> sound(2 * kRate);
  const auto beep = Tone(1000, 0.4);
  sound.insert(sound.end(), beep.begin(), beep.end());
  sound.resize(sound.size() + kRate);
  double end = -1;
  Hear(analyzer, sound, kNothing, [&](const FrameEvents& events) {
    for (size_t i = 0; i < events.tone_count; ++i) {
      EXPECT_EQ(events.tones[i].tone, dsp::CallTone::kBeep);
      end = static_cast<double>(events.tones[i].end) / kRate;
    }
  });
  EXPECT_NEAR(end, 2.4, 0.02);
}

int Differing(const SignalAnalyzer& one, const SignalAnalyzer& other) {
  int bits = 0;
  for (size_t i = 0; i < Fingerprint::kMax; ++i) {
    bits += std::popcount(static_cast<uint16_t>(one.fingerprint()[i] ^ other.fingerprint()[i]));
  }
  return bits;
}

TEST(Fingerprint, KnowsTheSameSoundThroughNoiseAndNoOther) {
  SignalAnalyzer clean, noisy, other;
  std::vector<float> greeting = Noise(7, 0.2, 1);
  for (size_t i = 0; i < greeting.size(); ++i) greeting[i] *= std::sin(static_cast<float>(i) * 0.0011f);
  std::vector<float> with_noise = greeting;
  const auto hiss = Noise(7, 0.02, 2);
  for (size_t i = 0; i < with_noise.size(); ++i) with_noise[i] = 0.5f * with_noise[i] + hiss[i];
  Hear(clean, greeting, kSpeech, [](const FrameEvents&) {});
  Hear(noisy, with_noise, kSpeech, [](const FrameEvents&) {});
  Hear(other, Noise(7, 0.2, 3), kSpeech, [](const FrameEvents&) {});
  ASSERT_EQ(clean.fingerprint().size(), Fingerprint::kMax);
  const int all = 16 * static_cast<int>(Fingerprint::kMax);
  EXPECT_LT(Differing(clean, noisy), all / 5);
  EXPECT_GT(Differing(clean, other), all * 2 / 5);
}

TEST(RecognitionWindows, AreReadLessOftenWhereReadingTakesLong) {
  RecognitionWindows stretches;
  stretches.Take({SegmentEvent::Kind::kSpeech, 1.0});
  EXPECT_TRUE(stretches.Due(2.4));
  EXPECT_FALSE(stretches.Due(2.4, 3.0));
  EXPECT_TRUE(stretches.Due(4.1, 3.0));
  stretches.Take({SegmentEvent::Kind::kQuiet, 2.0});
  const auto rested = stretches.Due(2.2, 3.0);
  ASSERT_TRUE(rested) << "what has been said is read at once";
  EXPECT_TRUE(rested->paused);
}

TEST(RecognitionWindows, AreReadAsTheyGrowAndAtTheirRest) {
  RecognitionWindows stretches;
  stretches.Take({SegmentEvent::Kind::kSpeech, 1.0});
  EXPECT_FALSE(stretches.Due(1.5)) << "too little to read";
  auto order = stretches.Due(2.4);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->number, 1u);
  EXPECT_NEAR(order->start_s, 0.7, 1e-9);
  EXPECT_FALSE(order->paused);
  stretches.Ordered(*order);
  EXPECT_FALSE(stretches.Due(2.5));
  stretches.Take({SegmentEvent::Kind::kQuiet, 3.0});
  order = stretches.Due(3.2);
  ASSERT_TRUE(order && order->paused);
  stretches.Ordered(*order);
  EXPECT_FALSE(stretches.Due(9)) << "nothing was said since";
  stretches.Take({SegmentEvent::Kind::kSpeech, 3.3});
  stretches.Take({SegmentEvent::Kind::kQuiet, 3.8});
  order = stretches.Due(4.0);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->number, 1u) << "a breath parts nothing";
  stretches.Take({SegmentEvent::Kind::kSpeech, 6.0});
  stretches.Take({SegmentEvent::Kind::kQuiet, 6.5});
  EXPECT_EQ(stretches.Due(7)->number, 2u);
}

}  // namespace
}  // namespace trunkline::amd
