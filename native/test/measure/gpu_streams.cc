// Live streams at once on a GPU: how long their finals take, and what shares a batch.
//
//   measure_gpu_streams LIBRARY cuda|cpu MODELS STREAMS SECONDS RECORDING.wav…
//
// MODELS holds whisper/ (the processor's form, with tokens and settings) and whisper-device/. Each stream ends an utterance
// every 3.5 s, in a steady order, as a caller who speaks continuously; the pool decodes them as it does in a server. With
// `cpu`, windows stay on the processor's form. Prints one line of JSON.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "asr/asr.h"
#include "engine/inference_pool.h"
#include "lanes/hear/recognizer.h"
#include "test/support/speech.h"

namespace trunkline::test {
namespace {

constexpr int64_t kUtteranceNanos = 3500 * base::kNanosPerMilli;

struct Latencies {
  std::mutex mutex;
  std::vector<double> ms;
  size_t failed = 0;
};

// It frees itself.
class FinalTask final : public engine::Task {
 public:
  FinalTask(const base::Clock& clock, hear::Recognizer& recognizer, std::span<const float> samples,
            Latencies& latencies)
      : clock_(clock), recognizer_(recognizer), latencies_(latencies), began_(clock.Now()) {
    transcriber_ = recognizer.Take();
    asr::TranscribeOptions options;
    options.language = asr::Language::kEn;
    options.width = 5;
    options.retries = 1;
    options.marks = true;
    transcriber_->Begin(samples, {}, options);
    Schedule(engine::Priority::kTurnTaking, began_ + 120 * base::kNanosPerMilli);
  }

  Step Run() override {
    const auto done = transcriber_->Step();
    failed_ = !done.ok();
    if (failed_ || *done) return Step::kDone;
    return transcriber_->pending() ? Step::kWaits : Step::kAgain;
  }
  void Wait(std::function<void()> resume) override { transcriber_->Submit(std::move(resume)); }
  void Finished() override {
    const double ms = static_cast<double>(clock_.Now() - began_) / base::kNanosPerMilli;
    recognizer_.Give(std::move(transcriber_));
    {
      const std::lock_guard lock(latencies_.mutex);
      latencies_.ms.push_back(ms);
      latencies_.failed += failed_ || cancelled();
    }
    delete this;
  }

 private:
  const base::Clock& clock_;
  hear::Recognizer& recognizer_;
  Latencies& latencies_;
  const int64_t began_;
  std::unique_ptr<asr::Transcriber> transcriber_;
  bool failed_ = false;
};

double Percentile(std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<size_t>(std::lround(share * static_cast<double>(sorted.size() - 1)))];
}

int Fail(const base::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

int Measure(int argc, char** argv) {
  const std::string library = argv[1], place = argv[2], models = argv[3];
  const auto streams = static_cast<size_t>(std::atoi(argv[4]));
  const auto seconds = std::atof(argv[5]);
  std::vector<std::vector<float>> clips;
  for (int i = 6; i < argc; ++i) {
    clips.push_back(Resampled(ReadWav(argv[i]), 16000));
    clips.back().resize(std::min<size_t>(clips.back().size(), 3 * 16000));
  }
  auto runtime = onnx::Runtime::Load({.library = library});
  if (!runtime.ok()) return Fail(runtime.status());
  auto model = asr::WhisperModel::OpenFolder(*runtime, models + "/whisper", {});
  if (!model.ok()) return Fail(model.status());
  std::shared_ptr<asr::RecognizerDevice> device;
  if (place == "cuda") {
    const onnx::SessionOpener open = [&](const std::string& name, onnx::SessionOptions options) {
      options.device = (*runtime)->has_cuda() ? onnx::Device::kCuda : onnx::Device::kCpu;
      return onnx::Session::Open(*runtime, models + "/" + name, options);
    };
    auto opened =
        asr::RecognizerDevice::Open(open, "whisper-device/", asr::ShapeOf((*model)->settings()), {});
    if (!opened.ok()) return Fail(opened.status());
    device = *opened;
  }
  hear::Recognizer recognizer(*model, "", device);
  base::SystemClock clock;
  Latencies latencies;
  const size_t cores = std::max(2u, std::thread::hardware_concurrency());
  size_t ordered = 0;
  const int64_t began = clock.Now();
  {
    engine::InferencePool pool(clock, cores, 1024);
    const auto total = static_cast<size_t>(seconds * 1e9 * static_cast<double>(streams) / kUtteranceNanos);
    for (; ordered < total; ++ordered) {
      const auto due =
          began + static_cast<int64_t>(ordered) * kUtteranceNanos / static_cast<int64_t>(streams);
      std::this_thread::sleep_for(std::chrono::nanoseconds(std::max<int64_t>(0, due - clock.Now())));
      pool.Submit(*new FinalTask(clock, recognizer, clips[ordered % clips.size()], latencies));
    }
    const int64_t enough = clock.Now() + 10'000 * base::kNanosPerMilli;
    for (bool over = false; !over && clock.Now() < enough;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      const std::lock_guard lock(latencies.mutex);
      over = latencies.ms.size() == ordered;
    }
  }
  std::sort(latencies.ms.begin(), latencies.ms.end());
  const onnx::DeviceStats stats = device == nullptr ? onnx::DeviceStats{} : device->stats();
  std::printf(
      "{\"streams\": %zu, \"place\": \"%s\", \"finals\": %zu, \"failed\": %zu, \"p50_ms\": %.1f, \"p99_ms\": "
      "%.1f, "
      "\"batches\": %llu, \"work_in_a_batch\": %.2f}\n",
      streams, place.c_str(), ordered, latencies.failed, Percentile(latencies.ms, 0.5),
      Percentile(latencies.ms, 0.99), static_cast<unsigned long long>(stats.batches),
      stats.batches == 0 ? 0.0 : static_cast<double>(stats.works) / static_cast<double>(stats.batches));
  return device != nullptr && !device->serves() ? 1 : 0;
}

}  // namespace
}  // namespace trunkline::test

int main(int argc, char** argv) {
  if (argc < 7) {
    std::fprintf(stderr,
                 "usage: measure_gpu_streams LIBRARY cuda|cpu MODELS STREAMS SECONDS RECORDING.wav…\n");
    return 2;
  }
  return trunkline::test::Measure(argc, argv);
}
