#include "lanes/omni/lane.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lanes/denoise/denoise.h"
#include "lanes/hear/hear.h"
#include "lanes/omni/agent_side.h"
#include "lanes/omni/caller_side.h"
#include "lanes/omni/event_writer.h"
#include "lanes/omni/hold_music_detector.h"
#include "lanes/omni/key_detector.h"
#include "lanes/omni/media_time.h"
#include "lanes/omni/models.h"
#include "lanes/omni/recording.h"
#include "lanes/speak/speak.h"

namespace trunkline::omni {
namespace {

// Admission cost in thousandths of a core, for a call whose agent speaks half of the time, with a Kokoro voice,
// a Piper voice and hibari's: measured by how many run at once on two cores (docs/lab/processors.md).
constexpr uint32_t kCost = 400, kPiperCost = 200, kHibariCost = 200;
// The share of the time in which the agent speaks.
constexpr double kAgentSpeaks = 0.5;
// A GPU takes no more off a call's cost than the goal for 200 calls on 16 cores needs (docs/guides/gpu.md).
constexpr int64_t kLeastCost = 60;
// No call is opened while the first window of an answer, which has 150 ms, would wait longer for the GPU.
constexpr int64_t kMaxGpuWait = 90 * base::kNanosPerMilli;
// The speaker lock computes a vector of 2.5 s, which takes 100 ms, for an utterance every five seconds.
constexpr uint32_t kLockCost = 20;
constexpr uint32_t kDenoisingCost = 25;  // docs/decisions/152-denoising-for-listeners.md
// A burst is taken half a second at a time, so that no other call waits for it.
constexpr size_t kTakenASecond = 2;

struct OmniOptions {
  hear::HearOptions hear;
  BargeInOptions barge;
  bool lock = false;  // speech of others than the caller is left out
  WireCodec codec = WireCodec::kPcm16;
  VoiceStart voice;
  bool keys = false;      // whether DTMF is detected in the caller's audio
  std::string recording;  // the path; empty: the call is not recorded
  // It takes the noise out of the caller's side of the recording; null: that side is as it came.
  std::unique_ptr<enhance::Denoiser> denoiser;
};

BargeInOptions ReadBargeIn(const engine::Options& options) {
  if (options.Has("barge_dbfs")) return BargeInGate(static_cast<float>(options.Number("barge_dbfs", -42)));
  const std::string_view name = options.Text("barge");
  if (name == "high") return BargeInHigh();
  if (name == "low") return BargeInLow();
  return BargeInNormal();
}

SegmentOrder ReadSegment(const engine::Options& options) {
  return {.speech = static_cast<uint32_t>(options.Integer("speech", 0, 0, UINT32_MAX)),
          .segment = static_cast<uint32_t>(options.Integer("segment", 0, 0, UINT32_MAX)),
          .held = options.Flag("held"),
          .yields = options.Flag("yields"),
          .fed_rate = static_cast<int>(options.Integer("fed_rate", 0, 0, kMaxFedRate)),
          .text = options.Text("text")};
}

// Reads the body of kOmniSound or kOmniSoundEnd; `sound` is what follows the two numbers. Nothing where it is
// shorter than those.
std::optional<FedSound> ReadFed(base::ByteView body) {
  base::ByteReader reader(body);
  const auto speech = reader.Read<uint32_t>();
  const auto segment = reader.Read<uint32_t>();
  if (body.size() < 2 * sizeof(uint32_t)) return std::nullopt;
  return FedSound{speech, segment, body.subspan(2 * sizeof(uint32_t))};
}

// The processor seconds of one second of Kokoro's audio from its features.
base::Result<double> GeneratorSeconds(const tts::Kokoro& kokoro) {
  constexpr size_t kFrames = tts::kKokoroRate / tts::kFrameSamples;
  const std::vector<float> style(256), statistics(kokoro.generator()->statistics, 1.0F);
  const std::vector<float> x(tts::kGeneratorChannels * kFrames);
  const std::vector<float> harmonics(tts::kHarmonics * (tts::kHarmonicSteps * kFrames + 1));
  double least = HUGE_VAL;
  // The first run also allocates memory.
  for (int run = 0; run < 2; ++run) {
    tts::GeneratorStream stream(kokoro.generator(), {style, x, harmonics, kFrames, 0, statistics});
    std::vector<float> samples;
    const double began = hear::ProcessorSeconds();
    TRUNKLINE_RETURN_IF_FAILED(stream.Step(kFrames, nullptr, samples));
    least = std::min(least, hear::ProcessorSeconds() - began);
  }
  return least;
}

// Connects the two sides: input goes to one of them, and each tick advances both.
class OmniLane final : public engine::Lane {
 public:
  OmniLane(OmniOptions options, const OmniModels& models)
      : codec_(options.codec),
        hear_(models.hear),
        time_(options.hear.rate),
        events_(options.hear.rate),
        agent_(models.speech, time_, events_, options.voice, options.codec),
        caller_(options.hear, options.barge, options.lock, models, time_, events_, agent_, options.codec) {
    if (options.keys) keys_ = std::make_unique<KeyDetector>(options.hear.rate);
    if (!options.recording.empty()) {
      recording_ =
          std::make_unique<Recording>(options.recording, options.hear.rate, std::move(options.denoiser));
    }
  }
  ~OmniLane() override {
    if (recording_) recording_->Close(agent_.playout());
  }

