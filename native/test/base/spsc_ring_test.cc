#include "base/spsc_ring.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <thread>
#include <vector>

namespace trunkline::base {
namespace {

TEST(ByteRing, AnswersFalseWhenFullAndTakesNothing) {
  ByteRing ring(8);
  const std::array<uint8_t, 6> six{1, 2, 3, 4, 5, 6};
  EXPECT_TRUE(ring.Push(six));
  EXPECT_FALSE(ring.Push(ByteView(six).first(3)));
  EXPECT_EQ(ring.size(), 6u);
  EXPECT_EQ(ring.FreeBytes(), 2u);
  EXPECT_TRUE(ring.Push(ByteView(six).first(2)));
  EXPECT_EQ(ring.FreeBytes(), 0u);
}

TEST(ByteRing, RefusesWhatCanNeverFit) {
  ByteRing ring(8);
  EXPECT_FALSE(ring.Push(std::vector<uint8_t>(9)));
  EXPECT_TRUE(ring.Push(std::vector<uint8_t>(8)));
}

TEST(ByteRing, PositionsOnlyIncreaseAndDataWraps) {
  ByteRing ring(8);
  std::array<uint8_t, 5> in{}, out{};
  for (uint8_t round = 0; round < 100; ++round) {
    std::iota(in.begin(), in.end(), round);
    ASSERT_TRUE(ring.Push(in));
    EXPECT_EQ(ring.written(), (round + 1u) * 5u);
    ASSERT_EQ(ring.Pop(out), 5u);
    EXPECT_EQ(ring.read(), (round + 1u) * 5u);
    ASSERT_EQ(in, out);
  }
}

TEST(ByteRing, PushesTwoPartsAsOne) {
  ByteRing ring(8);
  const std::array<uint8_t, 4> head{1, 2, 3, 4};
  const std::array<uint8_t, 5> body{};
  EXPECT_FALSE(ring.Push(head, body));
  EXPECT_EQ(ring.Available(), 0u);
  EXPECT_TRUE(ring.Push(head, ByteView(body).first(4)));
  std::array<uint8_t, 8> out{};
  EXPECT_EQ(ring.Peek(out), 8u);
  EXPECT_EQ(out[3], 4);
  EXPECT_EQ(ring.Peek(std::span(out).first(2), 2), 2u);
  EXPECT_EQ(out[0], 3);
}

TEST(ByteRing, CarriesEveryByteBetweenTwoThreads) {
  ByteRing ring(256);
  constexpr size_t kTotal = 200'000;
  std::thread producer([&] {
    std::array<uint8_t, 37> chunk;
    size_t sent = 0;
    while (sent < kTotal) {
      const size_t count = std::min<size_t>(1 + sent % chunk.size(), kTotal - sent);
      for (size_t i = 0; i < count; ++i) chunk[i] = static_cast<uint8_t>((sent + i) * 31);
      if (ring.Push(ByteView(chunk).first(count))) {
        sent += count;
      } else {
        std::this_thread::yield();
      }
    }
  });
  std::array<uint8_t, 53> out;
  size_t received = 0;
  bool right = true;
  while (received < kTotal) {
    const size_t count = ring.Pop(out);
    for (size_t i = 0; i < count; ++i) right &= out[i] == static_cast<uint8_t>((received + i) * 31);
    received += count;
    if (count == 0) std::this_thread::yield();
  }
  producer.join();
  EXPECT_TRUE(right);
  EXPECT_EQ(ring.Available(), 0u);
}

TEST(SpscRing, HoldsItsCapacityAndKeepsOrder) {
  SpscRing<int> ring(3);
  EXPECT_EQ(ring.capacity(), 4u);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(ring.Push(i));
  EXPECT_FALSE(ring.Push(4));
  int value = -1;
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(ring.Pop(value));
    EXPECT_EQ(value, i);
  }
  EXPECT_FALSE(ring.Pop(value));
  EXPECT_EQ(ring.Front(), nullptr);
}

TEST(SpscRing, CarriesItemsBetweenTwoThreads) {
  SpscRing<uint64_t> ring(16);
  constexpr uint64_t kTotal = 100'000;
  std::thread producer([&] {
    for (uint64_t i = 0; i < kTotal;) {
      if (ring.Push(i)) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
  });
  bool right = true;
  for (uint64_t expected = 0; expected < kTotal;) {
    uint64_t value = 0;
    if (!ring.Pop(value)) {
      std::this_thread::yield();
      continue;
    }
    right &= value == expected++;
  }
  producer.join();
  EXPECT_TRUE(right);
}

}  // namespace
}  // namespace trunkline::base
