#include "engine/services.h"

#include <gtest/gtest.h>

#include <fstream>

#include "test/support/files.h"
#include "test/support/own_path.h"
#include "test/support/tiny_model.h"

namespace trunkline::engine {
namespace {

using base::Code;

class ServicesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TRUNKLINE_NEED_FILE(test::InferenceLibrary());
    path_ = test::OwnPath("services-add");
    std::ofstream(path_, std::ios::binary) << test::AddModel();
  }
  EngineConfig Config(onnx::Device device) {
    return {.library = test::InferenceLibrary(), .device = device, .models = {{"tiny/add.onnx", path_}}};
  }
  std::string path_;
};

TEST_F(ServicesTest, OpensAModelByItsNameInTheManifest) {
  Services services(Config(onnx::Device::kCpu));
  auto session = services.OpenModel("tiny/add.onnx");
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  EXPECT_TRUE(services.device_fallback().empty());
}

TEST_F(ServicesTest, NamesAModelThatIsMissing) {
  Services services(Config(onnx::Device::kCpu));
  const auto session = services.OpenModel("tiny/other.onnx");
  EXPECT_EQ(session.status().code(), Code::kNotReady);
  EXPECT_NE(session.status().message().find("tiny/other.onnx"), std::string::npos);
}

TEST_F(ServicesTest, SaysWhyTheGpuIsNotUsedOnlyWhereItWasAskedFor) {
  Services asked(Config(onnx::Device::kCuda));
  ASSERT_TRUE(asked.OpenModel("tiny/add.onnx").ok());
  if (asked.device() == onnx::Device::kCuda) GTEST_SKIP() << "this machine has a device";
  EXPECT_FALSE(asked.device_fallback().empty());
  ASSERT_TRUE(asked.OpenModel("tiny/add.onnx").ok());
  Services automatic(Config(onnx::Device::kAuto));
  ASSERT_TRUE(automatic.OpenModel("tiny/add.onnx").ok());
  EXPECT_TRUE(automatic.device_fallback().empty());
}

TEST(Services, SaysThatNoLibraryIsConfigured) {
  Services services(EngineConfig{});
  EXPECT_EQ(services.runtime().status().code(), Code::kNotReady);
}

}  // namespace
}  // namespace trunkline::engine
