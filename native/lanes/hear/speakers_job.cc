#include "lanes/hear/speakers_job.h"

#include <algorithm>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "dsp/dsp.h"
#include "engine/engine.h"
#include "speaker/speaker.h"

namespace trunkline::hear {
namespace {

constexpr size_t kMostSamples = 60 * speaker::kRate;
constexpr char kModel[] = "speaker-vector/embedder.onnx";
// A voice has three windows, 1.6 s; the next voice begins two windows later.
constexpr size_t kWindowsInVoice = 3;
constexpr size_t kWindowsApart = 2;
constexpr size_t kWindowsPerStep = 4;
constexpr double kWindowS = static_cast<double>(speaker::kWindowStride * speaker::kMelHop) / speaker::kRate;
constexpr int64_t kStepDeadline = 10 * 1000 * base::kNanosPerMilli;

class SpeakersJob final : public engine::Job {
 public:
  SpeakersJob(std::shared_ptr<const speaker::Embedder> embedder, base::ByteView input)
      : embedder_(std::move(embedder)) {
    std::vector<int16_t> pcm;
    dsp::FromWire(input, pcm);
    samples_.resize(pcm.size());
    dsp::ToFloat(pcm, samples_);
  }

  engine::Task::Step Step(engine::JobIo& io) override {
    io.Schedule(engine::Priority::kOffline, io.now() + kStepDeadline);
    if (windows_ == 0) {
      features_ = embedder_->Features(samples_);
      speaker::FillNarrowBand(features_);
      speaker::Embedder::Fill(features_);
      windows_ = speaker::Embedder::WindowsIn(features_);
      return engine::Task::Step::kAgain;
    }
    const size_t read = vectors_.size() / speaker::kVectorSize;
    if (read == windows_) return Answer(io);
    const size_t count = std::min(kWindowsPerStep, windows_ - read);
    const base::Status status = embedder_->Read(features_, read, count, io.run_options(), vectors_);
    if (!status.ok()) return io.End(status);
    io.Progress(static_cast<float>(read + count) / static_cast<float>(windows_));
    return engine::Task::Step::kAgain;
  }

 private:
  engine::Task::Step Answer(engine::JobIo& io) {
    const size_t last = windows_ < kWindowsInVoice ? 0 : windows_ - kWindowsInVoice;
    const size_t count = 1 + last / kWindowsApart;
    engine::Chunk chunk(4 + count * (2 + speaker::kVectorSize) * sizeof(float));
    base::ByteWriter writer(chunk);
    writer.Write(static_cast<uint32_t>(count));
    const double whole_s = static_cast<double>(samples_.size()) / speaker::kRate;
    for (size_t v = 0; v < count; ++v) {
      const size_t first = v * kWindowsApart;
      const size_t windows = std::min(kWindowsInVoice, windows_ - first);
      const double from = static_cast<double>(first) * kWindowS;
      writer.Write(static_cast<float>(from));
      writer.Write(static_cast<float>(std::min(whole_s, from + kWindowS * (kWindowsInVoice + 1))));
      const auto of_voice = std::span<const float>(vectors_).subspan(first * speaker::kVectorSize,
                                                                     windows * speaker::kVectorSize);
      for (const float x : speaker::MeanOf(of_voice)) writer.Write(x);
    }
    io.Emit(std::move(chunk));
    return io.End(base::Ok());
  }

  std::shared_ptr<const speaker::Embedder> embedder_;
  std::vector<float> samples_;
  std::vector<float> features_;
  std::vector<float> vectors_;
  size_t windows_ = 0;
};

class SpeakersKind final : public engine::JobKind {
 public:
  std::string name() const override { return "speakers"; }

  base::Status Prepare(engine::Services& services) override {
    TRUNKLINE_ASSIGN_OR_RETURN(auto session, services.OpenModel(kModel, {}, true));
    TRUNKLINE_ASSIGN_OR_RETURN(embedder_, speaker::Embedder::Create(std::move(session)));
    return base::Ok();
  }

  base::Result<std::unique_ptr<engine::Job>> Open(const engine::Options&,
                                                  std::vector<uint8_t> input) override {
    if (input.size() / 2 > kMostSamples) {
      return base::Status(base::Code::kInvalidArgument, "a stretch of speech is at most 60 s");
    }
    return std::unique_ptr<engine::Job>(std::make_unique<SpeakersJob>(embedder_, input));
  }

 private:
  std::shared_ptr<const speaker::Embedder> embedder_;
};

}  // namespace

std::shared_ptr<engine::JobKind> MakeSpeakersKind() {
  return std::make_shared<SpeakersKind>();
}

}  // namespace trunkline::hear
