#include "asr/moonshine.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "test/asr/models.h"
#include "test/support/added_moonshine.h"
#include "test/support/simulated_cuda.h"

namespace trunkline::asr {
namespace {

std::shared_ptr<const MoonshineModel> SharedMoonshine() {
  static const auto model = MoonshineModel::Open(
      test::ModelOpener(SharedRuntime()),
      std::filesystem::path(test::ModelFile("moonshine-tiny-en/encoder.ort")).parent_path().string());
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return model.ok() ? model.value() : nullptr;
}

std::vector<int32_t> Pass(MoonshinePass& pass, std::span<const float> samples,
                          std::span<const int32_t> stable = {}) {
  pass.Begin(samples, stable);
  while (true) {
    const auto done = pass.Step();
    EXPECT_TRUE(done.ok()) << done.status().ToString();
    if (!done.ok() || done.value()) return pass.tokens();
  }
}

TEST(Moonshine, HearsReadEnglish) {
  TRUNKLINE_NEED_FILE(test::ModelFile("moonshine-tiny-en/encoder.ort"));
  TRUNKLINE_NEED_SPEECH();
  MoonshinePass pass(SharedMoonshine());
  size_t errors = 0, words = 0;
  for (const test::Clip& clip : test::Clips("ljspeech", "en")) {
    const auto samples = test::Resampled(test::ReadWav(test::Recording(clip.path)), 16000);
    const std::string text = pass.model().tokens().Decode(Pass(pass, samples));
    const auto expected = test::ScoredWords(clip.text);
    errors += test::WordErrors(expected, test::ScoredWords(text));
    words += expected.size();
  }
  ASSERT_GT(words, 50u);
  const double rate = static_cast<double>(errors) / static_cast<double>(words);
  std::printf("ljspeech en: word error %.3f (%zu of %zu)\n", rate, errors, words);
  EXPECT_LT(rate, 0.15);
}

TEST(Moonshine, GoesOnFromStableWords) {
  TRUNKLINE_NEED_FILE(test::ModelFile("moonshine-tiny-en/encoder.ort"));
  TRUNKLINE_NEED_SPEECH();
  MoonshinePass pass(SharedMoonshine());
  const auto clips = test::Clips("ljspeech", "en");
  ASSERT_FALSE(clips.empty());
  const auto samples = test::Resampled(test::ReadWav(test::Recording(clips[0].path)), 16000);
  const std::vector<int32_t> whole = Pass(pass, samples);
  ASSERT_GT(whole.size(), 8u);
  EXPECT_EQ(Pass(pass, samples, std::span(whole).first(5)), whole);
}

TEST(Moonshine, TooLittleAudioHasNoText) {
  TRUNKLINE_NEED_FILE(test::ModelFile("moonshine-tiny-en/encoder.ort"));
  MoonshinePass pass(SharedMoonshine());
  EXPECT_TRUE(Pass(pass, std::vector<float>(100, 0.1f)).empty());
  EXPECT_TRUE(Pass(pass, {}).empty());
}

class AddedMoonshineTest : public testing::Test {
 protected:
  void SetUp() override { TRUNKLINE_NEED_FILE(test::ModelFile("moonshine-tiny-en/encoder.ort")); }

  void Link(const char* file, const char* as) const { added_.Link(file, as); }
  void Configure(const std::string& conf) const { added_.Configure(conf); }
  base::Result<std::shared_ptr<const MoonshineModel>> Open() const {
    return MoonshineModel::OpenFolder(SharedRuntime(), folder_.string());
  }
  void ExpectRefused(const std::string& why) const {
    const auto opened = Open();
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.status().code(), base::Code::kBadModel);
    EXPECT_NE(opened.status().message().find(why), std::string::npos) << opened.status().message();
  }