  void Tick(engine::LaneIo&) override {}  // its group ticks it
  void CancelTasks() override {
    caller_.CancelTasks();
    agent_.CancelTasks();
  }
  hear::HearStream& stream() { return caller_.stream(); }
  const std::shared_ptr<onnx::Session>& voice_activity() const { return caller_.voice_activity(); }

  void TakeInput(engine::LaneIo& io) {
    if (closing_) return;
    engine::Input input;
    size_t taken = 0;
    while (!closing_ && taken < static_cast<size_t>(time_.rate()) / kTakenASecond && io.Next(input)) {
      if (!Take(io, input)) {
        io.Unread();
        // Space for it may come only with the end of an answer.
        closing_ = io.close_requested();
        return;
      }
      if (input.kind == engine::InputKind::kAudio) taken += input.bytes.size() / BytesASample(codec_);
    }
    caller_.TakeSilence(io);
  }

  // Runs after the frames of this tick were taken.
  void Finish(engine::LaneIo& io) {
    if (!ended_) Advance(io);
    ended_ = closing_;
    // The lane lasts until a pool thread has written its recording.
    if (!closing_ || (recording_ && !recording_->Finish(io, agent_.playout()))) return;
    if (recording_) ReportRecording(io);
    io.Finish(base::Code::kOk);
  }

 private:
  void Advance(engine::LaneIo& io) {
    caller_.Work(io);
    ReportMusic(io);
    agent_.Synthesize(io);
    caller_.SendTurnText(io);
    agent_.Play(io, caller_.stream().speaking());
    if (!recording_) return;
    recording_->Tick(io, time_.Clock(io), agent_.playout());
    ReportRecording(io);
  }

  // Returns false when the input has to wait for space.
  bool Take(engine::LaneIo& io, const engine::Input& input) {
    switch (input.kind) {
      case engine::InputKind::kClose:
        closing_ = true;
        return true;
      case engine::InputKind::kControl:
        return Control(io, input);
      case engine::InputKind::kAudio:
        if (!caller_.Take(io, input.bytes)) return false;
        if (keys_) keys_->Take(io, caller_.newest(), time_.NowMs(io), events_);
        if (recording_) recording_->Caller(caller_.newest());
        return true;
      case engine::InputKind::kClear:  // the caller's earlier text stays valid
        return true;
    }
    return true;
  }

