#include "onnx/runtime.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "test/support/files.h"
#include "test/support/own_path.h"

namespace trunkline::onnx {
namespace {

using base::Code;

TEST(Runtime, LoadsTheShippedLibrary) {
  TRUNKLINE_NEED_FILE(test::InferenceLibrary());
  auto runtime = Runtime::Load({.library = test::InferenceLibrary()});
  ASSERT_TRUE(runtime.ok()) << runtime.status().ToString();
  EXPECT_EQ((*runtime)->version().substr(0, 2), "1.");
  const auto& providers = (*runtime)->providers();
  EXPECT_NE(std::find(providers.begin(), providers.end(), "CPUExecutionProvider"), providers.end());
  // It knows the name of CUDA's provider; whether it can be opened is a matter of the library beside it.
  const auto folder = std::filesystem::path(test::InferenceLibrary()).parent_path();
  EXPECT_EQ((*runtime)->has_cuda(), std::filesystem::exists(folder / "libonnxruntime_providers_cuda.so"));
}

TEST(Runtime, LoadsTwiceInOneProcess) {
  TRUNKLINE_NEED_FILE(test::InferenceLibrary());
  auto first = Runtime::Load({.library = test::InferenceLibrary()});
  auto second = Runtime::Load({.library = test::InferenceLibrary()});
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(second.ok());
  EXPECT_EQ((*first)->version(), (*second)->version());
}

TEST(Runtime, NamesAMissingFile) {
  const auto runtime = Runtime::Load({.library = "/no/such/libonnxruntime.so"});
  ASSERT_FALSE(runtime.ok());
  EXPECT_EQ(runtime.status().code(), Code::kNotFound);
  EXPECT_NE(runtime.status().message().find("/no/such/libonnxruntime.so"), std::string::npos);
}

TEST(Runtime, RefusesAnEmptyPathAndAFolder) {
  EXPECT_EQ(Runtime::Load({.library = ""}).status().code(), Code::kNotFound);
  EXPECT_EQ(Runtime::Load({.library = "/"}).status().code(), Code::kNotFound);
}

TEST(Runtime, RefusesAFileThatIsNoLibrary) {
  const std::string path = test::OwnPath("not-a-library");
  std::ofstream(path) << "this is text";
  const auto runtime = Runtime::Load({.library = path});
  ASSERT_FALSE(runtime.ok());
  EXPECT_EQ(runtime.status().code(), Code::kBadLibrary);
  EXPECT_NE(runtime.status().message().find("cannot be loaded"), std::string::npos);
}

TEST(Runtime, RefusesAnotherLibrary) {
  const auto runtime = Runtime::Load({.library = TRUNKLINE_TEST_LIBRARIES "/libnot_inference.so"});
  ASSERT_FALSE(runtime.ok());
  EXPECT_EQ(runtime.status().code(), Code::kBadLibrary);
  EXPECT_NE(runtime.status().message().find("OrtGetApiBase is missing"), std::string::npos);
}

TEST(Runtime, RefusesAnOldVersionByName) {
  const auto runtime = Runtime::Load({.library = TRUNKLINE_TEST_LIBRARIES "/libold_inference.so"});
  ASSERT_FALSE(runtime.ok());
  EXPECT_EQ(runtime.status().code(), Code::kBadVersion);
  EXPECT_NE(runtime.status().message().find("1.9.0"), std::string::npos);
}

TEST(Runtime, ChecksItsThreads) {
  EXPECT_EQ(Runtime::Load({.library = "x", .shared_threads = 0}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Runtime::Load({.library = "x", .shared_threads = 257}).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace trunkline::onnx
