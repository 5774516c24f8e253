#include "base/bytes.h"

#include <gtest/gtest.h>

#include <array>

namespace trunkline::base {
namespace {

TEST(Bytes, WritesLittleEndianRecordsAndReadsThemBack) {
  std::array<uint8_t, 16> memory{};
  ByteWriter writer(memory);
  writer.Write<uint16_t>(0x0102);
  writer.Align(4);
  writer.Write<uint32_t>(7);
  writer.WriteBytes(AsBytes("abc"));
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ(memory[0], 2);
  EXPECT_EQ(memory[1], 1);
  EXPECT_EQ(writer.position(), 11u);
  ByteReader reader(ByteView(memory).first(writer.position()));
  EXPECT_EQ(reader.Read<uint16_t>(), 0x0102);
  reader.Align(4);
  EXPECT_EQ(reader.Read<uint32_t>(), 7u);
  EXPECT_EQ(AsText(reader.ReadBytes(3)), "abc");
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.remaining(), 0u);
}

TEST(Bytes, StaysInsideAndRemembersThatItRanShort) {
  std::array<uint8_t, 3> memory{1, 2, 3};
  ByteReader reader(memory);
  EXPECT_EQ(reader.Read<uint32_t>(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.Read<uint8_t>(), 0) << "nothing is read after a failure";
  ByteWriter writer(memory);
  writer.Write<uint32_t>(9);
  EXPECT_FALSE(writer.ok());
  EXPECT_EQ(memory[0], 1);
}

TEST(Bytes, AlignsUpwards) {
  EXPECT_EQ(AlignUp(0, 8), 0u);
  EXPECT_EQ(AlignUp(1, 8), 8u);
  EXPECT_EQ(AlignUp(8, 8), 8u);
}

}  // namespace
}  // namespace trunkline::base
