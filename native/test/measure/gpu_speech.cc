// Calls that speak at once with Kokoro: how soon their first audio comes, and how much speech is made.
//
//   measure_gpu_speech LIBRARY cuda|cuda-front|cpu MODELS CALLS SECONDS paced|full
//
// MODELS holds kokoro/: the processor's graphs and weights, vocab.json, phonemes.txt, and voice.f32 (the style, the pitch in
// hertz, and the means of the voice), and kokoro-gpu/: the forms for a GPU. `cuda` generates on the GPU, `cuda-front` also reads
// and decodes clauses there, `cpu` does all on the processor. With `paced`, each call begins an answer of one clause as
// often as it lasts, in a steady order, and its later windows are as urgent as a call's are; with `full`, each begins the next
// one at once. Prints one line of JSON.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/inference_pool.h"
#include "tts/kokoro.h"

namespace trunkline::test {
namespace {

constexpr int64_t kFirstAudioNanos = 150 * base::kNanosPerMilli, kNextNanos = 500 * base::kNanosPerMilli;
constexpr size_t kFirstFrames = 16, kNextFrames = 64;
constexpr size_t kStyleSize = 256;

struct Voice {
  std::vector<float> style, statistics;
  float center_hz = 0;
  std::vector<int64_t> tokens;
};

struct Spoken {
  std::mutex mutex;
  std::vector<double> first_ms;
  size_t samples = 0, ended = 0, failed = 0;
};

// It frees itself.
class AnswerTask final : public engine::Task {
 public:
  AnswerTask(const base::Clock& clock, const tts::Kokoro& kokoro, const Voice& voice, Spoken& spoken)
      : clock_(clock), kokoro_(kokoro), voice_(voice), spoken_(spoken), began_(clock.Now()) {
    Schedule(engine::Priority::kFirstAudio, began_ + kFirstAudioNanos);
  }

  Step Run() override {
    failed_ = !Advance().ok();
    if (failed_ || (stream_ != nullptr && stream_->done())) return Step::kDone;
    return stream_ != nullptr && stream_->pending() ? Step::kWaits : Step::kAgain;
  }
  void Wait(std::function<void()> resume) override {
    stream_->Submit({.live = true, .within_nanos = made_.empty() ? kFirstAudioNanos : kNextNanos},
                    std::move(resume));
  }
  void Finished() override {
    {
      const std::lock_guard lock(spoken_.mutex);
      spoken_.first_ms.push_back(first_ms_);
      spoken_.samples += made_.size();
      spoken_.failed += failed_ || cancelled();
      ++spoken_.ended;
    }
    delete this;
  }

 private:
  base::Status Advance() {
    if (stream_ == nullptr) {
      const tts::Prosody prosody = {1, 1, 1, voice_.center_hz, {}};
      TRUNKLINE_ASSIGN_OR_RETURN(auto clause, kokoro_.Read(voice_.tokens, voice_.style, prosody, nullptr));
      const size_t begins = clause->speech_begins();
      TRUNKLINE_ASSIGN_OR_RETURN(stream_, kokoro_.Generate(std::move(*clause), begins, voice_.statistics));
      return base::Ok();
    }
    TRUNKLINE_RETURN_IF_FAILED(stream_->Step(made_.empty() ? kFirstFrames : kNextFrames, nullptr, made_));
    if (first_ms_ == 0 && !made_.empty()) {
      first_ms_ = static_cast<double>(clock_.Now() - began_) / base::kNanosPerMilli;
      Schedule(engine::Priority::kAudio, clock_.Now() + kNextNanos);
    }
    return base::Ok();
  }

  const base::Clock& clock_;
  const tts::Kokoro& kokoro_;
  const Voice& voice_;
  Spoken& spoken_;
  const int64_t began_;
  std::unique_ptr<tts::KokoroStream> stream_;
  std::vector<float> made_;
  double first_ms_ = 0;
  bool failed_ = false;
};

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

base::Result<Voice> ReadVoice(const tts::Kokoro& kokoro, const std::string& folder) {
  const std::string bytes = ReadText(folder + "voice.f32");
  const size_t size = kStyleSize + 1 + kokoro.statistics_size();
  if (bytes.size() != size * sizeof(float))
    return base::Status(base::Code::kBadModel, folder + "voice.f32 has another length");
  std::vector<float> numbers(size);
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  Voice voice;
  voice.style.assign(numbers.begin(), numbers.begin() + kStyleSize);
  voice.center_hz = numbers[kStyleSize];
  voice.statistics.assign(numbers.begin() + kStyleSize + 1, numbers.end());
  voice.tokens = kokoro.Encode(ReadText(folder + "phonemes.txt"));
  return voice;
}

double Percentile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<size_t>(std::lround(share * static_cast<double>(sorted.size() - 1)))];
}

