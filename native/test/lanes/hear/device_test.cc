// A device that fails under a call.
#include <gtest/gtest.h>

#include <thread>

#include "lanes/hear/transcribe_job.h"
#include "test/lanes/hear/lane_scene.h"
#include "test/support/simulated_cuda.h"

namespace trunkline::hear {
namespace {

class HearDeviceTest : public HearLaneTest {
 protected:
  void SetUp() override {
    engine::Kinds kinds;
    kinds.AddLane(kind_);
    engine::EngineConfig config;
    config.library = cuda_.library();
    config.device = onnx::Device::kCuda;
    // Pauses of one tick go together, however long a task before them takes.
    config.settings["device.gather_ms"] = "100";
    Make(std::move(kinds), config);
  }

  void SayOnAll(const std::vector<engine::LaneId>& lanes, const std::vector<float>& samples) {
    std::vector<int16_t> pcm(320);
    for (size_t at = 0; at + pcm.size() <= samples.size(); at += pcm.size()) {
      for (size_t i = 0; i < pcm.size(); ++i) {
        pcm[i] = static_cast<int16_t>(std::lround(std::clamp(samples[at + i], -1.0f, 1.0f) * 32767));
      }
      for (const engine::LaneId lane : lanes) {
        ASSERT_EQ(engine_->Push(lane, base::AsBytes(std::span<const int16_t>(pcm))), Code::kOk);
      }
      Tick();
      Tick();
    }
  }

  double Count(std::string_view name) const {
    for (const engine::Count& count : kind_->counts()) {
      if (count.name == name) return count.value;
    }
    return 0;
  }

  const test::SimulatedCuda cuda_{"hear"};
};

TEST_F(HearDeviceTest, NoCallEndsWhenTheDeviceFails) {
  TRUNKLINE_NEED_SPEECH();
  ASSERT_EQ(engine_->services().device(), onnx::Device::kCuda);
  engine::OptionsBuilder options;
  const engine::LaneId lane = Open(options.Text("language", "en").Number("endpointing_ms", 500));
  std::string text;
  const auto clip = Clip(1, text);
  const auto half = static_cast<ptrdiff_t>(clip.size() / 2);
  Say(lane, std::vector<float>(clip.begin(), clip.begin() + half), 16000);
  cuda_.Fail("run CUDA error 46: all CUDA-capable devices are busy or unavailable");
  Say(lane, std::vector<float>(clip.begin() + half, clip.end()), 16000);
  Quiet(lane, 2, 16000);
  EXPECT_TRUE(closed_.empty());
  EXPECT_EQ(engine_->services().device(), onnx::Device::kCpu);
  ASSERT_EQ(placed_.size(), 1u);
  EXPECT_NE(placed_[0].find("CUDA error 46"), std::string::npos);
  Close(lane);
  CheckOrder();
  EXPECT_LT(test::ErrorRate(text, FinalText()), 0.3);
}

// Three calls whose speakers pause in the same tick.
TEST_F(HearDeviceTest, EndsOfTurnsOfSeveralCallsGoIntoOneRun) {
  TRUNKLINE_NEED_SPEECH();
  std::string text;
  const auto clip = Clip(1, text);
  std::vector<std::string> heard;
  for (const size_t calls : {1, 3}) {
    events_.clear();
    closed_.clear();
    const double before = Count("gpu_turn_batches_total"), works = Count("gpu_turn_batched_work_total");
    std::vector<engine::LaneId> lanes;
    for (size_t i = 0; i < calls; ++i) {
      engine::OptionsBuilder options;
      lanes.push_back(Open(options.Text("language", "en").Number("partials", 0)));
    }
    SayOnAll(lanes, clip);
    SayOnAll(lanes, std::vector<float>(16000 * 2, 0.0f));
    const double batches = Count("gpu_turn_batches_total") - before;
    EXPECT_GT(batches, 0);
    EXPECT_EQ(Count("gpu_turn_batched_work_total") - works, batches * static_cast<double>(calls));
    const auto finals = Of(kHearFinal);
    ASSERT_EQ(finals.size() % calls, 0u);
    for (const Event& final : finals) heard.push_back(std::to_string(final.end) + final.text);
    const auto ends = Of(kHearSpeechFinal);
    for (size_t i = 1; i < calls; ++i) EXPECT_EQ(ends[i].end, ends[0].end);
    for (const engine::LaneId lane : lanes) engine_->Close(lane, true);
    for (int i = 0; i < 100 && closed_.size() < calls; ++i) Tick();
    ASSERT_EQ(closed_.size(), calls);
  }
  // Alone or beside others: the same words, and the same ends.
  for (const std::string& one : heard) {
    EXPECT_EQ(std::count(heard.begin(), heard.end(), one), 4) << one;
  }
}

// Recognition on the GPU, with the real forms on a device that is the processor.
class HearOnGpuTest : public HearLaneTest {
 protected:
  void SetUp() override {
    TRUNKLINE_NEED_FILE(test::ModelFile("whisper-base-gpu/encoder.onnx"));
    TRUNKLINE_NEED_SPEECH();
    engine::Kinds kinds;
    kinds.AddLane(kind_);
    kinds.AddJob(MakeTranscribeKind());
    engine::EngineConfig config;
    config.library = cuda_.library();
    config.settings["device.windows"] = "8";
    for (const char* name : {"whisper-base-gpu/encoder.onnx", "whisper-base-gpu/decoder.onnx"}) {
      config.models[name] = test::ModelFile(name);
    }
    Make(std::move(kinds), config);
  }

