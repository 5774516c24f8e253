#include "tts/helper_thread.h"

#include <gtest/gtest.h>

#include <vector>

namespace trunkline::tts {
namespace {

TEST(HelperThread, MakesEveryPieceOfEveryRoundOnce) {
  HelperThread helper;
  ASSERT_TRUE(helper.TryAcquire());
  std::vector<int> pieces(23);
  for (int round = 1; round <= 20'000; ++round) {
    helper.Each(pieces.size(), [&](size_t piece) { ++pieces[piece]; });
    for (const int made : pieces) ASSERT_EQ(made, round);
  }
  helper.Release();
}

TEST(HelperThread, HelpsOneAtATime) {
  HelperThread helper;
  {
    const HelperLease mine(&helper);
    EXPECT_EQ(mine.get(), &helper);
    EXPECT_EQ(HelperLease(&helper).get(), nullptr);
  }
  EXPECT_EQ(HelperLease(&helper).get(), &helper);
  EXPECT_EQ(HelperLease(nullptr).get(), nullptr);
}

TEST(HelperThread, WorksOnTwoThreads) {
  HelperThread helper;
  const HelperLease mine(&helper);
  // Each of the two pieces waits for the other to have begun: alone the caller would never end.
  std::atomic<int> begun{0};
  helper.Each(2, [&](size_t) {
    begun.fetch_add(1);
    while (begun.load() < 2) std::this_thread::yield();
  });
  EXPECT_EQ(begun.load(), 2);
}

// Whoever shares a hand with others, or has none, gets all pieces made.
TEST(HelperThread, ManyMayAskForIt) {
  HelperThread helper;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int who = 0; who < 4; ++who) {
    threads.emplace_back([&] {
      for (int round = 0; round < 2'000; ++round) {
        std::vector<int> pieces(5);
        const HelperLease taken(&helper);
        const auto make = [&](size_t piece) { ++pieces[piece]; };
        if (taken.get() != nullptr) {
          taken.get()->Each(pieces.size(), make);
        } else {
          for (size_t piece = 0; piece < pieces.size(); ++piece) make(piece);
        }
        for (const int made : pieces) wrong.fetch_add(made != 1);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace trunkline::tts
