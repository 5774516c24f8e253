#include "lanes/hear/open_recognizer_job.h"

#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "dsp/dsp.h"
#include "lanes/hear/cost.h"
#include "lanes/hear/models.h"

namespace trunkline::hear {
namespace {

class OpenRecognizerJob final : public engine::Job {
 public:
  OpenRecognizerJob(std::shared_ptr<HearModels> models, engine::Services& services,
                    const engine::Options& options, std::vector<uint8_t> sound)
      : models_(std::move(models)),
        services_(services),
        folder_(options.Text("recognizer")),
        quick_(options.Text("quick")),
        sound_(std::move(sound)),
        closes_(options.Has("keep")) {
    options.EachText("keep", [&](std::string_view folder) { keep_.emplace_back(folder); });
  }

  engine::Task::Step Step(engine::JobIo& io) override {
    if (closes_) models_->CloseRecognizersBut(keep_, services_);
    if (!quick_.empty()) return io.End(OpenQuick(io));
    if (folder_.empty()) {
      io.Emit({});
      return io.End(base::Ok());
    }
    auto opened = models_->OpenRecognizer(folder_, services_);
    if (!opened.ok()) return io.End(opened.status());
    Recognizer& recognizer = **opened;
    if (recognizer.final_seconds() == 0) {
      const auto seconds = FinalSeconds(recognizer);
      if (!seconds.ok()) return io.End(seconds.status());
      recognizer.SetFinalSeconds(*seconds);
      const auto on_gpu = GpuFinalSeconds(recognizer);
      if (!on_gpu.ok()) return io.End(on_gpu.status());
      recognizer.SetGpuFinalSeconds(*on_gpu);
    }
    const asr::WhisperSettings& settings = recognizer.whisper()->settings();
    engine::Chunk chunk(8 + 6 * 4);
    base::ByteWriter writer(chunk);
    writer.Write(recognizer.final_seconds());
    for (const int64_t number : {settings.bands, settings.layers, settings.heads, settings.width,
                                 settings.vocabulary, settings.english_only}) {
      writer.Write(static_cast<uint32_t>(number));
    }
    io.Emit(std::move(chunk));
    return io.End(base::Ok());
  }

 private:
  base::Status OpenQuick(engine::JobIo& io) const {
    TRUNKLINE_ASSIGN_OR_RETURN(const auto quick, models_->OpenQuick(quick_));
    if (quick->partial_seconds() == 0) {
      TRUNKLINE_ASSIGN_OR_RETURN(const double seconds, PartialSeconds(*quick));
      quick->SetPartialSeconds(seconds);
    }
    asr::MoonshinePass pass(quick->moonshine());
    std::vector<int16_t> wire;
    dsp::FromWire(sound_, wire);
    std::vector<float> samples(wire.size());
    dsp::ToFloat(wire, samples);
    pass.Begin(samples, {});
    for (bool done = false; !done;) {
      TRUNKLINE_ASSIGN_OR_RETURN(done, pass.Step());
    }
    const std::string text = quick->moonshine()->tokens().Decode(pass.tokens());
    const asr::MoonshineShape& shape = quick->moonshine()->shape();
    engine::Chunk chunk(8 + 4 * 4 + text.size());
    base::ByteWriter writer(chunk);
    writer.Write(quick->partial_seconds());
    for (const int64_t number : {shape.layers, shape.heads, shape.width, shape.vocabulary}) {
      writer.Write(static_cast<uint32_t>(number));
    }
    writer.WriteBytes(base::AsBytes(text));
    io.Emit(std::move(chunk));
    return base::Ok();
  }

  const std::shared_ptr<HearModels> models_;
  engine::Services& services_;
  const std::string folder_, quick_;
  const std::vector<uint8_t> sound_;
  const bool closes_;
  std::vector<std::string> keep_;
};

class OpenRecognizerKind final : public engine::JobKind {
 public:
  std::string name() const override { return "open_recognizer"; }

  base::Status Prepare(engine::Services& services) override {
    TRUNKLINE_ASSIGN_OR_RETURN(models_, HearModels::Open(services));
    services_ = &services;
    return base::Ok();
  }

  base::Result<std::unique_ptr<engine::Job>> Open(const engine::Options& options,
                                                  std::vector<uint8_t> sound) override {
    return std::unique_ptr<engine::Job>(
        std::make_unique<OpenRecognizerJob>(models_, *services_, options, std::move(sound)));
  }

 private:
  std::shared_ptr<HearModels> models_;
  engine::Services* services_ = nullptr;  // the engine's, which outlives its jobs
};

}  // namespace

std::shared_ptr<engine::JobKind> MakeOpenRecognizerKind() {
  return std::make_shared<OpenRecognizerKind>();
}

}  // namespace trunkline::hear
