#include "test/support/split_points.h"

#include <gtest/gtest.h>

namespace trunkline::test {
namespace {

TEST(SeamFaults, SeesAWordThatIsLostOrDoubledAndNoneThatIsHeardAsAnother) {
  const std::string said = "one two three four five six seven eight nine ten";
  EXPECT_EQ(SeamFaults(said, {"one two three four five", "six seven eight nine ten"}), 0u);
  EXPECT_EQ(SeamFaults(said, {"one two three four hive", "six seven eight nine ten"}), 0u);
  EXPECT_EQ(SeamFaults(said, {"one two three four", "six seven eight nine ten"}), 1u);
  EXPECT_EQ(SeamFaults(said, {"one two three four five", "seven eight nine ten"}), 1u);
  EXPECT_EQ(SeamFaults(said, {"one two three four five six", "six seven eight nine ten"}), 1u);
  EXPECT_EQ(SeamFaults(said, {"one two three four five", "five six seven eight nine ten"}), 1u);
  EXPECT_EQ(SeamFaults(said, {"two three four five", "six seven eight nine ten"}), 0u) << "far from the seam";
}

}  // namespace
}  // namespace trunkline::test
