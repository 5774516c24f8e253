#include "lanes/hear/speakers_job.h"

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "dsp/dsp.h"
#include "engine/engine.h"
#include "lanes/hear/voice_prints.h"
#include "speaker/speaker.h"

namespace trunkline::hear {
namespace {

constexpr size_t kMaxSpeakersSamples = 64 * speaker::kRate;

std::vector<float> SamplesOf(base::ByteView input) {
  std::vector<int16_t> pcm;
  dsp::FromWire(input, pcm);
  std::vector<float> samples(pcm.size());
  dsp::ToFloat(pcm, samples);
  return samples;
}

class SpeakersJob final : public engine::Job {
 public:
  // `folder`: of the encoder that the operator added; empty for the bundled one.
  SpeakersJob(engine::Services& services, speaker::DiarizationModels models, std::string folder,
              base::ByteView input)
      : services_(services),
        models_(std::move(models)),
        folder_(std::move(folder)),
        samples_(SamplesOf(input)) {}

  engine::Task::Step Step(engine::JobIo& io) override {
    io.Schedule(engine::Priority::kOffline, io.now() + engine::kOfflineStepNanos);
    if (!reader_) {
      if (const base::Status opened = OpenEncoder(); !opened.ok()) return io.End(opened);
      reader_.emplace(models_, std::move(samples_));
    }
    const auto done = reader_->Step(io.run_options());
    if (!done.ok()) return io.End(done.status());
    io.Progress(reader_->progress());
    return *done ? Answer(io) : engine::Task::Step::kAgain;
  }

 private:
  base::Status OpenEncoder() {
    if (folder_.empty()) return base::Ok();
    TRUNKLINE_ASSIGN_OR_RETURN(models_.embedding, OpenAddedEncoder(services_, folder_));
    return base::Ok();
  }

  engine::Task::Step Answer(engine::JobIo& io) {
    size_t bytes = 8;
    for (const auto& piece : reader_->pieces()) bytes += (4 + piece.vector.size()) * 4;
    engine::Chunk chunk(bytes);
    base::ByteWriter writer(chunk);
    writer.Write(static_cast<uint32_t>(reader_->narrow_band() ? 1 : 0));
    writer.Write(static_cast<uint32_t>(reader_->pieces().size()));
    for (const auto& piece : reader_->pieces()) {
      writer.Write(piece.start);
      writer.Write(piece.end);
      writer.Write(piece.alone);
      writer.Write(static_cast<uint32_t>(piece.vector.size()));
      for (const float x : piece.vector) writer.Write(x);
    }
    io.Emit(std::move(chunk));
    return io.End(base::Ok());
  }

  engine::Services& services_;
  speaker::DiarizationModels models_;
  const std::string folder_;
  std::vector<float> samples_;
  std::optional<speaker::Diarizer> reader_;
};

class SpeakersKind final : public engine::JobKind {
 public:
  std::string name() const override { return "speakers"; }

  base::Status Prepare(engine::Services& services) override {
    TRUNKLINE_ASSIGN_OR_RETURN(auto segmentation, services.OpenModel("speakers/segmentation.onnx"));
    TRUNKLINE_ASSIGN_OR_RETURN(models_.segmentation, speaker::Segmentation::Create(std::move(segmentation)));
    TRUNKLINE_ASSIGN_OR_RETURN(models_.embedding, OpenVoicePrints(services));
    services_ = &services;
    return base::Ok();
  }

  base::Result<std::unique_ptr<engine::Job>> Open(const engine::Options& options,
                                                  std::vector<uint8_t> input) override {
    if (input.size() / 2 > kMaxSpeakersSamples) {
      return base::Status(base::Code::kInvalidArgument, "a stretch of speech is at most 64 s");
    }
    return std::unique_ptr<engine::Job>(
        std::make_unique<SpeakersJob>(*services_, models_, std::string(options.Text("encoder")), input));
  }

 private:
  engine::Services* services_ = nullptr;  // the engine's, which outlives its jobs
  speaker::DiarizationModels models_;
};

}  // namespace

std::shared_ptr<engine::JobKind> MakeSpeakersKind() {
  return std::make_shared<SpeakersKind>();
}

}  // namespace trunkline::hear
