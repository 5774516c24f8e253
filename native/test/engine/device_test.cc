// Where models run, why not elsewhere, and what happens when the device fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "engine/library_report.h"
#include "engine/services.h"
#include "test/support/own_path.h"
#include "test/support/simulated_cuda.h"
#include "test/support/tiny_model.h"

namespace trunkline::engine {
namespace {

using base::Code;
using onnx::Device;

class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TRUNKLINE_NEED_FILE(test::InferenceLibrary());
    path_ = test::OwnPath("device-add");
    std::ofstream(path_, std::ios::binary) << test::AddModel();
  }

  EngineConfig Config(const std::string& library, Device device) const {
    EngineConfig config;
    config.library = library;
    config.device = device;
    for (const char* name :
         {"smart-turn/smart-turn-v3.2.onnx", "silero-vad/silero_vad.onnx", "tiny/add.onnx"}) {
      config.models[name] = path_;
    }
    return config;
  }

  static onnx::PlacementReport Placed(const Services& services, const std::string& name) {
    for (const auto& report : services.placements()) {
      if (report.name == name) return report;
    }
    return {};
  }

  static base::Status Add(const onnx::Session& session, float& sum) {
    float one = 1, two = 2;
    const int64_t shape[] = {1};
    TRUNKLINE_ASSIGN_OR_RETURN(auto a, onnx::Tensor::View<float>(session.runtime(), {&one, 1}, shape));
    TRUNKLINE_ASSIGN_OR_RETURN(auto b, onnx::Tensor::View<float>(session.runtime(), {&two, 1}, shape));
    TRUNKLINE_ASSIGN_OR_RETURN(auto c, onnx::Tensor::View<float>(session.runtime(), {&sum, 1}, shape));
    const onnx::Input inputs[] = {{"a", &a}, {"b", &b}};
    const onnx::Output outputs[] = {{"sum", &c}};
    return session.Run(inputs, outputs);
  }

  std::string path_;
};

constexpr char kTurn[] = "smart-turn/smart-turn-v3.2.onnx";
constexpr char kSilero[] = "silero-vad/silero_vad.onnx";

TEST_F(DeviceTest, AutoTakesTheGpuOnlyForModelsThatAreQuickerThere) {
  const test::SimulatedCuda cuda("auto");
  Services services(Config(cuda.library(), Device::kAuto));
  for (const char* name : {kTurn, kSilero, "tiny/add.onnx"}) ASSERT_TRUE(services.OpenModel(name).ok());
  EXPECT_EQ(Placed(services, kTurn).device, Device::kCuda);
  EXPECT_EQ(Placed(services, kSilero).device, Device::kCpu);
  EXPECT_NE(Placed(services, kSilero).reason.find("0.46 ms on a GPU"), std::string::npos);
  EXPECT_EQ(Placed(services, "tiny/add.onnx").device, Device::kCpu);
  EXPECT_EQ(services.device(), Device::kCuda);
  EXPECT_TRUE(services.device_fallback().empty());
}

TEST_F(DeviceTest, EveryModelHasAReasonOnEveryDevice) {
  const test::SimulatedCuda cuda("reasons");
  for (const Device device : {Device::kAuto, Device::kCpu, Device::kCuda}) {
    for (const std::string& library : {cuda.library(), test::InferenceLibrary()}) {
      Services services(Config(library, device));
      for (const char* name : {kTurn, kSilero, "tiny/add.onnx"}) ASSERT_TRUE(services.OpenModel(name).ok());
      ASSERT_EQ(services.placements().size(), 3u);
      for (const auto& report : services.placements()) EXPECT_FALSE(report.reason.empty()) << report.name;
    }
  }
}

TEST_F(DeviceTest, TheStockLibrarySaysThatItIsNoCudaBuild) {
  Services services(Config(test::InferenceLibrary(), Device::kCuda));
  ASSERT_TRUE(services.OpenModel(kTurn).ok());
  if (services.device() == Device::kCuda) GTEST_SKIP() << "this machine has a device";
  EXPECT_NE(services.device_fallback().find("no CUDA build"), std::string::npos);
  EXPECT_TRUE(Placed(services, kTurn).failed);
}

TEST_F(DeviceTest, AProviderFileThatIsBrokenIsNamed) {
  const test::SimulatedCuda cuda("broken");
  std::ofstream(cuda.provider(), std::ios::trunc) << "no library";
  Services services(Config(cuda.library(), Device::kCuda));
  ASSERT_TRUE(services.OpenModel(kTurn).ok());
  EXPECT_EQ(services.device(), Device::kCpu);
  EXPECT_NE(services.device_fallback().find("libonnxruntime_providers_cuda.so"), std::string::npos);
  EXPECT_NE(services.device_fallback().find("not an ELF library"), std::string::npos);
}

TEST_F(DeviceTest, ALibraryThatTheProviderMissesIsNamed) {
  const test::SimulatedCuda cuda("missing");
  cuda.Fail("open libcublasLt.so.13: cannot open shared object file: No such file or directory");
  Services services(Config(cuda.library(), Device::kAuto));
  ASSERT_TRUE(services.OpenModel(kTurn).ok());
  EXPECT_EQ(services.device(), Device::kCpu);
  EXPECT_NE(services.device_fallback().find("libcublasLt.so.13"), std::string::npos);
}

