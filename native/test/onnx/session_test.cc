#include "onnx/session.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <thread>

#include "test/support/files.h"
#include "test/support/own_path.h"
#include "test/support/tiny_model.h"

namespace trunkline::onnx {
namespace {

using base::AsBytes;
using base::Code;

class SessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TRUNKLINE_NEED_FILE(test::InferenceLibrary());
    auto runtime = Runtime::Load({.library = test::InferenceLibrary()});
    ASSERT_TRUE(runtime.ok()) << runtime.status().ToString();
    runtime_ = *runtime;
  }

  std::unique_ptr<Session> Open(const std::string& model, const SessionOptions& options = {}) {
    auto session = Session::OpenBytes(runtime_, AsBytes(std::string_view(model)), options);
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    return session.ok() ? std::move(*session) : nullptr;
  }

  template <typename T>
  Tensor View(std::span<T> data, std::initializer_list<int64_t> shape) {
    auto tensor = Tensor::View<T>(*runtime_, data, std::span<const int64_t>(shape.begin(), shape.size()));
    EXPECT_TRUE(tensor.ok()) << tensor.status().ToString();
    return std::move(*tensor);
  }

  std::shared_ptr<Runtime> runtime_;
};

TEST_F(SessionTest, DescribesItsInputsAndOutputs) {
  auto session = Open(test::AddModel());
  ASSERT_EQ(session->inputs().size(), 2u);
  EXPECT_EQ(session->inputs()[0].name, "a");
  EXPECT_EQ(session->inputs()[0].type, ElementType::kFloat);
  EXPECT_EQ(session->inputs()[0].shape, std::vector<int64_t>{-1});
  ASSERT_NE(session->output("sum"), nullptr);
  EXPECT_EQ(session->output("a"), nullptr);
  const char* inputs[] = {"a", "b"};
  const char* outputs[] = {"sum"};
  EXPECT_TRUE(session->Require(inputs, outputs).ok());
  const char* other[] = {"state"};
  const auto missing = session->Require(other, outputs);
  EXPECT_EQ(missing.code(), Code::kBadModel);
  EXPECT_NE(missing.message().find("no input named state"), std::string::npos);
}

TEST_F(SessionTest, CountsTheBytesOfModelsThatAreOpen) {
  const size_t before = Session::open_bytes();
  const std::string model = test::AddModel();
  {
    const auto one = Open(model), other = Open(model);
    EXPECT_EQ(Session::open_bytes(), before + 2 * model.size());
    EXPECT_FALSE(Session::OpenBytes(runtime_, AsBytes(std::string_view("no model")), {}).ok());
    EXPECT_EQ(Session::open_bytes(), before + 2 * model.size());
  }
  EXPECT_EQ(Session::open_bytes(), before);
}

TEST_F(SessionTest, RunsIntoCallerMemoryAndIntoItsOwn) {
  auto session = Open(test::AddModel());
  std::array<float, 3> a{1, 2, 3}, b{10, 20, 30}, sum{};
  Tensor left = View<float>(a, {3}), right = View<float>(b, {3}), into = View<float>(sum, {3}), owned;
  const Input inputs[] = {{"a", &left}, {"b", &right}};
  const Output mine[] = {{"sum", &into}};
  ASSERT_TRUE(session->Run(inputs, mine).ok());
  EXPECT_EQ(sum, (std::array<float, 3>{11, 22, 33}));
  const Output theirs[] = {{"sum", &owned}};
  ASSERT_TRUE(session->Run(inputs, theirs).ok());
  ASSERT_EQ(owned.data<float>().size(), 3u);
  EXPECT_EQ(owned.data<float>()[2], 33);
  EXPECT_EQ(owned.shape(), std::vector<int64_t>{3});
  EXPECT_TRUE(owned.data<int64_t>().empty()) << "another type is not given out";
}

