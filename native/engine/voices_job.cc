#include "engine/voices_job.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "asr/narrow_band.h"
#include "asr/voice_features.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "dsp/convert.h"
#include "engine/services.h"

namespace trunkline::engine {
namespace {

using asr::VoiceFeatures;

constexpr double kRate = 16000;
constexpr size_t kMostSamples = 60 * 16000;
constexpr char kModel[] = "speaker-vector/embedder.onnx";
// As the model was trained: 80 frames at a time, half of them again in the next.
constexpr size_t kFrames = 80;
constexpr size_t kStride = 40;
constexpr size_t kSize = 256;
// Three windows are 1.6 s; every second one begins a voice.
constexpr size_t kWindowsInVoice = 3;
constexpr size_t kWindowsApart = 2;
constexpr size_t kWindowsPerStep = 4;
constexpr int64_t kPatience = 10 * 1000 * base::kNanosPerMilli;

void Normalize(std::span<float> vector) {
  double sum = 0;
  for (const float x : vector) sum += static_cast<double>(x) * x;
  const auto scale = static_cast<float>(1.0 / (std::sqrt(sum) + 1e-12));
  for (float& x : vector) x *= scale;
}

struct VoiceModel {
  VoiceFeatures features;
  std::unique_ptr<onnx::Session> session;
};

class VoicesJob final : public Job {
 public:
  VoicesJob(std::shared_ptr<const VoiceModel> model, std::vector<uint8_t> input) : model_(std::move(model)) {
    std::vector<int16_t> pcm;
    dsp::FromWire(input, pcm);
    samples_.resize(pcm.size());
    dsp::ToFloat(pcm, samples_);
  }

  Task::Step Step(JobIo& io) override {
    io.Schedule(Priority::kOffline, io.now() + kPatience);
    if (windows_ == 0) {
      Prepare();
      return Task::Step::kAgain;
    }
    const size_t read = vectors_.size() / kSize;
    if (read == windows_) return Answer(io);
    const base::Status status = Read(read, std::min(kWindowsPerStep, windows_ - read), io.run_options());
    if (!status.ok()) return io.End(status);
    io.Progress(static_cast<float>(vectors_.size() / kSize) / static_cast<float>(windows_));
    return Task::Step::kAgain;
  }

 private:
  void Prepare() {
    features_ = model_->features.Compute(samples_);
    asr::FillNarrowBand(features_);
    const size_t frames = features_.size() / VoiceFeatures::kBands;
    // What is too short for one window is filled up with nothing.
    if (frames < kFrames) features_.resize(kFrames * VoiceFeatures::kBands, 0.0f);
    windows_ = 1 + (std::max(frames, kFrames) - kFrames) / kStride;
  }

  base::Status Read(size_t first, size_t count, const onnx::RunOptions* stop) {
    constexpr size_t kValues = kFrames * VoiceFeatures::kBands;
    std::vector<float> batch(count * kValues);
    for (size_t w = 0; w < count; ++w) {
      const size_t from = (first + w) * kStride * VoiceFeatures::kBands;
      std::copy_n(features_.begin() + static_cast<ptrdiff_t>(from), kValues,
                  batch.begin() + static_cast<ptrdiff_t>(w * kValues));
    }
    const int64_t shape[] = {static_cast<int64_t>(count), kFrames, VoiceFeatures::kBands};
    TRUNKLINE_ASSIGN_OR_RETURN(auto input,
                               onnx::Tensor::View<float>(model_->session->runtime(), batch, shape));
    const size_t filled = vectors_.size();
    vectors_.resize(filled + count * kSize);
    const int64_t out_shape[] = {static_cast<int64_t>(count), kSize};
    const auto room = std::span<float>(vectors_).subspan(filled);
    TRUNKLINE_ASSIGN_OR_RETURN(auto output,
                               onnx::Tensor::View<float>(model_->session->runtime(), room, out_shape));
    const onnx::Input inputs[] = {{"mel_window", &input}};
    const onnx::Output outputs[] = {{"embedding", &output}};
    TRUNKLINE_RETURN_IF_FAILED(model_->session->Run(inputs, outputs, stop));
    for (size_t w = 0; w < count; ++w) Normalize(room.subspan(w * kSize, kSize));
    return base::Ok();
  }

  Task::Step Answer(JobIo& io) {
    const size_t last = windows_ < kWindowsInVoice ? 0 : windows_ - kWindowsInVoice;
    const size_t count = 1 + last / kWindowsApart;
    Chunk chunk(4 + count * (2 + kSize) * sizeof(float));
    base::ByteWriter writer(chunk);
    writer.Write(static_cast<uint32_t>(count));
    const double window_s = kStride * VoiceFeatures::kHop / kRate;
    const double whole_s = static_cast<double>(samples_.size()) / kRate;
    for (size_t v = 0; v < count; ++v) {
      const size_t first = v * kWindowsApart;
      const size_t end = std::min(first + kWindowsInVoice, windows_);
      std::vector<float> mean(kSize, 0.0f);
      for (size_t w = first; w < end; ++w) {
        for (size_t i = 0; i < kSize; ++i) mean[i] += vectors_[w * kSize + i];
      }
      Normalize(mean);
      const double from = static_cast<double>(first) * window_s;
      writer.Write(static_cast<float>(from));
      writer.Write(static_cast<float>(std::min(whole_s, from + window_s * (kWindowsInVoice + 1))));
      for (const float x : mean) writer.Write(x);
    }
    io.Emit(std::move(chunk));
    return io.End(base::Ok());
  }

  std::shared_ptr<const VoiceModel> model_;
  std::vector<float> samples_;
  std::vector<float> features_;
  std::vector<float> vectors_;
  size_t windows_ = 0;
};

class VoicesKind final : public JobKind {
 public:
  std::string name() const override { return "voices"; }

  base::Status Prepare(Services& services) override {
    auto model = std::make_shared<VoiceModel>();
    TRUNKLINE_ASSIGN_OR_RETURN(model->session, services.OpenModel(kModel, {}, true));
    const char* const inputs[] = {"mel_window"};
    const char* const outputs[] = {"embedding"};
    TRUNKLINE_RETURN_IF_FAILED(model->session->Require(inputs, outputs));
    model_ = std::move(model);
    return base::Ok();
  }

  base::Result<std::unique_ptr<Job>> Open(const Options&, std::vector<uint8_t> input) override {
    if (input.size() / 2 > kMostSamples) {
      return base::Status(base::Code::kInvalidArgument, "a stretch of speech is at most 60 s");
    }
    return std::unique_ptr<Job>(std::make_unique<VoicesJob>(model_, std::move(input)));
  }

 private:
  std::shared_ptr<const VoiceModel> model_;
};

}  // namespace

std::shared_ptr<JobKind> MakeVoicesKind() {
  return std::make_shared<VoicesKind>();
}

}  // namespace trunkline::engine