TEST_F(DeviceTest, AFileThatIsCutOffIsRefusedBeforeItIsLoaded) {
  const test::SimulatedCuda cuda("cut");
  const auto whole = std::filesystem::file_size(test::InferenceLibrary());
  const std::string path = cuda.library() + ".cut";
  for (const auto size : {whole - 1, whole / 2, uintmax_t{4096}, uintmax_t{40}, uintmax_t{0}}) {
    std::filesystem::copy_file(test::InferenceLibrary(), path,
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(path, size);
    const auto report = InspectLibrary(path);
    EXPECT_EQ(report.status.code(), Code::kBadLibrary) << size;
    EXPECT_NE(report.status.message().find(path), std::string::npos);
  }
}

TEST_F(DeviceTest, ARunThatFailsOnTheDeviceIsRepeatedOnTheCpu) {
  const test::SimulatedCuda cuda("run");
  Services services(Config(cuda.library(), Device::kCuda));
  std::vector<onnx::PlacementReport> notified;
  services.OnPlacement([&](const onnx::PlacementReport& report) { notified.push_back(report); });
  auto session = services.OpenModel(kTurn);
  ASSERT_TRUE(session.ok());
  float sum = 0;
  ASSERT_TRUE(Add(**session, sum).ok());
  EXPECT_EQ((*session)->device(), Device::kCuda);
  cuda.Fail("run CUDA error 700: an illegal memory access was encountered");
  sum = 0;
  const auto begun = std::chrono::steady_clock::now();
  const auto status = Add(**session, sum);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(2));
  EXPECT_EQ(sum, 3);
  EXPECT_EQ((*session)->device(), Device::kCpu);
  EXPECT_NE(services.device_fallback().find("CUDA error 700"), std::string::npos);
  ASSERT_EQ(notified.size(), 2u);
  EXPECT_FALSE(notified[0].failed);
  EXPECT_TRUE(notified[1].failed);
  // A device that has failed is not tried again, although it might serve.
  cuda.Recover();
  ASSERT_TRUE(services.OpenModel("tiny/add.onnx").ok());
  EXPECT_EQ(Placed(services, "tiny/add.onnx").device, Device::kCpu);
  ASSERT_TRUE(Add(**session, sum).ok());
  EXPECT_EQ((*session)->device(), Device::kCpu);
}

TEST_F(DeviceTest, AnUnmeasuredModelThatFailsKeepsNoMeasuredOneFromTheDevice) {
  const test::SimulatedCuda cuda("unmeasured");
  Services services(Config(cuda.library(), Device::kCuda));
  cuda.Fail("open an operator has no kernel");
  ASSERT_TRUE(services.OpenModel("tiny/add.onnx").ok());
  EXPECT_TRUE(Placed(services, "tiny/add.onnx").failed);
  cuda.Recover();
  ASSERT_TRUE(services.OpenModel(kTurn).ok());
  EXPECT_EQ(Placed(services, kTurn).device, Device::kCuda);
}

TEST_F(DeviceTest, InputThatNoDeviceTakesIsNoFaultOfTheDevice) {
  const test::SimulatedCuda cuda("input");
  Services services(Config(cuda.library(), Device::kCuda));
  auto session = services.OpenModel(kTurn);
  ASSERT_TRUE(session.ok());
  std::vector<float> two(2), three(3), sum(3);
  const int64_t short_shape[] = {2}, long_shape[] = {3};
  auto a = onnx::Tensor::View<float>((*session)->runtime(), two, short_shape);
  auto b = onnx::Tensor::View<float>((*session)->runtime(), three, long_shape);
  onnx::Tensor out;
  const onnx::Input inputs[] = {{"a", &*a}, {"b", &*b}};
  const onnx::Output outputs[] = {{"sum", &out}};
  EXPECT_FALSE((*session)->Run(inputs, outputs).ok());
  EXPECT_EQ((*session)->device(), Device::kCuda);
  EXPECT_TRUE(services.device_fallback().empty());
}

TEST_F(DeviceTest, InspectionCountsNodesByProvider) {
  const auto reports = InspectModels(Config(test::InferenceLibrary(), Device::kCpu));
  ASSERT_EQ(reports.size(), 3u);
  for (const auto& report : reports) {
    EXPECT_EQ(report.counts.nodes, (std::map<std::string, int>{{"CPU", 1}})) << report.name;
    EXPECT_EQ(report.counts.copies, 0);
  }
}

TEST_F(DeviceTest, InspectionNamesAModelThatDoesNotOpen) {
  EngineConfig config = Config(test::InferenceLibrary(), Device::kCpu);
  std::ofstream(path_, std::ios::trunc) << "no model";
  for (const auto& report : InspectModels(config)) {
    EXPECT_TRUE(report.failed);
    EXPECT_NE(report.reason.find("bad_model"), std::string::npos) << report.reason;
  }
}

}  // namespace
}  // namespace trunkline::engine