TEST_F(SessionTest, SharesTheRuntimesThreads) {
  auto session = Open(test::AddModel(), {.threads = 0});
  std::array<float, 1> a{1}, b{2}, sum{};
  Tensor left = View<float>(a, {1}), right = View<float>(b, {1}), into = View<float>(sum, {1});
  const Input inputs[] = {{"a", &left}, {"b", &right}};
  const Output outputs[] = {{"sum", &into}};
  ASSERT_TRUE(session->Run(inputs, outputs).ok());
  EXPECT_EQ(sum[0], 3);
}

TEST_F(SessionTest, ReportsAFailingRun) {
  auto session = Open(test::AddModel());
  std::array<float, 3> a{}, b{};
  Tensor left = View<float>(a, {3}), right = View<float>(std::span<float>(b).first(2), {2}), sum;
  const Input inputs[] = {{"a", &left}, {"b", &right}};
  const Output outputs[] = {{"sum", &sum}};
  EXPECT_EQ(session->Run(inputs, outputs).code(), Code::kInference);
  const Input wrong[] = {{"a", &left}, {"c", &right}};
  EXPECT_EQ(session->Run(wrong, outputs).code(), Code::kInference);
}

TEST_F(SessionTest, ChecksTheSizeOfAView) {
  std::array<float, 3> a{};
  const std::array<int64_t, 1> four{4}, negative{-1};
  EXPECT_EQ(Tensor::View<float>(*runtime_, a, four).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Tensor::View<float>(*runtime_, a, negative).status().code(), Code::kInvalidArgument);
  EXPECT_TRUE(Tensor::View<float>(*runtime_, std::span<float>(), std::array<int64_t, 1>{0}).ok());
  EXPECT_TRUE(Tensor::View<float>(*runtime_, std::span<float>(a).first(1), {}).ok()) << "a scalar";
}

TEST_F(SessionTest, AllocatesTensorsOfItsOwn) {
  auto tensor = Tensor::Allocate(*runtime_, ElementType::kInt64, std::array<int64_t, 2>{2, 3});
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->data<int64_t>().size(), 6u);
  EXPECT_EQ(tensor->type(), ElementType::kInt64);
}

TEST_F(SessionTest, StopsWhenTerminated) {
  auto session = Open(test::MatMulChain(3000, 512));
  std::vector<float> x(512 * 512, 0.001f), w(512 * 512, 0.001f), y(512 * 512);
  Tensor in = View<float>(x, {512, 512}), weights = View<float>(w, {512, 512}),
         out = View<float>(y, {512, 512});
  const Input inputs[] = {{"x", &in}, {"w", &weights}};
  const Output outputs[] = {{"y", &out}};
  auto options = RunOptions::Create(*runtime_);
  ASSERT_TRUE(options.ok());
  std::thread stopper([&] { (*options)->Terminate(); });
  const base::Status status = session->Run(inputs, outputs, options->get());
  stopper.join();
  EXPECT_EQ(status.code(), Code::kCancelled) << status.ToString();
}

TEST_F(SessionTest, RunsAgainAfterAReset) {
  auto session = Open(test::AddModel());
  std::array<float, 1> a{1}, b{2}, sum{};
  Tensor left = View<float>(a, {1}), right = View<float>(b, {1}), into = View<float>(sum, {1});
  const Input inputs[] = {{"a", &left}, {"b", &right}};
  const Output outputs[] = {{"sum", &into}};
  auto options = RunOptions::Create(*runtime_);
  (*options)->Terminate();
  EXPECT_EQ(session->Run(inputs, outputs, options->get()).code(), Code::kCancelled);
  (*options)->Reset();
  EXPECT_TRUE(session->Run(inputs, outputs, options->get()).ok());
}

