#include "engine/outbox.h"

#include <gtest/gtest.h>

#include <thread>

#include "test/support/drained.h"

namespace trunkline::engine {
namespace {

using base::AsBytes;
using test::Unpack;

constexpr uint16_t kPartial = 20, kFinal = 21;

class OutboxTest : public ::testing::Test {
 protected:
  std::vector<test::Record> Drain(size_t bytes = 4096) {
    std::vector<uint8_t> buffer(bytes);
    PackedWriter writer(buffer);
    all_ = outbox_.DrainTo(writer, {3, 7});
    return Unpack(base::ByteView(buffer).first(writer.Finish(!all_)));
  }
  static std::string Texts(const std::vector<test::Record>& records) {
    std::string text;
    for (const auto& record : records) text += record.bytes + " ";
    return text;
  }

  base::BlockPool memory_;
  Outbox outbox_{{.ring_bytes = 256, .mailboxes = 2, .mailbox_bytes = 64}, memory_};
  bool all_ = true;
};

TEST_F(OutboxTest, KeepsOrderAndNamesTheLane) {
  EXPECT_TRUE(outbox_.Write(kFinal, 5, AsBytes("one"), AsBytes("!")));
  EXPECT_TRUE(outbox_.Write(kFinal, 0, AsBytes("two"), {}));
  const auto records = Drain();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].bytes, "one!");
  EXPECT_EQ(records[0].id, (LaneId{3, 7}));
  EXPECT_EQ(records[0].flags, 5);
  EXPECT_EQ(records[1].bytes, "two");
  EXPECT_TRUE(Drain().empty());
}

TEST_F(OutboxTest, ANewerPartialReplacesTheOlderAndKeepsItsPlace) {
  outbox_.WriteLatest(0, kPartial, 0, AsBytes("h"), {});
  outbox_.WriteLatest(0, kPartial, 0, AsBytes("he"), {});
  outbox_.Write(kFinal, 0, AsBytes("hello"), {});
  outbox_.WriteLatest(1, kPartial, 0, AsBytes("other"), {});
  EXPECT_EQ(Texts(Drain()), "he hello other ");
  outbox_.Write(kFinal, 0, AsBytes("a"), {});
  outbox_.WriteLatest(0, kPartial, 0, AsBytes("b"), {});
  outbox_.Write(kFinal, 0, AsBytes("c"), {});
  outbox_.WriteLatest(0, kPartial, 0, AsBytes("d"), {});
  EXPECT_EQ(Texts(Drain()), "a c d ") << "b was replaced";
}

TEST_F(OutboxTest, RefusesWhenFullAndDropsNothing) {
  const std::string body(100, 'x');
  EXPECT_TRUE(outbox_.Write(kFinal, 0, AsBytes(body), {}));
  EXPECT_TRUE(outbox_.Write(kFinal, 0, AsBytes(body), {}));
  EXPECT_FALSE(outbox_.Write(kFinal, 0, AsBytes(body), {}));
  EXPECT_TRUE(outbox_.WriteLatest(0, kPartial, 0, AsBytes("still"), {}));
  EXPECT_EQ(Drain().size(), 3u);
  EXPECT_TRUE(outbox_.Write(kFinal, 0, AsBytes(body), {}));
}

TEST_F(OutboxTest, RefusesALetterThatIsTooLargeOrHasNoBox) {
  EXPECT_FALSE(outbox_.WriteLatest(0, kPartial, 0, AsBytes(std::string(65, 'x')), {}));
  EXPECT_FALSE(outbox_.WriteLatest(2, kPartial, 0, AsBytes("x"), {}));
}

TEST_F(OutboxTest, GoesOnWhereASmallBufferEnded) {
  outbox_.Write(kFinal, 0, AsBytes("one"), {});
  outbox_.WriteLatest(0, kPartial, 0, AsBytes("partial"), {});
  outbox_.Write(kFinal, 0, AsBytes("two"), {});
  const size_t one_record = kDrainHeader + kRecordHeader + 8;
  EXPECT_EQ(Texts(Drain(one_record)), "one ");
  EXPECT_FALSE(all_);
  EXPECT_EQ(Texts(Drain(one_record)), "partial ");
  EXPECT_EQ(Texts(Drain(one_record)), "two ");
  EXPECT_TRUE(all_);
}

TEST_F(OutboxTest, CarriesEverythingBetweenTwoThreads) {
  constexpr uint32_t kCount = 20'000;
  std::thread writer([&] {
    for (uint32_t i = 0; i < kCount;) {
      outbox_.WriteLatest(0, kPartial, 0, {reinterpret_cast<const uint8_t*>(&i), 4}, {});
      if (outbox_.Write(kFinal, 0, {reinterpret_cast<const uint8_t*>(&i), 4}, {})) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
  });
  uint32_t expected = 0;
  bool right = true;
  while (expected < kCount) {
    const auto records = Drain();
    if (records.empty()) std::this_thread::yield();
    for (const auto& record : records) {
      const uint32_t value = base::Load<uint32_t>(reinterpret_cast<const uint8_t*>(record.bytes.data()));
      if (record.type == kFinal) {
        right &= value == expected++;
      } else {
        // The partial of a final is written before it, so it comes before it; a later one may have replaced
        // it.
        right &= value >= expected || value + 1 == expected;
      }
    }
  }
  writer.join();
  EXPECT_TRUE(right);
}

}  // namespace
}  // namespace trunkline::engine
