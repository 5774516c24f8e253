// Whisper on a GPU, with the real forms on the CPU provider: texts of many windows together are what each is alone, and
// what fails is repeated on the processor.
#include "asr/recognizer_device.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

#include "test/asr/models.h"
#include "test/support/simulated_cuda.h"

namespace trunkline::asr {
namespace {

constexpr char kEncoder[] = "whisper-base-gpu/encoder.onnx";

#define TRUNKLINE_NEED_DEVICE_FORMS() \
  TRUNKLINE_NEED_WHISPER();           \
  TRUNKLINE_NEED_FILE(::trunkline::test::ModelFile(kEncoder))

RecognizerDeviceSettings Small() {
  RecognizerDeviceSettings settings;
  settings.windows = {8, 4, 1};
  return settings;
}

std::shared_ptr<RecognizerDevice> OpenDevice(const onnx::SessionOpener& open,
                                             const RecognizerDeviceSettings& settings = Small()) {
  auto device =
      RecognizerDevice::Open(open, "whisper-base-gpu/", ShapeOf(SharedWhisper()->settings()), settings);
  EXPECT_TRUE(device.ok()) << device.status().ToString();
  return device.ok() ? *device : nullptr;
}

std::shared_ptr<RecognizerDevice> SharedDevice() {
  static const auto device = OpenDevice(test::ModelOpener(SharedRuntime()));
  return device;
}

TranscribeOptions Options() {
  TranscribeOptions options;
  options.language = Language::kEn;
  options.width = DeviceWindow::kTexts;
  options.marks = true;
  options.urgency.within_nanos = 600'000 * base::kNanosPerMilli;
  return options;
}

void ExpectEqual(const Transcript& a, const Transcript& b) {
  EXPECT_EQ(a.text, b.text);
  ASSERT_EQ(a.words.size(), b.words.size());
  for (size_t i = 0; i < a.words.size(); ++i) {
    EXPECT_NEAR(a.words[i].start, b.words[i].start, 0.05) << a.words[i].text;
    EXPECT_NEAR(a.words[i].end, b.words[i].end, 0.05) << a.words[i].text;
  }
}

void Wait(const std::function<void(std::function<void()>)>& submit) {
  const auto done = std::make_shared<std::binary_semaphore>(0);
  submit([done] { done->release(); });
  done->acquire();
}

Transcript HeardThere(Transcriber& transcriber, std::span<const float> samples) {
  transcriber.Begin(samples, {}, Options());
  for (;;) {
    const auto done = transcriber.Step();
    EXPECT_TRUE(done.ok()) << done.status().ToString();
    if (!done.ok() || done.value()) return transcriber.transcript();
    if (transcriber.pending()) Wait([&](auto resume) { transcriber.Submit(std::move(resume)); });
  }
}

struct Speech {
  std::string text;
  std::vector<float> samples;
};

// Short recordings, whose windows are of one length class.
std::vector<Speech> Recordings(size_t count) {
  std::vector<Speech> said;
  for (const test::Clip& clip : test::Clips("an4/", "en")) {
    if (said.size() == count) break;
    auto samples = test::Resampled(test::ReadWav(test::Recording(clip.path)), 16000);
    if (samples.size() > 2 * 16000 && samples.size() < 4 * 16000)
      said.push_back({clip.text, std::move(samples)});
  }
  EXPECT_EQ(said.size(), count);
  return said;
}

TEST(RecognizerDevice, TextsOfManyWindowsTogetherAreWhatEachIsAlone) {
  TRUNKLINE_NEED_DEVICE_FORMS();
  TRUNKLINE_NEED_SPEECH();
  const auto clips = Recordings(3);
  std::vector<Transcript> alone, together(clips.size());
  for (const auto& clip : clips) {
    Transcriber transcriber(SharedWhisper(), SharedDevice());
    alone.push_back(HeardThere(transcriber, clip.samples));
    EXPECT_FALSE(alone.back().words.empty());
  }
  const auto before = SharedDevice()->stats();
  std::vector<std::thread> calls;
  for (size_t i = 0; i < clips.size(); ++i) {
    calls.emplace_back([&, i] {
      Transcriber transcriber(SharedWhisper(), SharedDevice());
      together[i] = HeardThere(transcriber, clips[i].samples);
    });
  }
  for (std::thread& call : calls) call.join();
  const auto after = SharedDevice()->stats();
  EXPECT_LT(after.batches - before.batches, after.works - before.works) << "works went together";
  for (size_t i = 0; i < clips.size(); ++i) ExpectEqual(together[i], alone[i]);
}

TEST(RecognizerDevice, TheTextIsThatOfTheProcessor) {
  TRUNKLINE_NEED_DEVICE_FORMS();
  TRUNKLINE_NEED_SPEECH();
  const auto [said, clip] = Recordings(1).front();
  Transcriber here(SharedWhisper()), there(SharedWhisper(), SharedDevice());
  const Transcript expected = Heard(here, clip, Options());
  const Transcript text = HeardThere(there, clip);
  EXPECT_LE(test::ErrorRate(said, text.text), test::ErrorRate(said, expected.text) + 0.1);
  EXPECT_EQ(text.language, expected.language);
}

// A window holds its slot until it is released, and others wait for it.
TEST(RecognizerDevice, MoreWindowsThanSlotsWaitForEachOther) {
  TRUNKLINE_NEED_DEVICE_FORMS();
  RecognizerDeviceSettings settings = Small();
  settings.windows = {1, 1, 1};
  const auto device = OpenDevice(test::ModelOpener(SharedRuntime()), settings);
  const std::vector<float> sound(16000, 0.01f);
  std::vector<std::thread> calls;
  std::atomic<int> read{0};
  for (int i = 0; i < 3; ++i) {
    calls.emplace_back([&] {
      WhisperDecoder decoder(SharedWhisper(), device);
      decoder.SetUrgency({true, 600'000 * base::kNanosPerMilli});
      const text::TokenId start[] = {SharedWhisper()->marks().start};
      if (!decoder.BeginEncode(sound).ok()) return;
      Wait([&](auto resume) { decoder.Submit(std::move(resume)); });
      if (decoder.Collect().ok() && decoder.Step(start).ok()) ++read;
    });
  }
  for (std::thread& call : calls) call.join();
  EXPECT_EQ(read, 3);
  EXPECT_TRUE(device->serves());
}

TEST(RecognizerDevice, AWindowIsDecodedOnTheProcessorFromWhereTheDeviceFails) {
  TRUNKLINE_NEED_DEVICE_FORMS();
  TRUNKLINE_NEED_SPEECH();
  const test::SimulatedCuda cuda("whisper");
  const auto runtime = onnx::Runtime::Load({cuda.library(), 1});
  ASSERT_TRUE(runtime.ok()) << runtime.status().ToString();
  const onnx::SessionOpener open = [&](const std::string& name, onnx::SessionOptions options) {
    options.device = onnx::Device::kCuda;
    return onnx::Session::Open(*runtime, test::ModelFile(name), options);
  };
  const auto [said, clip] = Recordings(1).front();
  Transcriber here(SharedWhisper());
  const Transcript expected = Heard(here, clip, Options());
  // It fails while the window is encoded, and at several places of the text, where beams differ.
  for (const int steps : {1, 3, 6, 12}) {
    SCOPED_TRACE(steps);
    const auto failing = OpenDevice(open);
    Transcriber transcriber(SharedWhisper(), failing);
    transcriber.Begin(clip, {}, Options());
    for (int i = 0; i < steps; ++i) {
      const auto done = transcriber.Step();
      ASSERT_TRUE(done.ok() && !done.value());
      if (i + 1 < steps && transcriber.pending())
        Wait([&](auto resume) { transcriber.Submit(std::move(resume)); });
    }
    cuda.Fail("run CUDA error 700: an illegal memory access was encountered");
    bool over = false;
    while (!over) {
      if (transcriber.pending()) Wait([&](auto resume) { transcriber.Submit(std::move(resume)); });
      const auto done = transcriber.Step();
      ASSERT_TRUE(done.ok()) << done.status().ToString();
      over = done.value();
    }
    cuda.Recover();
    EXPECT_FALSE(failing->serves());
    if (steps == 1) ExpectEqual(transcriber.transcript(), expected);
    EXPECT_LE(test::ErrorRate(said, transcriber.transcript().text),
              test::ErrorRate(said, expected.text) + 0.1);
  }
}

}  // namespace
}  // namespace trunkline::asr
