// A text that is being spoken among live work: real models, no threads, every step by hand.

#include "lanes/speak/synthesize_job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "engine/engine.h"
#include "test/support/added_kokoro.h"
#include "test/support/drained.h"
#include "test/support/files.h"
#include "test/support/own_path.h"
#include "test/support/speech_engine.h"

namespace trunkline::speak {
namespace {

// A short step of the priority that a lane uses while its caller speaks.
struct LiveKind final : engine::JobKind {
  explicit LiveKind(engine::Priority asked) : asked(asked) {}
  std::string name() const override { return asked == engine::Priority::kTurnTaking ? "cut" : "partial"; }
  engine::Priority priority(const engine::Options&) const override { return asked; }
  base::Result<std::unique_ptr<engine::Job>> Open(const engine::Options&, std::vector<uint8_t>) override {
    struct Live final : engine::Job {
      explicit Live(int& ran) : ran(ran) {}
      engine::Task::Step Step(engine::JobIo& io) override {
        ++ran;
        return io.End(base::Ok());
      }
      int& ran;
    };
    return std::unique_ptr<engine::Job>(std::make_unique<Live>(ran));
  }
  const engine::Priority asked;
  int ran = 0;
};

class SynthesizeJobTest : public testing::Test {
 protected:
  void SetUp() override {
    engine::EngineConfig config;
    config.jobs = 4;
    test::ConfigureSpeech(config);
    if (IsSkipped() || HasFatalFailure()) return;
    clock_->Advance(base::kNanosPerMilli);  // no work begins at nought
    engine::Kinds kinds;
    kinds.AddJob(MakeSynthesizeKind());
    kinds.AddJob(cut_);
    kinds.AddJob(partial_);
    engine_ = std::make_unique<engine::Engine>(config, std::move(kinds), nullptr, clock_);
    while (engine_->RunTask()) {
    }
    test::DrainAll(*engine_);
  }

  // `folder` has a Kokoro that the operator added; empty: the bundled one speaks.
  uint32_t Speak(std::string_view text, const std::string& folder = {}) {
    engine::OptionsBuilder options;
    options.Text("model", "kokoro").Text("language", "en").Text("accent", "en-us");
    options.List("styles", {folder.empty() ? "af_heart:1" : "ours:1"}).Text("format", "pcm16");
    options.Number("rate", 24000);
    if (!folder.empty()) options.Text("folder", folder).Number("voice_rate", 24000);
    const auto job = engine_->Submit("synthesize", options.packed(), {text.begin(), text.end()});
    EXPECT_TRUE(job.ok()) << job.status().ToString();
    return job.ok() ? *job : 0;
  }

  size_t TakeAll(uint32_t job) {
    engine::Chunk chunk;
    size_t bytes = 0;
    while (engine_->Take(job, chunk)) bytes += chunk.size();
    return bytes;
  }

  static constexpr size_t kHalfSecond = 24000;  // bytes
  std::shared_ptr<base::ManualClock> clock_ = std::make_shared<base::ManualClock>();
  std::shared_ptr<LiveKind> cut_ = std::make_shared<LiveKind>(engine::Priority::kTurnTaking);
  std::shared_ptr<LiveKind> partial_ = std::make_shared<LiveKind>(engine::Priority::kPartial);
  std::unique_ptr<engine::Engine> engine_;
};

// A clause as long as clauses get, in front of it a short one.
constexpr std::string_view kLong =
    "Well, this is one of those rather long sentences that people write when they have a great deal to say "
    "and "
    "no wish at all to stop for breath before they have come to the very end of it.";

TEST_F(SynthesizeJobTest, GivesWayToLiveWorkBetweenAnyTwoSteps) {
  const uint32_t job = Speak(kLong);
  double longest = 0;
  int steps = 0;
  size_t given = 0;
  for (;;) {
    const auto began = std::chrono::steady_clock::now();
    ASSERT_TRUE(engine_->RunTask());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    longest = std::max(longest, took.count());
    ++steps;
    given += TakeAll(job);
    bool ended = false;
    for (const auto& record : test::DrainAll(*engine_)) ended = ended || record.type == engine::kJobEndEvent;
    if (ended) break;
    // The new work runs before the next step of the voice: an interruption always, a partial once half a
    // second is ahead.
    for (LiveKind* live : {cut_.get(), given > kHalfSecond ? partial_.get() : nullptr}) {
      if (live == nullptr) continue;
      const int before = live->ran;
      ASSERT_TRUE(engine_->Submit(live->name(), {}, {}).ok());
      ASSERT_TRUE(engine_->RunTask());
      ASSERT_EQ(live->ran, before + 1) << "after step " << steps;
      test::DrainAll(*engine_);
    }
  }
  EXPECT_GT(steps, 12);
  EXPECT_GT(partial_->ran, 8);
  RecordProperty("longest_step_ms", std::to_string(longest));
  std::printf("longest of %d steps: %.0f ms\n", steps, longest);
}

// A step of such a voice takes seconds, so that even its first one, and those that learn its loudness, yield to calls. The
// graph refuses what is longer than a short clause.
TEST_F(SynthesizeJobTest, AnAddedKokoroYieldsToCallsFromItsFirstStepAndIsGivenShortClauses) {
  const std::string folder = test::AddedKokoro(test::OwnPath("synthesize-job-kokoro"));
  const uint32_t job = Speak(kLong, folder);
  size_t given = 0;
  for (bool ended = false; !ended;) {
    const int before = partial_->ran;
    ASSERT_TRUE(engine_->Submit("partial", {}, {}).ok());
    ASSERT_TRUE(engine_->RunTask());
    ASSERT_EQ(partial_->ran, before + 1) << "after step " << before;
    test::DrainAll(*engine_);
    ASSERT_TRUE(engine_->RunTask());
    given += TakeAll(job);
    for (const auto& record : test::DrainAll(*engine_)) {
      if (record.type != engine::kJobEndEvent) continue;
      EXPECT_EQ(record.code(), base::Code::kOk) << record.bytes;
      ended = true;
    }
  }
  EXPECT_GT(given, 2 * 100 * test::kAddedTokenSamples) << "the whole text was spoken";
}

// Sixty-four chunks wait when somebody who reads slowly gives up: none of them is handed out afterwards.
TEST_F(SynthesizeJobTest, LongFormNothingIsHeardAfterACancelThatWaited) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += std::string(kLong) + " ";
  const uint32_t job = Speak(text);
  while (engine_->RunTask()) {
  }
  engine::Chunk chunk;
  ASSERT_TRUE(engine_->Take(job, chunk));
  ASSERT_EQ(engine_->Cancel(job), base::Code::kOk);
  EXPECT_FALSE(engine_->Take(job, chunk));
  while (engine_->RunTask()) {
  }
  EXPECT_FALSE(engine_->Take(job, chunk));
  for (const auto& record : test::DrainAll(*engine_)) {
    if (record.type == engine::kJobEndEvent) EXPECT_EQ(record.code(), base::Code::kCancelled);
  }
}

}  // namespace
}  // namespace trunkline::speak
