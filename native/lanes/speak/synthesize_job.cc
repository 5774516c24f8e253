#include "lanes/speak/synthesize_job.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "dsp/watermark/watermark.h"
#include "engine/engine.h"
#include "tts/tts.h"

namespace trunkline::speak {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr size_t kLongestText = 64 * 1024;
constexpr int64_t kFirstSoundNanos = 300 * base::kNanosPerMilli;
// A window computed this far ahead of playback is not urgent.
constexpr int64_t kAheadNanos = 10'000 * base::kNanosPerMilli;

float InRange(const engine::Options& options, std::string_view name, float otherwise, float low, float high) {
  const auto value = static_cast<float>(options.Number(name, static_cast<double>(otherwise)));
  return std::isfinite(value) ? std::clamp(value, low, high) : otherwise;
}

// A Kokoro that the operator added makes a clause in one step of seconds, its learning included. As first audio such steps
// would take every thread of the pool, and each call would wait for them.
bool IsOffline(const engine::Options& options) {
  return options.Flag("offline") || (options.Text("model") == "kokoro" && !options.Text("folder").empty());
}

class SynthesizeJob final : public engine::Job {
 public:
  SynthesizeJob(std::unique_ptr<tts::Synthesis> synthesis, std::unique_ptr<tts::WireEncoder> encoder,
                std::unique_ptr<watermark::WatermarkEmbedder> embedder, bool offline)
      : synthesis_(std::move(synthesis)),
        encoder_(std::move(encoder)),
        embedder_(std::move(embedder)),
        offline_(offline) {}

  engine::Task::Step Step(engine::JobIo& io) override {
    if (synthesis_->done()) return io.End(base::Ok());
    std::vector<float> samples;
    const Status status = synthesis_->Step(io.run_options(), samples);
    if (!status.ok()) return io.End(status);
    const bool done = synthesis_->done();
    if (!samples.empty() || done) {
      engine::Chunk chunk;
      if (embedder_) embedder_->Process(samples);
      encoder_->Add(samples, chunk);
      if (done) encoder_->Finish(chunk);
      if (started_ == 0 && !chunk.empty()) started_ = io.now();
      given_ += samples.size();
      if (!chunk.empty()) io.Emit(std::move(chunk));
    }
    if (done) return io.End(base::Ok());
    Plan(io);
    return synthesis_->pending() ? engine::Task::Step::kWaits : engine::Task::Step::kAgain;
  }

  void Wait(std::function<void()> resume) override { synthesis_->Submit(urgency_, std::move(resume)); }

 private:
  void Plan(engine::JobIo& io) {
    if (offline_) return Schedule(io, engine::Priority::kOffline, io.now() + kAheadNanos);
    if (started_ == 0) {
      if (opened_ == 0) opened_ = io.now();
      Schedule(io, engine::Priority::kFirstAudio, opened_ + kFirstSoundNanos);
      return;
    }
    int64_t played_out = started_ + static_cast<int64_t>(given_) * 1'000'000'000 / synthesis_->rate();
    // A stream that ran out of audio restarts its clock, so that one delay does not make all later windows
    // late.
    if (played_out < io.now()) {
      started_ += io.now() - played_out;
      played_out = io.now();
    }
    const bool ahead = played_out - io.now() > kAheadNanos;
    Schedule(io, ahead ? engine::Priority::kOffline : engine::Priority::kAudio, played_out);
  }

  // The same urgency holds on the pool and on the GPU.
  void Schedule(engine::JobIo& io, engine::Priority priority, int64_t deadline) {
    io.Schedule(priority, deadline);
    urgency_ = {priority != engine::Priority::kOffline, std::max<int64_t>(0, deadline - io.now())};
  }

  std::unique_ptr<tts::Synthesis> synthesis_;
  std::unique_ptr<tts::WireEncoder> encoder_;
  std::unique_ptr<watermark::WatermarkEmbedder> embedder_;
  const bool offline_;
  int64_t opened_ = 0, started_ = 0;
  size_t given_ = 0;
  onnx::DeviceWork::Urgency urgency_;
};

class SynthesizeKind final : public engine::JobKind {
 public:
  std::string name() const override { return "synthesize"; }
  size_t chunk_limit() const override { return 64; }
  engine::Priority priority(const engine::Options& options) const override {
    return IsOffline(options) ? engine::Priority::kOffline : engine::Priority::kFirstAudio;
  }

  Status Prepare(engine::Services& services) override {
    TRUNKLINE_ASSIGN_OR_RETURN(models_, SpeechService::Open(services));
    return base::Ok();
  }