  // TypeScript has checked the options; malformed ones are ignored.
  bool Control(engine::LaneIo& io, const engine::Input& input) {
    const auto number = [&] { return base::ByteReader(input.bytes).Read<uint32_t>(); };
    switch (input.verb) {
      case kOmniSpeak:
        if (const auto options = engine::Options::Parse(input.bytes); options.ok()) {
          return agent_.Speak(ReadSegment(*options));
        }
        return true;
      case kOmniFinish:
        agent_.Finish(number());
        return true;
      case kOmniRelease:
        agent_.Release(number());
        return true;
      case kOmniDiscard:
        agent_.Discard(number());
        return true;
      case kOmniInterrupt:
        agent_.Interrupt(io, InterruptionReason::kCommand);
        caller_.AgentInterrupted();
        return true;
      case kOmniVoice:
        return agent_.SetVoice(input.bytes);
      case kOmniLanguage:
        if (const auto options = engine::Options::Parse(input.bytes); options.ok()) {
          if (const auto language = hear::ReadLanguage(*options))
            caller_.SetLanguage(*language, hear::ReadLanguages(*options));
        }
        return true;
      case kOmniTerms:
        if (const auto options = engine::Options::Parse(input.bytes); options.ok()) SetTerms(*options);
        return true;
      case kOmniRecord:
        Record(io);
        return true;
      case kOmniSound:
        if (const auto sound = ReadFed(input.bytes)) agent_.Feed(*sound);
        return true;
      case kOmniSoundEnd:
        if (const auto end = ReadFed(input.bytes)) {
          agent_.EndFeed(end->speech, end->segment, base::ByteReader(end->sound).Read<uint32_t>());
        }
        return true;
      case kOmniLag:
        agent_.SetLag(io, number());
        return true;
      case kOmniPauseRecording:
        if (recording_) recording_->Pause(time_.Clock(io));
        return true;
      default:
        return true;
    }
  }

  void SetTerms(const engine::Options& options) {
    const auto& recognizer = stream().options().recognizer;
    const auto& whisper = recognizer != nullptr ? recognizer->whisper() : hear_->whisper();
    stream().options().vocabulary = hear::ReadVocabulary(options, whisper->tokens());
  }

  void ReportMusic(engine::LaneIo& io) {
    while (const auto change = hold_.Next(stream().audio())) {
      events_.Music(io, change->playing, caller_.MediaMs(change->at_s));
    }
  }

  void Record(engine::LaneIo& io) {
    if (!recording_) return;
    const bool first = !recording_->begun();
    recording_->Record(time_.Clock(io));
    if (first) events_.Recording(io, true, time_.NowMs(io), {});
  }

  void ReportRecording(engine::LaneIo& io) {
    if (const auto failure = recording_->TakeFailure()) {
      events_.Recording(io, false, time_.NowMs(io), *failure);
    }
  }

  const WireCodec codec_;
  const std::shared_ptr<hear::HearModels> hear_;
  MediaTime time_;
  OmniEventWriter events_;
  AgentSide agent_;
  CallerSide caller_;
  HoldMusicDetector hold_;
  std::unique_ptr<KeyDetector> keys_;
  std::unique_ptr<Recording> recording_;
  // Closed by the input, and after the tick that took that: nothing but the recording goes on.
  bool closing_ = false, ended_ = false;
};

class OmniKind final : public engine::LaneKind {
 public:
  std::string name() const override { return "omni"; }