  static onnx::Device DeviceOf(engine::Engine& engine, const std::string& name) {
    for (const auto& report : engine.services().placements()) {
      if (report.name == name) return report.device;
    }
    return onnx::Device::kAuto;
  }

  double Batches() const {
    for (const engine::Count& count : kind_->counts()) {
      if (count.name == std::string("gpu_batches_total")) return count.value;
    }
    return 0;
  }

  base::Result<uint32_t> SubmitFile(const std::vector<float>& samples) {
    std::vector<uint8_t> input(samples.size() * 2);
    for (size_t i = 0; i < samples.size(); ++i) {
      base::Store(input.data() + 2 * i,
                  static_cast<int16_t>(std::lround(std::clamp(samples[i], -1.0f, 1.0f) * 32767)));
    }
    engine::OptionsBuilder options;
    return engine_->Submit("transcribe", options.Text("language", "en").packed(), std::move(input));
  }

  // Returns the text that a job hears.
  std::string Transcribe(const std::vector<float>& samples) {
    const auto job = SubmitFile(samples);
    EXPECT_TRUE(job.ok()) << job.status().ToString();
    RunAll();
    engine::Chunk chunk;
    const bool taken = engine_->Take(*job, chunk);
    test::DrainAll(*engine_);  // the job's events, which are no lane's
    if (!taken) return "";
    base::ByteReader reader(chunk);
    reader.ReadBytes(4 + 4 + 8 + 8);
    return std::string(base::AsText(reader.ReadBytes(reader.Read<uint32_t>())));
  }

