// The engine writes each event of a call as the table in omni/lane.h tells: the bytes are those of a file that
// test/media/engine/omni-events.test.ts makes out of the table.
#include "lanes/omni/event_writer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "lanes/omni/lane.h"
#include "test/support/drained.h"

namespace trunkline::omni {
namespace {

constexpr std::string_view kText = "Grüße, caller";
constexpr int kRate = 8000;

// Tells everything in its first tick.
class ReportingLane final : public engine::Lane {
 public:
  void Tick(engine::LaneIo& io) override {
    if (reported_) return;
    reported_ = true;
    const OmniUtterance said{
        7, 100.25, 900.75, 1000.5, 42.125, kText, {.language = 1, .odds = 0.75, .spoken_ms = 800.5}};
    const PlayedSegment segments[] = {
        {.speech = 3, .segment = 5, .played = 2000, .total = 2000, .complete = true},
        {.speech = 3, .segment = 6, .played = 1000, .total = 4000, .complete = false}};
    events_.SpeechStart(io, 1000.5);
    events_.Partial(io, 7, kText);
    events_.Utterance(io, kOmniEager, said);
    events_.Continued(io, 7);
    events_.Utterance(io, kOmniFinal, said);
    events_.Utterance(io, kOmniBackchannel, said);
    events_.Playing(io, 3, 5, 8004);
    events_.Played(io, 3, segments);
    events_.Interrupted(io, 1, segments);
    events_.SpeechFailed(io, 3, kText);
    events_.Duck(io, true, 1000.5);
    events_.Utterance(io, kOmniLost, said);
    events_.Recording(io, true, 1000.5, kText);
    events_.Key(io, '5', 1000.5);
    events_.Music(io, true, 1000.5);
    events_.Feed(io, 3, 5, 2000.5);
    events_.LeftOut(io, 7, 4, 100.25, 900.75);
  }

 private:
  OmniEventWriter events_{kRate};
  bool reported_ = false;
};

class ReportingKind final : public engine::LaneKind {
 public:
  std::string name() const override { return "telling"; }
  uint32_t cost() const override { return 1; }
  engine::LaneShape shape() const override {
    return {
        .outbox = {.ring_bytes = 64 * 1024, .mailboxes = OmniEventWriter::kMailboxes, .mailbox_bytes = 8192}};
  }
  base::Result<std::unique_ptr<engine::Lane>> Open(const engine::Options&) override {
    return std::unique_ptr<engine::Lane>(std::make_unique<ReportingLane>());
  }
};

TEST(OmniEventWriter, WritesEventsInTheDocumentedLayout) {
  engine::Kinds kinds;
  kinds.AddLane(std::make_shared<ReportingKind>());
  const auto clock = std::make_shared<base::ManualClock>();
  engine::Engine engine(engine::EngineConfig{.slots = 1, .media_threads = 0, .inference_threads = 0},
                        std::move(kinds), nullptr, clock);
  while (engine.RunTask()) {
  }
  test::DrainAll(engine);
  ASSERT_TRUE(engine.Open("telling", {}).ok());
  clock->Advance(engine::kTickNanos);
  engine.Tick();
  std::map<uint16_t, std::string> reported;
  for (const test::Record& record : test::DrainAll(engine)) reported[record.type] = record.bytes;

  std::ifstream file(std::string(TRUNKLINE_VECTORS) + "/omni/events.txt");
  size_t rows = 0;
  for (std::string line; std::getline(file, line); ++rows) {
    std::istringstream words(line);
    std::string name, hex, written;
    uint16_t type = 0;
    words >> name >> type >> hex;
    for (const unsigned char byte : reported[type]) {
      char two[3];
      std::snprintf(two, sizeof(two), "%02x", byte);
      written += two;
    }
    EXPECT_EQ(written, hex) << name;
  }
  EXPECT_EQ(rows, reported.size());
  EXPECT_EQ(rows, 17u);
}

}  // namespace
}  // namespace trunkline::omni
