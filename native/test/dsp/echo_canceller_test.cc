#include "dsp/echo_canceller.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <vector>

#include "dsp/g711.h"
#include "test/dsp/allocation_counter.h"

namespace trunkline::dsp {
namespace {

using Samples = std::vector<float>;

// Syllables of coloured noise with pauses among them, at about -22 dBFS.
Samples Voice(double seconds, uint32_t seed, int rate = 8000) {
  std::mt19937 random(seed);
  std::normal_distribution<float> noise(0, 1);
  Samples out(static_cast<size_t>(seconds * rate));
  float held = 0, before = 0, level = 0, target = 0;
  int left = 0;
  for (float& sample : out) {
    if (left-- <= 0) {
      left = rate / 20 + static_cast<int>(random() % static_cast<uint32_t>(rate / 6));
      target = random() % 4 == 0 ? 0.0f : 0.03f + 0.0001f * static_cast<float>(random() % 900);
    }
    level += (target - level) * 80.0f / static_cast<float>(rate);
    const float next = 1.2f * held - 0.6f * before + 0.6f * noise(random);
    before = held;
    held = next;
    sample = level * next;
  }
  return out;
}

Samples Silence(double seconds) {
  return Samples(static_cast<size_t>(seconds * 8000), 0.0f);
}

Samples operator+(Samples a, const Samples& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The echo path at the caller's end: returns the sample that comes back `delay` samples after it was due.
using Path = std::function<float(const Samples& far, size_t at)>;
float At(const Samples& far, ptrdiff_t at) {
  return at >= 0 && static_cast<size_t>(at) < far.size() ? far[static_cast<size_t>(at)] : 0.0f;
}
Path Delayed(ptrdiff_t delay, float db) {
  const float gain = std::pow(10.0f, db / 20);
  return [=](const Samples& far, size_t at) { return gain * At(far, static_cast<ptrdiff_t>(at) - delay); };
}

struct Line {
  explicit Line(int rate = 8000) : canceller(rate) {}

  // The far end speaks, the caller too; both on a line of u-law.
  void Run(const Samples& far, const Samples& caller, const Path& path) {
    const size_t block = canceller.block(), first = spoken.size();
    spoken.insert(spoken.end(), far.begin(), far.end());
    for (size_t at = 0; at + block <= far.size(); at += block) {
      std::vector<int16_t> ahead(canceller.wanted()), near(block);
      for (size_t i = 0; i < ahead.size(); ++i) {
        ahead[i] = Pcm(At(spoken, static_cast<ptrdiff_t>(first + at + i + canceller.ahead()) + slipped));
      }
      slipped += static_cast<ptrdiff_t>(ahead.size()) - static_cast<ptrdiff_t>(block);
      for (size_t i = 0; i < block; ++i) {
        near[i] = Pcm(At(caller, static_cast<ptrdiff_t>(at + i)) + path(spoken, first + at + i));
      }
      std::vector<uint8_t> line(block);
      EncodeUlaw(near, line);
      DecodeUlaw(line, near);
      heard.insert(heard.end(), near.begin(), near.end());
      canceller.Process(ahead, near);
      cleaned.insert(cleaned.end(), near.begin(), near.end());
      promised = std::max(promised, canceller.taken_out_db());
    }
  }
  // By how much the last seconds are quieter than they were heard, after leaving so much at the end out.
  double QuieterDb(double seconds) const {
    const auto count = std::min(heard.size(), static_cast<size_t>(seconds * 8000));
    double before = 1e-3, after = 1e-3;
    for (size_t i = heard.size() - count; i < heard.size(); ++i) {
      before += heard[i] * static_cast<double>(heard[i]);
      after += cleaned[i] * static_cast<double>(cleaned[i]);
    }
    return 10 * std::log10(before / after);
  }
  static int16_t Pcm(float sample) {
    return static_cast<int16_t>(std::lrintf(std::clamp(sample, -1.0f, 1.0f) * 32767));
  }

  EchoCanceller canceller;
  Samples spoken;
  std::vector<int16_t> heard, cleaned;
  float promised = 0;
  ptrdiff_t slipped = 0;  // samples by which the two clocks have come apart
};

TEST(EchoCanceller, TakesOutAnEchoHoweverLateAndLoud) {
  for (const auto& [ms, db] :
       {std::pair{15, -20.0f}, {60, -12.0f}, {120, -20.0f}, {250, -15.0f}, {440, -25.0f}}) {
    Line line;
    line.Run(Voice(6, 3), {}, Delayed(ms * 8, db));
    EXPECT_GT(line.QuieterDb(3), 12) << ms << " ms, " << db << " dB";
    EXPECT_GT(line.promised, 5) << ms << " ms, " << db << " dB";
  }
}

TEST(EchoCanceller, WorksAtEveryRateOfALine) {
  for (const int rate : {8000, 16000, 24000}) {
    Line line(rate);
    line.Run(Voice(5, 3, rate), {}, Delayed(rate / 10, -20));
    EXPECT_GT(line.QuieterDb(1.5), 12) << rate;
  }
}

TEST(EchoCanceller, LeavesALineWithoutAnEchoAsItIs) {
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    Line line;
    line.Run(Voice(8, seed), Voice(8, 100 + seed), Delayed(0, -200));
    EXPECT_EQ(line.heard, line.cleaned);
    EXPECT_EQ(line.promised, 0);
  }
}

TEST(EchoCanceller, LeavesTheCallersVoiceWhereBothSpeak) {
  Line line;
  const auto caller = Voice(3, 77);
  line.Run(Voice(6, 3), {}, Delayed(960, -20));
  line.Run(Voice(3, 4), caller, Delayed(960, -20));
  double said = 0, wrong = 0, echo = 0;
  const size_t first = line.heard.size() - caller.size();
  for (size_t i = 0; i < caller.size(); ++i) {
    const double meant = 32767.0 * caller[i];
    said += meant * meant;
    wrong += (line.cleaned[first + i] - meant) * (line.cleaned[first + i] - meant);
    echo += (line.heard[first + i] - meant) * (line.heard[first + i] - meant);
  }
  EXPECT_LT(wrong, echo / 2);
  EXPECT_LT(wrong, said / 200);
  // And what it knew is still known.
  line.Run(Voice(1, 5), {}, Delayed(960, -20));
  EXPECT_GT(line.QuieterDb(0.8), 8);
}

TEST(EchoCanceller, FollowsAPlayerThatBeginsAnew) {
  for (const int by : {-250, -60, -9, 1, 30, 77, 200}) {
    Line line;
    line.Run(Voice(6, 3) + Silence(1), {}, Delayed(960, -20));
    line.Run(Voice(1, 4), {}, Delayed(960 + by, -20));
    EXPECT_GT(line.QuieterDb(0.5), 7) << by << " samples";
  }
}

// The client's sound card takes its samples by a second that is so many millionths longer.
Path Drifting(double millionths, ptrdiff_t delay, float db) {
  const float gain = std::pow(10.0f, db / 20);
  return [=](const Samples& far, size_t at) {
    const double moment = static_cast<double>(at) * (1 + millionths / 1e6) - static_cast<double>(delay);
    const auto before = static_cast<ptrdiff_t>(std::floor(moment));
    double sum = 0;
    for (ptrdiff_t one = before - 23; one <= before + 24; ++one) {
      const double x = std::numbers::pi * (moment - static_cast<double>(one));
      const double sinc = std::abs(x) < 1e-9 ? 1 : std::sin(x) / x;
      sum += At(far, one) * sinc * (0.5 + 0.5 * std::cos(x / 25));
    }
    return gain * static_cast<float>(sum);
  };
}

TEST(EchoCanceller, FollowsAClockThatRunsBesideItsOwn) {
  for (const double millionths : {-100, -20, 0, 50, 100}) {
    Line line;
    line.Run(Voice(14, 3), {}, Drifting(millionths, 960, -20));
    EXPECT_GT(line.QuieterDb(4), 24) << millionths;
    EXPECT_NEAR(line.canceller.drift() * 1e6, millionths, 15);
  }
}

// It takes longer there, since the echo goes away from the filter by more samples a second.
TEST(EchoCanceller, FollowsAClockAtTheRatesOfBrowsers) {
  for (const int rate : {16000, 24000}) {
    Line line(rate);
    line.Run(Voice(30, 3, rate), {}, Drifting(100, rate / 8, -20));
    EXPECT_GT(line.QuieterDb(4 * rate / 8000.0), 24) << rate << ": it counts as if at 8 kHz";
    EXPECT_NEAR(line.canceller.drift() * 1e6, 100, 15) << rate;
  }
}

TEST(EchoCanceller, KeepsTheClockItHasLearntWhileTheCallerSpeaks) {
  Line line;
  line.Run(Voice(14, 3), {}, Drifting(80, 960, -20));
  line.Run(Voice(6, 4), Voice(6, 77), Drifting(80, 960, -20));
  EXPECT_NEAR(line.canceller.drift() * 1e6, 80, 20);
  line.Run(Voice(1, 5), {}, Drifting(80, 960, -20));
  EXPECT_GT(line.QuieterDb(0.8), 12);
}

TEST(EchoCanceller, LearnsAnEchoThatAppearsInMidCall) {
  Line line;
  line.Run(Voice(8, 3), Voice(8, 9), Delayed(0, -200));
  line.Run(Voice(5, 4), {}, Delayed(1600, -18));
  EXPECT_GT(line.QuieterDb(2), 10);
}

TEST(EchoCanceller, ReportsNoCancellationWhileUnreliable) {
  Line line;
  line.Run(Voice(6, 3), {}, Delayed(960, -20));
  ASSERT_GT(line.canceller.taken_out_db(), 0);
  line.canceller.MarkUnreliable();
  EXPECT_EQ(line.canceller.taken_out_db(), 0);
  line.Run(Voice(1, 4), {}, Delayed(960, -20));
  EXPECT_GT(line.canceller.taken_out_db(), 5) << "the echo is taken out as before: it was proven again";
}

// The caller has moved, or turned the volume up: what comes back comes otherwise, and louder.
TEST(EchoCanceller, LearnsAnEchoAnewThatItIsToldOf) {
  for (const ptrdiff_t delay : {400, 1600}) {
    const auto quieter_db = [&](bool told) {
      Line line;
      line.Run(Voice(8, 3), {}, Delayed(960, -20));
      const auto voice = Voice(3, 4);
      for (auto at = voice.begin(); at + 800 <= voice.end(); at += 800) {
        if (told) line.canceller.MarkUnreliable();
        line.Run(Samples(at, at + 800), {}, Delayed(delay, -10.5f));
      }
      return line.QuieterDb(0.5);
    };
    EXPECT_GT(quieter_db(true), quieter_db(false) + 2) << delay << " samples";
  }
}

TEST(EchoCanceller, TakesOutMostOfARoomAndOfAPoorLoudspeaker) {
  std::mt19937 random(5);
  std::normal_distribution<float> noise(0, 1);
  Samples room_response(1000);
  double energy = 0;
  for (size_t i = 0; i < room_response.size(); ++i) {
    room_response[i] = noise(random) * std::exp(-static_cast<float>(i) / 160);
    energy += room_response[i] * room_response[i];
  }
  for (float& one : room_response) one *= 0.1f / static_cast<float>(std::sqrt(energy));
  Line ringing;
  ringing.Run(Voice(8, 3), {}, [&](const Samples& far, size_t at) {
    float sum = 0;
    for (size_t i = 0; i < room_response.size(); ++i)
      sum += room_response[i] * At(far, static_cast<ptrdiff_t>(at - i) - 800);
    return sum;
  });
  EXPECT_GT(ringing.QuieterDb(3), 8);
  Line poor;
  poor.Run(Voice(8, 3), {}, [](const Samples& far, size_t at) {
    const float echo = 0.1f * At(far, static_cast<ptrdiff_t>(at) - 960);
    return 0.03f * std::tanh(echo / 0.03f) + 0.1f * std::abs(echo);
  });
  EXPECT_GT(poor.QuieterDb(3), 7);
}

TEST(EchoCanceller, NeverMakesALineLouder) {
  std::mt19937 random(1);
  EchoCanceller canceller(8000);
  const size_t block = canceller.block();
  std::vector<int16_t> far(block), near(block);
  for (int i = 0; i < 3000; ++i) {
    const int kind = static_cast<int>(random() % 5);
    for (size_t k = 0; k < block; ++k) {
      const auto any = static_cast<int16_t>(random());
      far[k] = kind == 0 ? int16_t{0} : kind == 1 ? int16_t{-32768} : any;
      near[k] = kind == 3 ? far[k] : kind == 4 ? int16_t{32767} : static_cast<int16_t>(random());
    }
    double before = 0, after = 0;
    for (const int16_t sample : near) before += sample * static_cast<double>(sample);
    canceller.Process(far, near);
    for (const int16_t sample : near) after += sample * static_cast<double>(sample);
    ASSERT_LE(after, before * 1.0001 + 1e6) << i;
    if (i % 500 == 0) canceller.MarkUnreliable();
  }
}

TEST(EchoCanceller, AllocatesNothing) {
  Line line;
  line.Run(Voice(2, 3), {}, Delayed(960, -20));
  std::vector<int16_t> far(line.canceller.wanted(), 1000), near(line.canceller.block(), 100);
  const long before = AllocationsOfThisThread();
  for (int i = 0; i < 200; ++i) line.canceller.Process(far, near);
  EXPECT_EQ(AllocationsOfThisThread(), before);
}

}  // namespace
}  // namespace trunkline::dsp
