#include "lanes/speak/fit_voice_job.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/clock.h"
#include "engine/engine.h"
#include "lanes/speak/synthesize_job.h"
#include "speaker/speaker.h"
#include "tts/tts.h"
#include "vad/vad.h"

namespace trunkline::speak {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr size_t kMaxBytes = 600UL * speaker::kRate * 2;
// A whole sentence in the generator's widest layers (60 MB), and ten minutes of audio.
constexpr size_t kMemory = size_t{128} << 20;
// Styles of men are tried below this pitch; the styles' names say which they are.
constexpr float kLowVoiceHz = 160;

// The second letter of a name, such as "am_adam" or "bf_emma".
bool IsLowStyle(const std::string& name) {
  return name.size() > 1 && name[1] == 'm';
}

// Setup stores each version of a model's files in its own folder.
std::string VersionOf(const std::string& file) {
  return std::filesystem::path(file).parent_path().filename().string();
}

static_assert(tts::kHeardFrame == vad::FrameSamples(vad::VadRate::k16k));

struct FitModels {
  std::shared_ptr<onnx::Session> activity;
  std::shared_ptr<tts::SpeechModels> speech;
  std::shared_ptr<speaker::Embedder> speakers;
  std::shared_ptr<tts::StyleProfiles> profiles;
};

class FitVoiceJob final : public engine::Job {
 public:
  FitVoiceJob(FitModels models, tts::VoiceSpec voice, bool measures, const std::vector<uint8_t>& input)
      : models_(std::move(models)), voice_(std::move(voice)), measures_(measures) {
    samples_.resize(input.size() / 2);
    for (size_t i = 0; i < samples_.size(); ++i) {
      int16_t value;
      std::memcpy(&value, input.data() + i * 2, 2);
      samples_[i] = static_cast<float>(value) / 32768.0F;
    }
  }

  engine::Task::Step Step(engine::JobIo& io) override {
    io.Schedule(engine::Priority::kOffline, io.now() + engine::kOfflineStepNanos);
    if (reader_ == nullptr) return Listen(io);
    if (fit_ == nullptr) return Read(io);
    auto done = fit_->Step(io.run_options());
    if (!done.ok()) return io.End(done.status());
    io.Progress(fit_->progress());
    return *done ? Answer(io) : engine::Task::Step::kAgain;
  }

 private:
  engine::Task::Step Listen(engine::JobIo& io) {
    if (!activity_) activity_.emplace(models_.activity, samples_);
    const auto done = activity_->Step();
    if (!done.ok()) return io.End(done.status());
    if (!*done) return engine::Task::Step::kAgain;
    reader_ = std::make_unique<tts::SampleReader>(samples_, activity_->likelihoods());
    activity_.reset();
    samples_ = {};
    return engine::Task::Step::kAgain;
  }

  engine::Task::Step Read(engine::JobIo& io) {
    auto done = reader_->Step(*models_.speakers, io.run_options());
    if (!done.ok()) return io.End(done.status());
    if (!*done) return engine::Task::Step::kAgain;
    const tts::VoiceSample& sample = reader_->sample();
    if (measures_ || sample.verdict != tts::SampleVerdict::kGood) return Answer(io);
    std::vector<std::string> styles;
    const bool low = sample.pitch_hz > 0 && sample.pitch_hz < kLowVoiceHz;
    for (const tts::StylePart& part : voice_.styles) {
      if (IsLowStyle(part.name) == low) styles.push_back(part.name);
    }
    if (styles.empty()) return io.End(Status(Code::kInvalidArgument, "styles: expected at least one"));
    fit_ = std::make_unique<tts::VoiceFit>(models_.speech, models_.speakers, models_.profiles, voice_,
                                           std::move(styles), sample);
    return engine::Task::Step::kAgain;
  }

  engine::Task::Step Answer(engine::JobIo& io) {
    const tts::VoiceSample& sample = reader_->sample();
    std::string text = "verdict " + std::string(tts::SampleVerdictName(sample.verdict)) + "\n";
    const auto line = [&text](const char* name, float value) {
      char number[64];
      std::snprintf(number, sizeof number, "%s %.6f\n", name, static_cast<double>(value));
      text += number;
    };
    line("speech_seconds", sample.speech_seconds);
    line("snr_db", sample.snr_db);
    line("pitch_hz", sample.pitch_hz);
    if (fit_ != nullptr) {
      line("similarity", fit_->best().similarity);
      line("spectrum_db", fit_->best().spectrum_db);
      line("pitch", fit_->best().pitch);
      line("tilt", fit_->best().tilt_db);
      for (const tts::StylePart& part : fit_->best().styles) line(("style " + part.name).c_str(), part.share);
    }
    io.Emit(engine::Chunk(text.begin(), text.end()));
    return io.End(base::Ok());
  }

  FitModels models_;
  tts::VoiceSpec voice_;
  const bool measures_;
  std::vector<float> samples_;
  std::optional<vad::RecordingActivity> activity_;
  std::unique_ptr<tts::SampleReader> reader_;
  std::unique_ptr<tts::VoiceFit> fit_;
};

class FitVoiceKind final : public engine::JobKind {
 public:
  std::string name() const override { return "fit_voice"; }
  size_t memory() const override { return kMemory; }

  Status Prepare(engine::Services& services) override {
    TRUNKLINE_ASSIGN_OR_RETURN(models_.speech, SpeechService::Open(services));
    TRUNKLINE_ASSIGN_OR_RETURN(models_.activity, vad::Silero::OpenModel(services.opener()));
    TRUNKLINE_ASSIGN_OR_RETURN(const std::string model, services.model("speaker-vector/embedder.onnx"));
    TRUNKLINE_ASSIGN_OR_RETURN(models_.speakers, speaker::Embedder::Open(services.opener()));
    TRUNKLINE_ASSIGN_OR_RETURN(const std::string speech, services.model("kokoro/prosody.onnx"));
    models_.profiles = std::make_shared<tts::StyleProfiles>(services.setting("speak.calibrations"),
                                                            VersionOf(speech) + "|" + VersionOf(model),
                                                            models_.speech->known_voices());
    return base::Ok();
  }

  Result<std::unique_ptr<engine::Job>> Open(const engine::Options& options,
                                            std::vector<uint8_t> input) override {
    if (input.size() > kMaxBytes) return Status(Code::kInvalidArgument, "a recording is at most 600 s");
    TRUNKLINE_ASSIGN_OR_RETURN(auto voice, ReadVoice(options));
    return std::unique_ptr<engine::Job>(
        std::make_unique<FitVoiceJob>(models_, std::move(voice), options.Flag("measure"), input));
  }

 private:
  FitModels models_;
};

}  // namespace

std::shared_ptr<engine::JobKind> MakeFitVoiceKind() {
  return std::make_shared<FitVoiceKind>();
}

}  // namespace trunkline::speak
