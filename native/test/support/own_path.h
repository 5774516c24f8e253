// Paths that no other test writes to: tests of one program run in several processes at once.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace trunkline::test {

inline std::string OwnPath(const std::string& name) {
  return testing::TempDir() + "trunkline-" + name + "-" + std::to_string(getpid());
}

}  // namespace trunkline::test