  const test::AddedMoonshine added_{"added-moonshine"};
  const std::filesystem::path& stock_ = added_.stock();
  const std::filesystem::path& folder_ = added_.folder();
};

TEST_F(AddedMoonshineTest, ReadsItsSizesFromTheGraphsAndWritesWhatTheStockOneWrites) {
  TRUNKLINE_NEED_SPEECH();
  const auto added = Open();
  ASSERT_TRUE(added.ok()) << added.status().ToString();
  const MoonshineShape& shape = (*added)->shape();
  EXPECT_EQ(shape.layers, 6);
  EXPECT_EQ(shape.heads, 8);
  EXPECT_EQ(shape.head_width, 36);
  EXPECT_EQ(shape.width, 288);
  EXPECT_EQ(shape.vocabulary, 32768);
  const auto clips = test::Clips("ljspeech", "en");
  ASSERT_FALSE(clips.empty());
  const auto samples = test::Resampled(test::ReadWav(test::Recording(clips[0].path)), 16000);
  MoonshinePass pass(*added), stock(SharedMoonshine());
  EXPECT_EQ(Pass(pass, samples), Pass(stock, samples));
}

TEST_F(AddedMoonshineTest, EndsATextWhereItsSettingsSay) {
  TRUNKLINE_NEED_SPEECH();
  const auto clips = test::Clips("ljspeech", "en");
  ASSERT_FALSE(clips.empty());
  const auto samples = test::Resampled(test::ReadWav(test::Recording(clips[0].path)), 16000);
  MoonshinePass stock(SharedMoonshine());
  const std::vector<int32_t> whole = Pass(stock, samples);
  ASSERT_GT(whole.size(), 3u);
  Configure("form ort\nbegin 1\nend " + std::to_string(whole[3]) + "\n");
  const auto added = Open();
  ASSERT_TRUE(added.ok()) << added.status().ToString();
  MoonshinePass pass(*added);
  EXPECT_EQ(Pass(pass, samples), std::vector<int32_t>(whole.begin(), whole.begin() + 3));
}

TEST_F(AddedMoonshineTest, RefusesFilesThatAreNotOfOneMoonshine) {
  Configure("form zip\nbegin 1\nend 2\n");
  ExpectRefused("the form is not onnx or ort");
  Configure("form ort\nbegin 1\n");
  ExpectRefused("no token -1");
  Configure("form ort\nbegin 1\nend 32768\n");
  ExpectRefused("no token 32768");
  Configure("form ort\nbegin 1\nend 2\n");

  Link("encoder.ort", "decoder.ort");
  ExpectRefused("has no input named input_ids");
  Link("decoder.ort", "decoder.ort");
  Link("decoder.ort", "encoder.ort");
  ExpectRefused("has no input named input_values");
  Link("encoder.ort", "encoder.ort");

  // Another token than the decoder knows.
  std::filesystem::remove(folder_ / "tokenizer.bin");
  std::filesystem::copy_file(stock_ / "tokenizer.bin", folder_ / "tokenizer.bin");
  std::ofstream(folder_ / "tokenizer.bin", std::ios::app | std::ios::binary) << '\x03' << "one";
  ExpectRefused("the decoder knows 32768 tokens, and the tokenizer has 32769");
  std::filesystem::resize_file(folder_ / "tokenizer.bin", 249'973);
  ExpectRefused("ends early");
  std::filesystem::remove(folder_ / "moonshine.conf");
  EXPECT_EQ(Open().status().code(), base::Code::kNotFound);
}

// Moonshine on a GPU, with the real form on the CPU provider.
constexpr char kForms[] = "moonshine-tiny-en-gpu/";

class MoonshineDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    TRUNKLINE_NEED_FILE(test::ModelFile("moonshine-tiny-en/encoder.ort"));
    TRUNKLINE_NEED_FILE(test::ModelFile("moonshine-tiny-en-gpu/encoder.onnx"));
    TRUNKLINE_NEED_SPEECH();
    for (const test::Clip& clip : test::Clips("ljspeech", "en")) {
      if (clips_.size() == 4) break;
      said_.push_back(clip.text);
      clips_.push_back(test::Resampled(test::ReadWav(test::Recording(clip.path)), 16000));
    }
    ASSERT_EQ(clips_.size(), 4U);
  }

  static std::shared_ptr<RecognizerDevice> Open(const onnx::SessionOpener& open) {
    RecognizerDeviceSettings settings;
    settings.windows = {4, 4, 4};
    settings.scheduler.gather_nanos = 50 * base::kNanosPerMilli;
    auto device = RecognizerDevice::Open(open, kForms, SharedMoonshine()->device_shape(), settings);
    EXPECT_TRUE(device.ok()) << device.status().ToString();
    return device.ok() ? *device : nullptr;
  }
  static std::shared_ptr<RecognizerDevice> Shared() {
    static const auto device = Open(test::ModelOpener(SharedRuntime()));
    return device;
  }