  base::Status Prepare(engine::Services& services) override {
    // Speech comes first, because another thread opens the recognition models for the kind before.
    TRUNKLINE_ASSIGN_OR_RETURN(models_.speech, speak::SpeechService::Open(services));
    TRUNKLINE_ASSIGN_OR_RETURN(models_.hear, hear::HearModels::Open(services));
    TRUNKLINE_ASSIGN_OR_RETURN(const std::string english, services.model("listening/nets.bin"));
    TRUNKLINE_ASSIGN_OR_RETURN(models_.listening.english, BackchannelModel::Load(english));
    TRUNKLINE_ASSIGN_OR_RETURN(const std::string elsewhere, services.model("listening/elsewhere.bin"));
    TRUNKLINE_ASSIGN_OR_RETURN(models_.listening.elsewhere, BackchannelModel::Load(elsewhere));
    if (const auto& generator = models_.speech->kokoro().device(); generator != nullptr) {
      TRUNKLINE_ASSIGN_OR_RETURN(generator_seconds_, GeneratorSeconds(models_.speech->kokoro()));
    }
    // Another model in its place leaves the calls without the speaker lock or the denoiser, as a missing one does.
    if (auto voices = hear::OpenVoicePrints(services); voices.ok()) models_.voices = std::move(*voices);
    if (auto denoiser = denoise::OpenDenoiser(services); denoiser.ok())
      models_.denoiser = std::move(*denoiser);
    ready_.store(true, std::memory_order_release);
    return base::Ok();
  }

  uint32_t cost() const override {
    if (!ready_.load(std::memory_order_acquire)) return kCost;
    return AtLeast(kCost + OfGenerator() + OfFinals(*models_.hear->recognizer()));
  }
  uint32_t CostOf(const engine::Options& options) const override {
    const int64_t lock = options.Flag("primary_speaker") ? kLockCost : 0;
    const int64_t denoising = options.Flag("denoise_recording") ? kDenoisingCost : 0;
    return AtLeast(CostOfVoice(options) + CostOfRecognizer(options) + CostOfQuick(options) + lock +
                   denoising);
  }

  std::optional<uint32_t> CostAfter(uint16_t verb, base::ByteView body) const override {
    if (verb != kOmniVoice) return std::nullopt;
    const auto voice = engine::Options::Parse(body);
    if (!voice.ok()) return std::nullopt;
    return CostOf(*voice);
  }

  std::vector<engine::Count> counts() const override {
    if (!ready_.load(std::memory_order_acquire)) return {};
    const tts::SoundCacheStats stats = models_.speech->sound_cache().counts();
    std::vector<engine::Count> counts = {{"segments_asked_total", static_cast<double>(stats.asked)},
                                         {"segments_kept_total", static_cast<double>(stats.found)},
                                         {"kept_sounds", static_cast<double>(stats.sounds)},
                                         {"kept_sounds_bytes", static_cast<double>(stats.bytes)}};
    if (const auto& generator = models_.speech->kokoro().device()) {
      const auto on_gpu = engine::GpuCounts(generator->stats());
      counts.insert(counts.end(), on_gpu.begin(), on_gpu.end());
    }
    return counts;
  }

  engine::LaneShape shape() const override {
    return {.input_bytes = 512 * 1024,
            .outbox = {
                .ring_bytes = 256 * 1024, .mailboxes = OmniEventWriter::kMailboxes, .mailbox_bytes = 8192}};
  }

  base::Result<std::unique_ptr<engine::Lane>> Open(const engine::Options& options) override {
    OmniOptions omni;
    TRUNKLINE_ASSIGN_OR_RETURN(omni.hear, hear::ReadHearOptions(options, *models_.hear));
    // A call that another node began is served as it was: its windows that would be late go to the processor.
    if (!options.Flag("resumed") && !HasGpuCapacity(*omni.hear.recognizer))
      return base::Status(base::Code::kCapacity, "the GPU has no capacity for another call");
    TRUNKLINE_ASSIGN_OR_RETURN(const tts::VoiceSpec voice, speak::ReadVoice(options));
    omni.voice = {.seed = omni.hear.seed,
                  .options = options.packed(),
                  .unknown = models_.speech->FindCalibration(voice) == nullptr,
                  .owner = std::string(options.Text("owner")),
                  .fed = options.Flag("fed")};
    omni.hear.waits = vad::kCallWaits;
    omni.hear.eager = true;
    omni.hear.stable_partials = false;
    omni.hear.word_times = false;
    omni.barge = ReadBargeIn(options);
    omni.lock = options.Flag("primary_speaker");
    omni.keys = options.Flag("keys");
    omni.recording = options.Text("recording");
    if (!omni.recording.empty() && options.Flag("denoise_recording") && models_.denoiser) {
      TRUNKLINE_ASSIGN_OR_RETURN(omni.denoiser, enhance::Denoiser::Create(models_.denoiser, omni.hear.rate));
    }
    if (options.Text("codec") == "ulaw") omni.codec = WireCodec::kUlaw;
    return std::unique_ptr<engine::Lane>(std::make_unique<OmniLane>(std::move(omni), models_));
  }