  const test::SimulatedCuda cuda_{"recognition"};
};

TEST_F(HearOnGpuTest, AStreamAndAFileAreRecognizedThereAndOnTheProcessorOnceItFails) {
  ASSERT_EQ(DeviceOf(*engine_, "whisper-base-gpu/encoder.onnx"), onnx::Device::kCuda);
  ASSERT_EQ(DeviceOf(*engine_, "whisper-base-gpu/decoder.onnx"), onnx::Device::kCuda);
  ASSERT_EQ(DeviceOf(*engine_, "whisper-base/encoder.onnx"), onnx::Device::kCpu);
  std::string text;
  const auto clip = Clip(1, text);

  const double before = Batches();
  engine::OptionsBuilder options;
  const engine::LaneId lane = Open(options.Text("language", "en").Number("partials", 0));
  Say(lane, clip, 16000);
  Quiet(lane, 2, 16000);
  const uint32_t counted = engine_->stats().used;
  const std::string streamed = FinalText();
  EXPECT_GT(Batches(), before) << "the finals were decoded on the device";
  EXPECT_LT(test::ErrorRate(text, streamed), 0.3) << streamed;

  const double streamed_batches = Batches();
  const std::string filed = Transcribe(clip);
  EXPECT_GT(Batches(), streamed_batches) << "the file was decoded on the device";
  EXPECT_LT(test::ErrorRate(text, filed), 0.3) << filed;

  cuda_.Fail("run CUDA error 700: an illegal memory access was encountered");
  events_.clear();
  Say(lane, clip, 16000);
  Quiet(lane, 2, 16000);
  EXPECT_TRUE(closed_.empty());
  EXPECT_LT(test::ErrorRate(text, FinalText()), 0.3) << FinalText();
  EXPECT_EQ(DeviceOf(*engine_, "whisper-base-gpu/encoder.onnx"), onnx::Device::kCpu);
  EXPECT_NE(engine_->services().device_fallback().find("CUDA error 700"), std::string::npos);
  EXPECT_GT(engine_->stats().used, counted) << "the processor writes the finals of the open stream";
  EXPECT_LT(test::ErrorRate(text, Transcribe(clip)), 0.3);
  Close(lane);
}

TEST_F(HearOnGpuTest, LongFormAFullDeviceRefusesAStreamWhileOpenOnesGoOn) {
  std::string text;
  const auto clip = Clip(1, text);
  engine::OptionsBuilder options;
  const engine::LaneId lane = Open(options.Text("language", "en").Number("partials", 0));
  // A file's window runs into the device, which does not return for a while.
  cuda_.Fail("hang");
  ASSERT_TRUE(SubmitFile(clip).ok());
  std::thread pool([this] { RunAll(); });
  const auto open = [this] {
    engine::OptionsBuilder other;
    const auto opened = engine_->Open("hear", other.Text("language", "en").packed());
    if (opened.ok()) engine_->Close(*opened, false);
    engine_->Tick();
    test::DrainAll(*engine_);
    return opened.status();
  };
  EXPECT_FALSE(engine_->kinds()[0].gpu_full);
  base::Status refused;
  // The run is abandoned after two seconds; the device is full before.
  while (refused.ok() && DeviceOf(*engine_, "whisper-base-gpu/encoder.onnx") == onnx::Device::kCuda) {
    refused = open();
    std::this_thread::yield();
  }
  EXPECT_TRUE(engine_->kinds()[0].gpu_full) << "the node counts no free stream";
  cuda_.Recover();
  pool.join();
  EXPECT_EQ(refused.code(), Code::kCapacity);
  EXPECT_NE(refused.message().find("GPU"), std::string::npos);
  EXPECT_TRUE(open().ok());
  EXPECT_FALSE(engine_->kinds()[0].gpu_full);
  const double before = Batches();
  Say(lane, clip, 16000);
  Quiet(lane, 2, 16000);
  EXPECT_GT(Batches(), before) << "the open stream is recognized on the device";
  EXPECT_LT(test::ErrorRate(text, FinalText()), 0.3) << FinalText();
  closed_.clear();
  Close(lane);
}

// Partials on the GPU, where it is configured.
class PartialsOnGpuTest : public HearOnGpuTest {
 protected:
  void SetUp() override {
    TRUNKLINE_NEED_FILE(test::ModelFile(kEncoder));
    TRUNKLINE_NEED_SPEECH();
    engine::Kinds kinds;
    kinds.AddLane(kind_);
    engine::EngineConfig config;
    config.library = cuda_.library();
    config.device = device_;
    for (const char* name : {kEncoder, kDecoder}) config.models[name] = test::ModelFile(name);
    Make(std::move(kinds), config);
  }

  static constexpr char kEncoder[] = "moonshine-tiny-en-gpu/encoder.onnx";
  static constexpr char kDecoder[] = "moonshine-tiny-en-gpu/decoder.onnx";
  onnx::Device device_ = onnx::Device::kCuda;
};

class PartialsUnderAutoTest : public PartialsOnGpuTest {
 protected:
  PartialsUnderAutoTest() { device_ = onnx::Device::kAuto; }
};

TEST_F(PartialsOnGpuTest, PartialsAreHeardThereAndOnTheProcessorOnceItFails) {
  ASSERT_EQ(DeviceOf(*engine_, kDecoder), onnx::Device::kCuda);
  ASSERT_EQ(DeviceOf(*engine_, "moonshine-tiny-en/decoder.ort"), onnx::Device::kCpu);
  std::string text;
  const auto clip = Clip(1, text);
  engine::OptionsBuilder options;
  const engine::LaneId lane = Open(options.Text("language", "en").Number("partials", 1));
  const double before = Batches();
  Say(lane, clip, 16000);
  EXPECT_GT(Batches(), before);
  ASSERT_FALSE(Of(kHearPartial).empty());
  EXPECT_LT(test::ErrorRate(text, Of(kHearPartial).back().text), 0.4) << Of(kHearPartial).back().text;
  Quiet(lane, 2, 16000);

  cuda_.Fail("run CUDA error 700: an illegal memory access was encountered");
  events_.clear();
  Say(lane, clip, 16000);
  EXPECT_EQ(DeviceOf(*engine_, kDecoder), onnx::Device::kCpu);
  ASSERT_FALSE(Of(kHearPartial).empty());
  EXPECT_LT(test::ErrorRate(text, Of(kHearPartial).back().text), 0.4) << Of(kHearPartial).back().text;
  EXPECT_TRUE(closed_.empty());
  Quiet(lane, 2, 16000);
  Close(lane);
}

TEST_F(PartialsUnderAutoTest, AFormThatWasNotMeasuredStaysOnTheProcessor) {
  EXPECT_EQ(DeviceOf(*engine_, kDecoder), onnx::Device::kAuto) << "it was not opened";
}

}  // namespace
}  // namespace trunkline::hear