TEST_F(SessionTest, BindsOnceAndRunsOften) {
  auto session = Open(test::AddModel());
  std::array<float, 2> a{1, 2}, b{3, 4};
  Tensor left = View<float>(a, {2}), right = View<float>(b, {2});
  auto binding = IoBinding::Create(*session);
  ASSERT_TRUE(binding.ok());
  ASSERT_TRUE((*binding)->BindInput("a", left).ok());
  ASSERT_TRUE((*binding)->BindInput("b", right).ok());
  ASSERT_TRUE((*binding)->BindOutput("sum", true).ok());
  for (int round = 0; round < 3; ++round) {
    a[0] = static_cast<float>(round);
    ASSERT_TRUE((*binding)->Run().ok());
    auto outputs = (*binding)->Outputs();
    ASSERT_TRUE(outputs.ok());
    ASSERT_EQ(outputs->size(), 1u);
    EXPECT_EQ((*outputs)[0].data<float>()[0], static_cast<float>(round + 3));
  }
  (*binding)->ClearInputs();
  EXPECT_EQ((*binding)->Run().code(), Code::kInference);
}

// A CUDA build without its device must serve all the same, and a build without CUDA must say so.
TEST_F(SessionTest, FallsBackToTheCpuAndSaysWhy) {
  auto session = Open(test::AddModel(), {.device = Device::kCuda});
  if (session->device() == Device::kCuda) GTEST_SKIP() << "this machine has a device";
  EXPECT_FALSE(session->fallback().empty());
  EXPECT_EQ(Open(test::AddModel(), {.device = Device::kAuto})->device(), Device::kCpu);
  auto cpu = Open(test::AddModel(), {.device = Device::kCpu});
  EXPECT_TRUE(cpu->fallback().empty());
  std::array<float, 1> a{1}, b{2}, sum{};
  Tensor left = View<float>(a, {1}), right = View<float>(b, {1}), into = View<float>(sum, {1});
  const Input inputs[] = {{"a", &left}, {"b", &right}};
  const Output outputs[] = {{"sum", &into}};
  ASSERT_TRUE(session->Run(inputs, outputs).ok());
  EXPECT_EQ(sum[0], 3);
}

TEST_F(SessionTest, RefusesWhatIsNoModel) {
  EXPECT_EQ(Session::Open(runtime_, "/no/such.onnx", {}).status().code(), Code::kNotFound);
  const std::string garbage = "garbage that is no protocol buffer at all";
  EXPECT_EQ(Session::OpenBytes(runtime_, AsBytes(std::string_view(garbage)), {}).status().code(),
            Code::kBadModel);
  EXPECT_FALSE(Session::OpenBytes(runtime_, {}, {}).ok());
  const std::string path = test::OwnPath("truncated");
  const std::string model = test::AddModel();
  std::ofstream(path, std::ios::binary) << model.substr(0, model.size() / 2);
  EXPECT_FALSE(Session::Open(runtime_, path, {}).ok());
}

// Silero, the smallest real model: a second of silence is no speech, at both rates, and the state is carried.
TEST_F(SessionTest, RunsSilero) {
  const std::string path = test::ModelFile("silero-vad/silero_vad.onnx");
  TRUNKLINE_NEED_FILE(path);
  auto opened = Session::Open(runtime_, path, {});
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  auto& session = *opened;
  for (const int64_t rate : {int64_t{16000}, int64_t{8000}}) {
    const int64_t width = rate == 16000 ? 64 + 512 : 32 + 256;
    std::vector<float> samples(static_cast<size_t>(width), 0.0f), state(2 * 128, 0.0f), next(2 * 128);
    std::array<int64_t, 1> rate_value{rate};
    std::array<float, 1> probability{1.0f};
    for (int frame = 0; frame < 31; ++frame) {
      Tensor input = View<float>(samples, {1, width}), state_in = View<float>(state, {2, 1, 128}),
             sr = View<int64_t>(rate_value, {}), output = View<float>(probability, {1, 1}),
             state_out = View<float>(next, {2, 1, 128});
      const Input inputs[] = {{"input", &input}, {"state", &state_in}, {"sr", &sr}};
      const Output outputs[] = {{"output", &output}, {"stateN", &state_out}};
      ASSERT_TRUE(session->Run(inputs, outputs).ok());
      state.swap(next);
    }
    EXPECT_LT(probability[0], 0.1f) << rate;
  }
}

}  // namespace
}  // namespace trunkline::onnx