  std::unique_ptr<engine::LaneGroup> MakeGroup() override {
    return std::make_unique<hear::HearGroup<OmniLane>>();
  }

  bool IsGpuFull() const override { return !HasGpuCapacity(*models_.hear->recognizer()); }

 private:
  static uint32_t AtLeast(int64_t cost) { return static_cast<uint32_t>(std::max(cost, kLeastCost)); }

  bool HasGpuCapacity(const hear::Recognizer& recognizer) const {
    const auto& generator = models_.speech->kokoro().device();
    const bool speaks = generator == nullptr || !generator->serves() || generator->HasCapacity(kMaxGpuWait);
    return speaks && recognizer.HasGpuCapacity();
  }

  int64_t CostOfVoice(const engine::Options& options) const {
    const std::string_view model = options.Text("model");
    if (options.Has("cost")) return options.Integer("cost", kCost, kHibariCost, 4000);
    return model == "piper" ? kPiperCost : model == "hibari" ? kHibariCost : kCost + OfGenerator();
  }

  // Returns how much more a call takes because of the device that generates its agent's speech: a negative number on a GPU.
  int64_t OfGenerator() const {
    const auto& generator = models_.speech == nullptr ? nullptr : models_.speech->kokoro().device();
    if (generator == nullptr || !generator->serves()) return 0;
    return -std::lround(1000 * kAgentSpeaks * generator_seconds_);
  }

  // Returns how much more the finals of this recognizer take than those of the stock one on the processor.
  int64_t OfFinals(const hear::Recognizer& recognizer) const {
    return hear::FinalMillicores(recognizer.final_seconds_now() -
                                 models_.hear->recognizer()->final_seconds());
  }

  int64_t CostOfRecognizer(const engine::Options& options) const {
    if (models_.hear == nullptr) return 0;
    const hear::Recognizer& stock = *models_.hear->recognizer();
    if (!options.Has("recognizer")) return OfFinals(stock);
    const auto added = models_.hear->FindRecognizer(options.Text("recognizer"));
    if (added == nullptr) return OfFinals(stock);
    // One that is quicker than the stock one is counted as that.
    return added->serves_on_gpu() ? OfFinals(*added) : std::max<int64_t>(0, OfFinals(*added));
  }

  // Returns how much more the partials of an added quick recognizer take than those of the stock one.
  int64_t CostOfQuick(const engine::Options& options) const {
    if (models_.hear == nullptr || !options.Has("quick")) return 0;
    const auto added = models_.hear->FindQuick(options.Text("quick"));
    if (added == nullptr) return 0;
    const double more = added->partial_seconds() - models_.hear->quick()->partial_seconds();
    return std::max<int64_t>(0, hear::PartialMillicores(more));
  }

  double generator_seconds_ = 0;  // The processor time of a second of audio.
  OmniModels models_;
  std::atomic<bool> ready_{false};
};

}  // namespace

std::shared_ptr<engine::LaneKind> MakeOmniKind() {
  return std::make_shared<OmniKind>();
}

}  // namespace trunkline::omni
