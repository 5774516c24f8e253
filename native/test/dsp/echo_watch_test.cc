// @requirement Call quality: A record reports clipping.
// @requirement Call quality: A record reports echo with level and delay.
#include "dsp/echo_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dsp/clipping.h"
#include "test/dsp/allocation_counter.h"
#include "test/dsp/signals.h"

namespace trunkline::dsp {
namespace {

TEST(ClipMeter, CountsWhatIsAtEitherEndOfTheScale) {
  ClipMeter meter;
  EXPECT_LT(meter.share(), 0);
  const std::vector<int16_t> samples = {0, 32123, 32124, -32123, -32124, 32767, -32768, 5};
  meter.Heard(samples);
  EXPECT_EQ(meter.share(), 0.5);
  meter.Heard(std::vector<int16_t>(24, 100));
  EXPECT_EQ(meter.share(), 4.0 / 32);
  EXPECT_EQ(ClippedIn(ToInt16(Tone(440, 8000, 8000, 0.97))), 0u);
  EXPECT_GT(ClippedIn(ToInt16(Tone(440, 8000, 8000, 1.4))), 3000u);
}

// Noise that comes and goes as syllables do.
std::vector<int16_t> Speech(size_t count, double amplitude, unsigned seed) {
  auto samples = Noise(count, amplitude, seed);
  for (size_t i = 0; i < count; ++i) samples[i] *= static_cast<float>(std::sin(static_cast<double>(i) / 900));
  return ToInt16(samples);
}

struct Line {
  int rate = 8000;
  size_t delay = 0;  // samples
  double echo = 0;   // amplitude
  double else_amplitude = 0.0005;
};

// Returns the echo found on a line in so many seconds.
std::optional<LineEcho> On(const Line& line, size_t seconds, bool sounds = true) {
  EchoFinder finder;
  EchoWatch watch(line.rate, finder);
  const size_t count = seconds * static_cast<size_t>(line.rate);
  const auto sent = Speech(count, sounds ? 0.3 : 0, 1);
  const auto other = Speech(count, line.else_amplitude, 2);
  std::vector<int16_t> heard(other);
  for (size_t i = line.delay; i < count; ++i) {
    heard[i] = static_cast<int16_t>(other[i] + std::lrint(line.echo * sent[i - line.delay]));
  }
  const size_t step = static_cast<size_t>(line.rate) / 50;
  const long before = AllocationsOfThisThread();
  for (size_t at = 0; at + step <= count; at += step) {
    watch.Sent(std::span(sent).subspan(at, step));
    watch.Heard(std::span(heard).subspan(at, step));
    watch.Measure(static_cast<double>(at) * 1000 / line.rate);
  }
  EXPECT_EQ(AllocationsOfThisThread(), before);
  return watch.echo();
}

TEST(EchoWatch, FindsAnEchoWithItsDelayAndLevel) {
  for (const double db : {-6.0, -20.0, -35.0}) {
    for (const double ms : {5.0, 80.0, 300.0, 760.0}) {
      const auto echo = On(
          {.delay = static_cast<size_t>(8 * ms), .echo = std::pow(10, db / 20), .else_amplitude = 0.002}, 6);
      ASSERT_TRUE(echo) << db << " dB after " << ms << " ms";
      EXPECT_NEAR(echo->delay_ms, ms, 0.2);
      EXPECT_NEAR(echo->db, db, 1) << "after " << ms << " ms";
    }
  }
}

TEST(EchoWatch, FindsItAtEveryRate) {
  for (const int rate : {16000, 24000}) {
    const auto echo = On({.rate = rate, .delay = static_cast<size_t>(rate) / 10, .echo = 0.1}, 6);
    ASSERT_TRUE(echo) << rate;
    EXPECT_NEAR(echo->delay_ms, 100, 0.2);
    EXPECT_NEAR(echo->db, -20, 1);
  }
}

TEST(EchoWatch, FindsNoneWhereThereIsNone) {
  EXPECT_FALSE(On({.else_amplitude = 0.3}, 60)) << "somebody else speaks";
  EXPECT_FALSE(On({.else_amplitude = 0}, 10)) << "silence";
  EXPECT_FALSE(On({.delay = 800, .echo = 0.1, .else_amplitude = 0.3}, 10, false)) << "nothing was sent";
  EXPECT_FALSE(On({.delay = 7200, .echo = 0.1}, 10)) << "later than any that is looked for";
}

TEST(EchoFinder, LooksForOneLineAtATime) {
  EchoFinder finder;
  const std::vector<int16_t> heard(EchoFinder::kHeard), sent(EchoFinder::kHeard + EchoFinder::kLatest);
  EXPECT_TRUE(finder.Begin(100));
  EXPECT_FALSE(finder.Begin(200)) << "a look is under way";
  finder.Measure(heard, sent);
  EXPECT_FALSE(finder.Begin(109)) << "one in 10 ms";
  EXPECT_TRUE(finder.Begin(110));
}

}  // namespace
}  // namespace trunkline::dsp
