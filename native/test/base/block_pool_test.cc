#include "base/block_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace trunkline::base {
namespace {

TEST(BlockPool, BlocksNeverOverlap) {
  BlockPool pool;
  std::vector<std::pair<BlockPool::Block, size_t>> blocks;
  uint8_t mark = 0;
  for (const size_t size : {4096u, 500'000u, 32'768u, 4096u, 1u << 20, 65'536u, 524'288u, 4096u, 2u << 20}) {
    blocks.emplace_back(pool.Take(size), size);
    std::memset(blocks.back().first.get(), ++mark, size);
  }
  mark = 0;
  for (const auto& [block, size] : blocks) {
    ++mark;
    for (size_t i = 0; i < size; ++i) ASSERT_EQ(block[i], mark) << "byte " << i << " of " << size;
  }
}

TEST(BlockPool, GivesABlockThatCameBackAgain) {
  BlockPool pool;
  for (int life = 0; life < 1000; ++life) {
    const auto one = pool.Take(32 * 1024);
    const auto two = pool.Take(8 * 1024);
    std::memset(one.get(), life, 32 * 1024);
    std::memset(two.get(), life, 8 * 1024);
  }
  EXPECT_LE(pool.held(), size_t{2} << 20);
}

TEST(BlockPool, WhatIsLeftOfAChunkIsUsed) {
  BlockPool pool;
  const auto small = pool.Take(4096);
  const auto whole = pool.Take(2 << 20);  // needs a chunk of its own
  const size_t held = pool.held();
  std::vector<BlockPool::Block> rest;
  for (int i = 0; i < 64; ++i) rest.push_back(pool.Take(8192));
  EXPECT_EQ(pool.held(), held);
}

TEST(BlockPool, LargerThanAChunkComesFromTheHeap) {
  BlockPool pool;
  const auto block = pool.Take(5 << 20);
  std::memset(block.get(), 1, 5 << 20);
  EXPECT_EQ(pool.held(), 0u);
}

}  // namespace
}  // namespace trunkline::base
