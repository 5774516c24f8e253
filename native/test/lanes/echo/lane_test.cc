// @requirement Call quality: A record reports echo with level and delay.
// A line's two ways as they come to a lane: what of the one is found in the other.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "dsp/dsp.h"
#include "engine/engine.h"
#include "lanes/echo/echo.h"
#include "test/support/drained.h"

namespace trunkline::echo {
namespace {

constexpr size_t kFrame = 160;

struct Found {
  double delay_ms, db;
};

class EchoLaneTest : public ::testing::Test {
 protected:
  EchoLaneTest() {
    engine::Kinds kinds;
    kinds.AddLane(MakeEchoKind());
    engine_ = std::make_unique<engine::Engine>(
        engine::EngineConfig{.slots = 2, .capacity = 1000, .media_threads = 0, .inference_threads = 0},
        std::move(kinds), nullptr, clock_);
    while (engine_->RunTask()) {
    }
    (void)test::DrainAll(*engine_);
  }

  // Returns the lane's last event after so many seconds of noise that comes back so many frames later at a
  // tenth.
  std::optional<Found> After(int seconds, std::optional<size_t> later) {
    const auto lane = engine_->Open("echo", engine::OptionsBuilder().packed());
    EXPECT_TRUE(lane.ok()) << lane.status().message();
    std::mt19937 chance(1);
    std::deque<std::vector<int16_t>> under_way(later.value_or(0), std::vector<int16_t>(kFrame));
    std::optional<Found> found;
    for (int frame = 0; frame < 50 * seconds; ++frame) {
      std::vector<int16_t> said(kFrame), heard(kFrame);
      for (int16_t& sample : said) sample = static_cast<int16_t>(chance() % 12001) - 6000;
      under_way.push_back(said);
      if (later) heard = under_way.front();
      under_way.pop_front();
      std::vector<uint8_t> both(2 * kFrame);
      for (int16_t& sample : heard) sample = static_cast<int16_t>(sample / 10);
      dsp::EncodeUlaw(said, std::span(both).first(kFrame));
      dsp::EncodeUlaw(heard, std::span(both).last(kFrame));
      EXPECT_EQ(engine_->Push(*lane, both), base::Code::kOk);
      Pass(found);
    }
    engine_->Close(*lane, true);
    Pass(found);
    return found;
  }

 private:
  void Pass(std::optional<Found>& found) {
    for (int tick = 0; tick < 2; ++tick) {
      clock_->Advance(engine::kTickNanos);
      engine_->Tick();
    }
    for (const test::Record& record : test::DrainAll(*engine_)) {
      if (record.type != kEchoFound) continue;
      const auto* at = reinterpret_cast<const uint8_t*>(record.bytes.data());
      found = Found{base::Load<double>(at), base::Load<double>(at + 8)};
    }
  }

  std::shared_ptr<base::ManualClock> clock_ = std::make_shared<base::ManualClock>();
  std::unique_ptr<engine::Engine> engine_;
};

TEST_F(EchoLaneTest, TellsHowLateAndHowLoudWhatIsSentComesBack) {
  for (const size_t later : {0u, 9u}) {
    const auto found = After(4, later);
    ASSERT_TRUE(found) << later;
    EXPECT_NEAR(found->delay_ms, 20.0 * static_cast<double>(later), 0.2);
    EXPECT_NEAR(found->db, -20, 1);
  }
}

TEST_F(EchoLaneTest, TellsOfNothingWhereNothingComesBack) {
  EXPECT_FALSE(After(4, std::nullopt));
}

}  // namespace
}  // namespace trunkline::echo