  static std::string Text(const std::vector<int32_t>& tokens) {
    return SharedMoonshine()->tokens().Decode(tokens);
  }

  std::vector<std::vector<float>> clips_;
  std::vector<std::string> said_;
};

TEST_F(MoonshineDeviceTest, PassesOfManyCallsTogetherAreWhatEachIsAlone) {
  std::vector<std::vector<int32_t>> alone, together(clips_.size());
  for (const auto& clip : clips_) {
    MoonshinePass pass(SharedMoonshine(), Shared());
    alone.push_back(Pass(pass, clip));
  }
  const auto before = Shared()->stats();
  std::vector<std::thread> calls;
  for (size_t i = 0; i < clips_.size(); ++i) {
    calls.emplace_back([&, i] {
      MoonshinePass pass(SharedMoonshine(), Shared());
      together[i] = Pass(pass, clips_[i]);
    });
  }
  for (std::thread& call : calls) call.join();
  const auto after = Shared()->stats();
  EXPECT_LT(after.batches - before.batches, after.works - before.works) << "works went together";
  EXPECT_EQ(together, alone);
}

TEST_F(MoonshineDeviceTest, AWindowHasTheMemoryOfOneText) {
  constexpr size_t kLayers = 6, kWidth = 288, kBytes = 2, kWindows = 4;
  constexpr size_t kRows = 128 + 256 + 712, kTokens = 3 * DeviceWindow::kTokens;
  EXPECT_EQ(Shared()->pool_bytes(), 2 * kLayers * kWindows * (kRows + kTokens) * kWidth * kBytes);
}

TEST_F(MoonshineDeviceTest, TheTextIsAsGoodAsTheProcessors) {
  MoonshinePass here(SharedMoonshine()), there(SharedMoonshine(), Shared());
  size_t errors_here = 0, errors_there = 0;
  for (size_t i = 0; i < clips_.size(); ++i) {
    const auto expected = test::ScoredWords(said_[i]);
    errors_here += test::WordErrors(expected, test::ScoredWords(Text(Pass(here, clips_[i]))));
    errors_there += test::WordErrors(expected, test::ScoredWords(Text(Pass(there, clips_[i]))));
  }
  EXPECT_LE(errors_there, errors_here + 1);
}

TEST_F(MoonshineDeviceTest, GoesOnFromStableWords) {
  MoonshinePass pass(SharedMoonshine(), Shared());
  const std::vector<int32_t> whole = Pass(pass, clips_[0]);
  ASSERT_GT(whole.size(), 8u);
  EXPECT_EQ(Pass(pass, clips_[0], std::span(whole).first(5)), whole);
}

TEST_F(MoonshineDeviceTest, APassIsFinishedOnTheProcessorFromWhereTheDeviceFails) {
  const test::SimulatedCuda cuda("moonshine");
  const auto runtime = onnx::Runtime::Load({cuda.library(), 1});
  ASSERT_TRUE(runtime.ok()) << runtime.status().ToString();
  const onnx::SessionOpener open = [&](const std::string& name, onnx::SessionOptions options) {
    options.device = onnx::Device::kCuda;
    return onnx::Session::Open(*runtime, test::ModelFile(name), options);
  };
  MoonshinePass here(SharedMoonshine());
  const std::vector<int32_t> expected = Pass(here, clips_[0]);
  for (const int steps : {1, 2, 6}) {
    SCOPED_TRACE(steps);
    const auto device = Open(open);
    MoonshinePass pass(SharedMoonshine(), device);
    pass.Begin(clips_[0], {});
    for (int i = 0; i < steps; ++i) {
      const auto done = pass.Step();
      ASSERT_TRUE(done.ok() && !done.value());
      EXPECT_TRUE(pass.pending());
    }
    cuda.Fail("run CUDA error 700: an illegal memory access was encountered");
    for (bool done = false; !done;) {
      const auto step = pass.Step();
      ASSERT_TRUE(step.ok()) << step.status().ToString();
      done = step.value();
    }
    cuda.Recover();
    EXPECT_FALSE(device->serves());
    if (steps <= 2) EXPECT_EQ(pass.tokens(), expected);
    EXPECT_LE(test::ErrorRate(said_[0], Text(pass.tokens())),
              test::ErrorRate(said_[0], Text(expected)) + 0.1);
  }
}

}  // namespace
}  // namespace trunkline::asr
