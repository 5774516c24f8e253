#include <gtest/gtest.h>

#include "engine/engine.h"
#include "onnx/session.h"
#include "test/support/drained.h"
#include "test/support/files.h"
#include "test/support/tiny_model.h"

namespace trunkline::engine {
namespace {

using base::Code;
using base::Status;
using test::DrainAll;

// Emits its input a byte at a time; "throw" throws, "fail" fails.
struct SpellKind final : JobKind {
  std::string name() const override { return "spell"; }
  size_t chunk_limit() const override { return 2; }
  base::Result<std::unique_ptr<Job>> Open(const Options& options, std::vector<uint8_t> input) override;
};

struct SpellJob final : Job {
  explicit SpellJob(std::vector<uint8_t> bytes) : input(std::move(bytes)) {}
  Task::Step Step(JobIo& io) override {
    if (base::AsText(input) == "throw") throw std::runtime_error("of the test");
    if (base::AsText(input) == "fail") return io.End(Status(Code::kInference, "no good"));
    if (at == input.size()) return io.End(base::Ok());
    io.Emit({input[at++]});
    io.Progress(static_cast<float>(at) / static_cast<float>(input.size()));
    return Task::Step::kAgain;
  }
  std::vector<uint8_t> input;
  size_t at = 0;
};

base::Result<std::unique_ptr<Job>> SpellKind::Open(const Options&, std::vector<uint8_t> input) {
  if (input.empty()) return Status(Code::kBadAudio, "nothing to spell");
  return std::unique_ptr<Job>(std::make_unique<SpellJob>(std::move(input)));
}

class JobTest : public ::testing::Test {
 protected:
  JobTest() {
    Kinds kinds;
    kinds.AddJob(std::make_shared<SpellKind>());
    engine_ = std::make_unique<Engine>(EngineConfig{.media_threads = 0, .inference_threads = 0, .jobs = 2},
                                       std::move(kinds), nullptr, std::make_shared<base::ManualClock>());
    RunAll();
    DrainAll(*engine_);
  }
  void RunAll() {
    while (engine_->RunTask()) {
    }
  }
  uint32_t Submit(std::string_view text) {
    const auto bytes = base::AsBytes(text);
    auto job = engine_->Submit("spell", {}, std::vector<uint8_t>(bytes.begin(), bytes.end()));
    EXPECT_TRUE(job.ok()) << job.status().ToString();
    return job.ok() ? *job : 0;
  }
  std::string TakeAll(uint32_t job) {
    std::string text;
    Chunk chunk;
    while (engine_->Take(job, chunk)) text.append(chunk.begin(), chunk.end());
    return text;
  }
  std::unique_ptr<Engine> engine_;
};

TEST_F(JobTest, StreamsItsResultAndWaitsForAReaderThatIsSlow) {
  const uint32_t job = Submit("hello");
  RunAll();
  EXPECT_EQ(TakeAll(job), "he") << "no more than its limit waits";
  RunAll();
  EXPECT_EQ(TakeAll(job), "ll");
  RunAll();
  EXPECT_EQ(TakeAll(job), "o");
  RunAll();
  int chunks = 0;
  for (const auto& record : DrainAll(*engine_)) {
    EXPECT_EQ(record.id, (LaneId{kJobSlot, job}));
    if (record.type == kJobChunkEvent) ++chunks;
    if (record.type == kJobEndEvent) EXPECT_EQ(record.code(), Code::kOk);
  }
  EXPECT_EQ(chunks, 5);
  EXPECT_TRUE(engine_->idle());
}

TEST_F(JobTest, ChunksCanBeTakenAfterTheEnd) {
  const uint32_t job = Submit("ab");
  RunAll();
  Chunk chunk;
  EXPECT_TRUE(engine_->Take(job, chunk));
  RunAll();
  DrainAll(*engine_);
  EXPECT_EQ(TakeAll(job), "b");
  EXPECT_FALSE(engine_->Take(job, chunk));
  EXPECT_EQ(engine_->Cancel(job), Code::kStale);
}

TEST_F(JobTest, ACancelledJobEndsEvenWhileItIsParked) {
  const uint32_t parked = Submit("hello");
  const uint32_t waiting = Submit("world");
  EXPECT_EQ(engine_->Cancel(waiting), Code::kOk);
  RunAll();
  EXPECT_EQ(engine_->Cancel(parked), Code::kOk);
  RunAll();
  int ends = 0;
  for (const auto& record : DrainAll(*engine_)) {
    if (record.type != kJobEndEvent) continue;
    EXPECT_EQ(record.code(), Code::kCancelled);
    ++ends;
  }
  EXPECT_EQ(ends, 2);
  EXPECT_TRUE(engine_->idle());
}

TEST_F(JobTest, WhatWaitsWhenAJobIsCancelledIsThrownAway) {
  const uint32_t parked = Submit("hello"), through = Submit("a");
  RunAll();
  Chunk chunk;
  for (const uint32_t job : {parked, through}) {
    EXPECT_EQ(engine_->Cancel(job), Code::kOk);
    EXPECT_FALSE(engine_->Take(job, chunk));
  }
  RunAll();
  EXPECT_FALSE(engine_->Take(parked, chunk));
  DrainAll(*engine_);
  EXPECT_TRUE(engine_->idle());
}

TEST_F(JobTest, FailsInWordsAndNeverByAThrow) {
  Submit("fail");
  Submit("throw");
  RunAll();
  std::vector<Code> codes;
  for (const auto& record : DrainAll(*engine_)) {
    if (record.type == kJobEndEvent) codes.push_back(record.code());
  }
  EXPECT_EQ(codes, (std::vector<Code>{Code::kInference, Code::kInternal}));
}

TEST_F(JobTest, RefusesBadInputAndTooMany) {
  EXPECT_EQ(engine_->Submit("spell", {}, {}).status().code(), Code::kBadAudio);
  Submit("a");
  Submit("b");
  EXPECT_EQ(engine_->Submit("spell", {}, {'c'}).status().code(), Code::kCapacity);
}

// Minutes of matrix products, unless somebody stops them.
struct SlowKind final : JobKind {
  std::string name() const override { return "slow"; }
  Status Prepare(Services& services) override {
    TRUNKLINE_ASSIGN_OR_RETURN(auto runtime, services.runtime());
    const std::string model = test::MatMulChain(3000, 512);
    TRUNKLINE_ASSIGN_OR_RETURN(session,
                               onnx::Session::OpenBytes(runtime, base::AsBytes(std::string_view(model)), {}));
    return base::Ok();
  }
  base::Result<std::unique_ptr<Job>> Open(const Options&, std::vector<uint8_t>) override;
  std::unique_ptr<onnx::Session> session;
  std::atomic<bool> running{false};
};

struct SlowJob final : Job {
  explicit SlowJob(SlowKind& job_kind) : kind(job_kind) {}
  Task::Step Step(JobIo& io) override {
    const std::array<int64_t, 2> shape{512, 512};
    std::vector<float> x(512 * 512, 0.001f), w(512 * 512, 0.001f);
    auto in = onnx::Tensor::View<float>(kind.session->runtime(), x, shape);
    auto weights = onnx::Tensor::View<float>(kind.session->runtime(), w, shape);
    onnx::Tensor out;
    const onnx::Input inputs[] = {{"x", &*in}, {"w", &*weights}};
    const onnx::Output outputs[] = {{"y", &out}};
    kind.running = true;
    kind.running.notify_all();
    return io.End(kind.session->Run(inputs, outputs, io.run_options()));
  }
  SlowKind& kind;
};

base::Result<std::unique_ptr<Job>> SlowKind::Open(const Options&, std::vector<uint8_t>) {
  return std::unique_ptr<Job>(std::make_unique<SlowJob>(*this));
}

TEST(EngineTeardown, DestroyStopsInferenceThatRuns) {
  TRUNKLINE_NEED_FILE(test::InferenceLibrary());
  auto kind = std::make_shared<SlowKind>();
  Kinds kinds;
  kinds.AddJob(kind);
  Engine engine({.inference_threads = 2, .library = test::InferenceLibrary()}, std::move(kinds), nullptr);
  while (engine.kinds()[0].readiness == Readiness::kPreparing) std::this_thread::yield();
  ASSERT_EQ(engine.kinds()[0].readiness, Readiness::kReady) << engine.kinds()[0].status.ToString();
  ASSERT_TRUE(engine.Submit("slow", {}, {}).ok());
  kind->running.wait(false);
  const auto begun = std::chrono::steady_clock::now();
  engine.Destroy();
  const auto took = std::chrono::steady_clock::now() - begun;
  EXPECT_LT(took, std::chrono::seconds(5)) << "one node at most, not the whole model";
}

}  // namespace
}  // namespace trunkline::engine
