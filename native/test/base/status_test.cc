#include "base/status.h"

#include <gtest/gtest.h>

#include <set>

namespace trunkline::base {
namespace {

Result<int> Half(int value) {
  if (value % 2 != 0) return Status(Code::kInvalidArgument, "odd");
  return value / 2;
}

Result<int> Quarter(int value) {
  TRUNKLINE_ASSIGN_OR_RETURN(const int half, Half(value));
  TRUNKLINE_ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

TEST(Status, TableIsDenseAndItsNamesDiffer) {
  std::set<std::string_view> names;
  int number = 0;
  for (const CodeEntry& entry : kCodes) {
    EXPECT_EQ(static_cast<int>(entry.code), number++);
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(CodeName(entry.code), entry.name);
    EXPECT_FALSE(entry.meaning.empty());
  }
  EXPECT_EQ(CodeName(static_cast<Code>(999)), "internal");
}

TEST(Status, SaysWhatHappened) {
  EXPECT_EQ(Ok().ToString(), "ok");
  EXPECT_EQ(Status(Code::kFull).ToString(), "full");
  EXPECT_EQ(Status(Code::kBadModel, "no input x").ToString(), "bad_model: no input x");
}

TEST(Result, CarriesAValueOrAFailureThroughCalls) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_TRUE(Quarter(8).status().ok());
  EXPECT_EQ(Quarter(6).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Quarter(6).status().message(), "odd");
}

}  // namespace
}  // namespace trunkline::base