int Fail(const base::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

size_t Ended(Spoken& spoken) {
  const std::lock_guard lock(spoken.mutex);
  return spoken.ended;
}

int Measure(char** argv) {
  const std::string library = argv[1], models = std::string(argv[3]) + "/", how = argv[6];
  const std::string_view place = argv[2];
  const bool on_gpu = place.starts_with("cuda"), paced = how == "paced";
  const auto calls = static_cast<size_t>(std::atoi(argv[4]));
  const double seconds = std::atof(argv[5]);
  auto runtime = onnx::Runtime::Load({.library = library});
  if (!runtime.ok()) return Fail(runtime.status());
  const onnx::SessionOpener here = [&](const std::string& name, const onnx::SessionOptions& options) {
    return onnx::Session::Open(*runtime, models + name, options);
  };
  auto kokoro = tts::Kokoro::Load(here, {models + "kokoro/generator.bin", models + "kokoro/vocab.json"}, {});
  if (!kokoro.ok()) return Fail(kokoro.status());
  std::shared_ptr<tts::GeneratorDevice> device;
  if (on_gpu) {
    const onnx::SessionOpener there = [&](const std::string& name, onnx::SessionOptions options) {
      options.device = (*runtime)->has_cuda() ? onnx::Device::kCuda : onnx::Device::kCpu;
      return onnx::Session::Open(*runtime, models + name, options);
    };
    auto opened = tts::GeneratorDevice::Open(there, "kokoro-gpu/generator.onnx", *(*kokoro)->generator(), {});
    if (!opened.ok()) return Fail(opened.status());
    device = *opened;
    (*kokoro)->GenerateOn(device);
    if (place == "cuda-front") {
      auto front = tts::FrontDevice::Open(there, "kokoro-gpu/", {});
      if (!front.ok()) return Fail(front.status());
      (*kokoro)->ReadOn(*front);
    }
  }
  auto voice = ReadVoice(**kokoro, models + "kokoro/");
  if (!voice.ok()) return Fail(voice.status());

  base::SystemClock clock;
  Spoken spoken;
  const size_t cores = std::max(2u, std::thread::hardware_concurrency());
  size_t ordered = 0;
  const auto order = [&](engine::InferencePool& pool) {
    ++ordered;
    pool.Submit(*new AnswerTask(clock, **kokoro, *voice, spoken));
  };
  int64_t began = 0, ended = 0;
  {
    engine::InferencePool pool(clock, cores, 1024);
    // The first answer warms everything up, and says how long one lasts.
    order(pool);
    while (Ended(spoken) < ordered) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const double lasts = static_cast<double>(spoken.samples) / tts::kKokoroRate;
    if (spoken.failed > 0 || lasts == 0) return Fail(base::Status(base::Code::kInference, "no answer"));
    {
      const std::lock_guard lock(spoken.mutex);
      spoken.samples = spoken.ended = 0;
      spoken.first_ms.clear();
    }
    ordered = 0;
    began = clock.Now();
    const int64_t over = began + static_cast<int64_t>(seconds * 1e9);
    const auto apart = static_cast<int64_t>(lasts * 1e9 / static_cast<double>(calls));
    while (clock.Now() < over) {
      if (paced) {
        const int64_t due = began + static_cast<int64_t>(ordered) * apart;
        if (due > clock.Now()) std::this_thread::sleep_for(std::chrono::nanoseconds(due - clock.Now()));
        order(pool);
      } else {
        while (ordered - Ended(spoken) < calls) order(pool);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    }
    const int64_t enough = clock.Now() + 20'000 * base::kNanosPerMilli;
    while (Ended(spoken) < ordered && clock.Now() < enough)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ended = clock.Now();
  }
  std::sort(spoken.first_ms.begin(), spoken.first_ms.end());
  const onnx::DeviceStats stats = device == nullptr ? onnx::DeviceStats{} : device->stats();
  std::printf(
      "{\"calls\": %zu, \"place\": \"%s\", \"how\": \"%s\", \"answers\": %zu, \"failed\": %zu, "
      "\"first_audio_p50_ms\": %.1f, \"first_audio_p95_ms\": %.1f, \"speech_s_per_s\": %.2f, \"batches\": "
      "%llu, "
      "\"work_in_a_batch\": %.2f}\n",
      calls, argv[2], how.c_str(), ordered, spoken.failed, Percentile(spoken.first_ms, 0.5),
      Percentile(spoken.first_ms, 0.95),
      static_cast<double>(spoken.samples) / tts::kKokoroRate / (static_cast<double>(ended - began) * 1e-9),
      static_cast<unsigned long long>(stats.batches),
      stats.batches == 0 ? 0.0 : static_cast<double>(stats.works) / static_cast<double>(stats.batches));
  return device != nullptr && !device->serves() ? 1 : 0;
}

}  // namespace
}  // namespace trunkline::test

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr,
                 "usage: measure_gpu_speech LIBRARY cuda|cuda-front|cpu MODELS CALLS SECONDS paced|full\n");
    return 2;
  }
  return trunkline::test::Measure(argv);
}
