#include "tts/helping_hand.h"

#include <gtest/gtest.h>

#include <vector>

namespace trunkline::tts {
namespace {

TEST(HelpingHand, MakesEveryPieceOfEveryRoundOnce) {
  HelpingHand hand;
  ASSERT_TRUE(hand.TryTake());
  std::vector<int> pieces(23);
  for (int round = 1; round <= 20'000; ++round) {
    hand.Each(pieces.size(), [&](size_t piece) { ++pieces[piece]; });
    for (const int made : pieces) ASSERT_EQ(made, round);
  }
  hand.Give();
}

TEST(HelpingHand, HelpsOneAtATime) {
  HelpingHand hand;
  {
    const TakenHand mine(&hand);
    EXPECT_EQ(mine.get(), &hand);
    EXPECT_EQ(TakenHand(&hand).get(), nullptr);
  }
  EXPECT_EQ(TakenHand(&hand).get(), &hand);
  EXPECT_EQ(TakenHand(nullptr).get(), nullptr);
}

TEST(HelpingHand, WorksOnTwoThreads) {
  HelpingHand hand;
  const TakenHand mine(&hand);
  // Each of the two pieces waits for the other to have begun: alone the caller would never end.
  std::atomic<int> begun{0};
  hand.Each(2, [&](size_t) {
    begun.fetch_add(1);
    while (begun.load() < 2) std::this_thread::yield();
  });
  EXPECT_EQ(begun.load(), 2);
}

// Whoever shares a hand with others, or has none, gets all pieces made.
TEST(HelpingHand, ManyMayAskForIt) {
  HelpingHand hand;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int who = 0; who < 4; ++who) {
    threads.emplace_back([&] {
      for (int round = 0; round < 2'000; ++round) {
        std::vector<int> pieces(5);
        const TakenHand taken(&hand);
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