  Result<std::unique_ptr<engine::Job>> Open(const engine::Options& options,
                                            std::vector<uint8_t> input) override {
    if (input.size() > kLongestText) return Status(Code::kInvalidArgument, "a text is at most 64 KiB");
    TRUNKLINE_ASSIGN_OR_RETURN(auto voice, ReadVoice(options));
    tts::SynthesisOptions how;
    how.seed = static_cast<uint64_t>(options.Integer("seed", 0, INT64_MIN, INT64_MAX));
    how.whole = options.Flag("whole");
    how.openings = options.Integer("openings", 1, 0, 1) == 1;
    if (options.Has("window")) {
      how.first_window = how.largest_window = static_cast<size_t>(options.Integer("window", 64, 8, 100'000));
    }
    TRUNKLINE_ASSIGN_OR_RETURN(auto synthesis,
                               tts::Synthesis::Open(models_, std::move(voice), base::AsText(input), how));
    tts::WireFormat format;
    if (!tts::ParseWireFormat(options.Text("format"), format))
      return Status(Code::kInvalidArgument, "format: expected pcm16, ulaw or alaw");
    const auto rate = static_cast<int>(options.Integer("rate", tts::kKokoroRate, 8000, 48000));
    auto encoder = tts::WireEncoder::Create(synthesis->rate(), rate, format);
    if (encoder == nullptr) return Status(Code::kInvalidArgument, "rate: not supported");
    TRUNKLINE_ASSIGN_OR_RETURN(auto embedder, OpenEmbedder(options.Text("mark"), synthesis->rate()));
    return std::unique_ptr<engine::Job>(std::make_unique<SynthesizeJob>(
        std::move(synthesis), std::move(encoder), std::move(embedder), IsOffline(options)));
  }

 private:
  std::shared_ptr<tts::SpeechModels> models_;
};

constexpr char kMandarin[] = "mandarin/mandarin.bin", kJapanese[] = "japanese/japanese.bin";

Result<tts::SpeechFiles> Files(const engine::Services& services) {
  tts::SpeechFiles files;
  TRUNKLINE_ASSIGN_OR_RETURN(files.kokoro.generator, services.model("kokoro/generator.bin"));
  TRUNKLINE_ASSIGN_OR_RETURN(files.kokoro.vocabulary, services.model("kokoro/vocab.json"));
  TRUNKLINE_ASSIGN_OR_RETURN(const std::string style, services.model("kokoro/voices/af_heart.bin"));
  files.styles = style.substr(0, style.rfind('/'));
  TRUNKLINE_ASSIGN_OR_RETURN(files.piper.decoder, services.model("piper-joe/joe-decoder.onnx"));
  TRUNKLINE_ASSIGN_OR_RETURN(files.piper.table, services.model("piper-joe/joe.json"));
  TRUNKLINE_ASSIGN_OR_RETURN(files.hibari, services.model("hibari/hibari.onnx"));
  TRUNKLINE_ASSIGN_OR_RETURN(const std::string library, services.model("espeak-ng/libespeak-ng.so.1"));
  files.phonemes = {services.setting("speak.phonemes_program"), library,
                    library.substr(0, library.rfind('/')), 3000};
  // Voices of other languages speak without these.
  if (services.config().models.contains(kMandarin)) {
    TRUNKLINE_ASSIGN_OR_RETURN(files.mandarin, services.model(kMandarin));
  }
  if (services.config().models.contains(kJapanese)) {
    TRUNKLINE_ASSIGN_OR_RETURN(files.japanese, services.model(kJapanese));
  }
  files.calibrations = services.setting("speak.calibrations");
  files.known_voices = services.setting("speak.known_voices");
  return files;
}

constexpr char kGpuForms[] = "kokoro-gpu/", kGpuGenerator[] = "kokoro-gpu/generator.onnx";

std::shared_ptr<tts::GeneratorDevice> OpenDevice(engine::Services& services, const onnx::SessionOpener& open,
                                                 const tts::GeneratorWeights& weights) {
  tts::GeneratorDeviceSettings settings;
  settings.scheduler = services.scheduler_settings();
  return services.OpenGpuForm<tts::GeneratorDevice>(
      open, kGpuGenerator, [&](const onnx::SessionOpener& on_gpu) {
        return tts::GeneratorDevice::Open(on_gpu, kGpuGenerator, weights, settings);
      });
}

std::shared_ptr<tts::FrontDevice> OpenFront(engine::Services& services, const onnx::SessionOpener& open) {
  return services.OpenGpuForm<tts::FrontDevice>(
      open, std::string(kGpuForms) + "prosody.onnx", [&](const onnx::SessionOpener& on_gpu) {
        return tts::FrontDevice::Open(on_gpu, kGpuForms, {services.scheduler_settings()});
      });
}

}  // namespace

Result<std::shared_ptr<tts::SpeechModels>> SpeechService::Open(engine::Services& services) {
  static std::mutex mutex;
  struct Opened {
    std::weak_ptr<tts::SpeechModels> models;
    std::vector<std::shared_ptr<onnx::Placement>> placements;
  };
  static std::map<std::string, Opened> opened;
  const std::lock_guard lock(mutex);
  TRUNKLINE_ASSIGN_OR_RETURN(const auto files, Files(services));
  const std::string key = files.kokoro.generator + "|" + files.calibrations + "|" + files.phonemes.program +
                          "|" + services.config().library + "|" +
                          std::string(onnx::DeviceName(services.config().device)) +
                          (services.config().models.contains(kGpuGenerator) ? "|gpu" : "");
  Opened& entry = opened[key];
  if (auto known = entry.models.lock()) {
    services.Share(entry.placements);
    return known;
  }
  entry.placements.clear();
  const onnx::SessionOpener opener = [&](const std::string& name, const onnx::SessionOptions& options) {
    auto session = services.OpenModel(name, options);
    if (session.ok()) entry.placements.push_back((*session)->placement());
    return session;
  };
  onnx::SessionOptions options;
  options.threads = Threads(services);
  TRUNKLINE_ASSIGN_OR_RETURN(auto models, tts::SpeechModels::Load(opener, files, options));
  models->GenerateOn(OpenDevice(services, opener, *models->kokoro().generator()));
  models->ReadOn(OpenFront(services, opener));
  entry.models = models;
  return models;
}

int SpeechService::Threads(const engine::Services& services) {
  const int asked = std::atoi(services.setting("speak.threads").c_str());
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return asked > 0 ? std::min(asked, 64) : std::min(2, cores);
}

Result<std::unique_ptr<watermark::WatermarkEmbedder>> OpenEmbedder(std::string_view code, int rate) {
  std::unique_ptr<watermark::WatermarkEmbedder> none;
  if (code.empty()) return none;
  watermark::WatermarkCode read;
  if (!watermark::ParseWatermarkCode(code, read))
    return Status(Code::kInvalidArgument, "the watermark's code: expected 32 hexadecimal digits");
  return std::make_unique<watermark::WatermarkEmbedder>(read, rate);
}

Result<tts::VoiceSpec> ReadVoice(const engine::Options& options) {
  tts::VoiceSpec voice;
  const std::string_view model = options.Text("model");
  if (model == "piper") {
    voice.model = tts::VoiceModel::kPiper;
  } else if (model == "hibari") {
    voice.model = tts::VoiceModel::kHibari;
  } else if (model != "kokoro") {
    return Status(Code::kInvalidArgument, "model: expected kokoro, piper or hibari");
  }
  voice.folder = std::string(options.Text("folder"));
  if (voice.is_added()) {
    if (voice.model == tts::VoiceModel::kHibari)
      return Status(Code::kInvalidArgument, "folder: only voices of Piper and Kokoro have one");
    voice.rate = static_cast<int>(options.Integer("voice_rate", tts::kPiperRate, 8000, 48000));
    voice.speaker = static_cast<int>(options.Integer("speaker", 0, 0, 100'000));
  }
  if (!text::ParseLang(options.Text("language"), voice.lang)) {
    if (!voice.is_added()) return Status(Code::kInvalidArgument, "language: not supported");
    voice.lang = text::Lang::kOther;
  }
  voice.accent = std::string(options.Text("accent"));
  options.EachText("styles", [&voice](std::string_view part) {
    const size_t colon = part.find(':');
    tts::StylePart style{std::string(part.substr(0, colon)), 1};
    if (colon != std::string_view::npos) {
      style.share =
          std::clamp(std::strtof(std::string(part.substr(colon + 1)).c_str(), nullptr), -2.0F, 2.0F);
    }
    voice.styles.push_back(std::move(style));
  });
  voice.speed = InRange(options, "speed", 1, 0.4F, 2.5F);
  voice.pitch = InRange(options, "pitch", 1, 0.5F, 2);
  voice.range = InRange(options, "range", 1, 0.1F, 3);
  voice.gain_db = InRange(options, "gain", 0, -20, 10);
  voice.tilt_db = InRange(options, "tilt", 0, -18, 18);
  return voice;
}

std::shared_ptr<engine::JobKind> MakeSynthesizeKind() {
  return std::make_shared<SynthesizeKind>();
}

}  // namespace trunkline::speak
