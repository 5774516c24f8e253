#include "lanes/amd/lane.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "dsp/dsp.h"
#include "lanes/amd/greeting_text_task.h"
#include "lanes/amd/recognition_windows.h"
#include "lanes/amd/signal_analyzer.h"
#include "lanes/hear/hear.h"
#include "vad/vad.h"

namespace trunkline::amd {
namespace {

using base::AsBytes;
using engine::Input;
using engine::InputKind;
using engine::LaneIo;

enum class Codec : uint8_t { kUlaw, kPcm16 };

struct AmdOptions {
  Codec codec = Codec::kUlaw;
  std::optional<asr::Language> language;
  bool words = true;
  bool wait = false;
};

constexpr uint64_t kClockFrames = 3;
// Audio that comes faster than real time is processed at up to 25 times it.
constexpr int kFramesPerTick = 8;
constexpr size_t kMaxPending = 3 * kRate;
constexpr size_t kRing = 1 << 18;  // 32 s
// Under load, recognition gives way and signal analysis never does. Stretches that go on give way first: they
// wait behind those that have paused, expire sooner, and are requested less often the longer the last ones
// took.
constexpr int64_t kRestedDeadline = 150 * base::kNanosPerMilli;
constexpr int64_t kGrowingDeadline = 900 * base::kNanosPerMilli;
// A recognition that has not started after this time does not help a verdict.
constexpr int64_t kPausedMaxWait = 2500 * base::kNanosPerMilli;
constexpr int64_t kGrowingMaxWait = 1300 * base::kNanosPerMilli;
constexpr double kGrownByWait = 4, kMaxGrownS = 6;
constexpr size_t kMaxText = 4096;

// Holds the events of one frame that did not fit into the outbox; the next frame waits for them.
class PendingEvents {
 public:
  bool empty() const { return count_ == 0; }
  void Add(uint16_t type, base::ByteView bytes) {
    if (count_ == kMax) return;
    Event& event = events_[count_++];
    event.type = type;
    event.size = std::min(bytes.size(), event.bytes.size());
    std::copy_n(bytes.begin(), event.size, event.bytes.begin());
  }
  void Write(LaneIo& io) {
    size_t said = 0;
    while (said < count_ &&
           io.Write(events_[said].type, base::ByteView(events_[said].bytes).first(events_[said].size))) {
      ++said;
    }
    std::move(events_.begin() + static_cast<ptrdiff_t>(said),
              events_.begin() + static_cast<ptrdiff_t>(count_), events_.begin());
    count_ -= said;
  }

 private:
  static constexpr size_t kMax = 16;  // the most events of one frame
  struct Event {
    uint16_t type = 0;
    size_t size = 0;
    std::array<uint8_t, 8 + 2 * Fingerprint::kMax> bytes = {};
  };
  std::array<Event, kMax> events_;
  size_t count_ = 0;
};

class AmdLane final : public engine::Lane {
 public:
  AmdLane(const AmdOptions& options, std::shared_ptr<hear::HearModels> models)
      : options_(options), models_(std::move(models)), task_(*models_), ring_(kRing) {
    pending_.reserve(2 * kMaxPending);
    decoded_.reserve(1 << 16);
    scratch_.reserve(1 << 16);
    range_.reserve(static_cast<size_t>((RecognitionWindows::kLongestS + 1) * kRate));
  }

  void Tick(LaneIo&) override {}  // its group ticks it
  void CancelTasks() override {
    if (task_.in_flight()) task_.Cancel();
  }
  const std::shared_ptr<onnx::Session>& voice_activity() const { return models_->voice_activity(); }

  void TakeInput(LaneIo& io) {
    Input input;
    while (!closing_ && io.Next(input)) {
      if (input.kind == InputKind::kClose) {
        closing_ = true;
      } else if (input.kind == InputKind::kAudio && !TakeAudio(input.bytes)) {
        io.Unread();
        return;
      }
    }
  }

  bool ready() const { return has_frame() && unsent_.empty() && !(options_.wait && awaits_words()); }
  void Frame(vad::VadItem& item) {
    item.state = &vad_;
    item.frame = std::span<const float>(pending_).subspan(first_, kFrameSamples);
  }
  void Heard(float speech) {
    const auto frame = std::span<const float>(pending_).subspan(first_, kFrameSamples);
    for (const float sample : frame) ring_[total_++ % kRing] = sample;
    Say(analyzer_.Frame(frame, speech));
    first_ += kFrameSamples;
    if (++frames_ % kClockFrames == 0) Say(kAmdClock);
  }

  void Work(LaneIo& io) {
    unsent_.Write(io);
    if (options_.words) Read(io);
    const bool heard_all = !has_frame() && unsent_.empty();
    if (closing_ && heard_all && task_.state == GreetingTextTask::State::kIdle) io.Finish(base::Code::kOk);
  }

 private:
  bool has_frame() const { return pending_.size() - first_ >= kFrameSamples; }
  bool awaits_words() const {
    return options_.words && (task_.state != GreetingTextTask::State::kIdle || Due().has_value());
  }
  std::optional<RecognitionWindows::Order> Due() const { return windows_.Due(analyzer_.heard_s(), grown_s_); }
  // A slow recognition delays the next request; a lane with `wait` always requests text.
  void Pace(int64_t waited) {
    const double seconds = static_cast<double>(waited) / (1000.0 * base::kNanosPerMilli);
    if (!options_.wait)
      grown_s_ = std::clamp(kGrownByWait * seconds, RecognitionWindows::kGrownS, kMaxGrownS);
  }
  bool TakeAudio(base::ByteView bytes) {
    if (pending_.size() - first_ > kMaxPending) return false;
    if (options_.codec == Codec::kUlaw) {
      decoded_.resize(bytes.size());
      dsp::DecodeUlaw(bytes, decoded_);
    } else {
      dsp::FromWire(bytes, decoded_);
    }
    scratch_.resize(decoded_.size());
    dsp::ToFloat(decoded_, scratch_);
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(first_));
    first_ = 0;
    pending_.insert(pending_.end(), scratch_.begin(), scratch_.end());
    return true;
  }

  void Say(const FrameEvents& events) {
    if (events.segment.kind == SegmentEvent::Kind::kSpeech) Say(kAmdSpeech, events.segment.at_s);
    if (events.segment.kind == SegmentEvent::Kind::kQuiet) {
      Say(kAmdQuiet, events.segment.at_s, events.level_dbfs, events.floor_dbfs);
    }
    windows_.Take(events.segment);
    for (size_t i = 0; i < events.tone_count; ++i) {
      const dsp::CallToneEvent& tone = events.tones[i];
      Say(kAmdTone, Seconds(tone.start), Seconds(tone.end), static_cast<uint32_t>(tone.tone),
          static_cast<float>(tone.frequency));
    }
    if (events.music != dsp::MusicWatch::Change::kNone) {
      Say(kAmdMusic, events.music_at_s,
          static_cast<uint32_t>(events.music == dsp::MusicWatch::Change::kBegan));
    }
    if (events.fingerprint) {
      std::array<uint8_t, 8 + 2 * Fingerprint::kMax> bytes;
      base::Store(bytes.data(), analyzer_.heard_s());
      const base::ByteView words = AsBytes(analyzer_.fingerprint());
      std::copy(words.begin(), words.end(), bytes.begin() + 8);
      unsent_.Add(kAmdFingerprint, base::ByteView(bytes).first(8 + words.size()));
    }
  }

  template <typename... Values>
  void Say(AmdEvent type, Values... values) {
    unsent_.Add(type, base::Packed(analyzer_.heard_s(), values...));
  }

  void Read(LaneIo& io) {
    if (task_.state == GreetingTextTask::State::kAsked) {
      const bool late = !options_.wait && io.now() - asked_at_ > max_wait_;
      if (late && !task_.begun() && !task_.cancelled()) task_.Cancel();
      return;
    }
    if (task_.state == GreetingTextTask::State::kRead && !Publish(io)) return;
    if (task_.state != GreetingTextTask::State::kIdle) Pace(io.now() - asked_at_);
    task_.state = GreetingTextTask::State::kIdle;
    const auto order = Due();
    if (!order || (closing_ && !options_.wait)) return;
    task_.Prepare(Range(order->start_s, order->end_s), order->number, order->start_s, order->end_s,
                  options_.language);
    asked_at_ = io.now();
    max_wait_ = order->paused ? kPausedMaxWait : kGrowingMaxWait;
    const int64_t deadline = order->paused ? kRestedDeadline : kGrowingDeadline;
    if (io.Submit(task_, engine::Priority::kPartial, asked_at_ + deadline)) {
      windows_.Ordered(*order);
    } else {
      task_.state = GreetingTextTask::State::kIdle;
    }
  }

  bool Publish(LaneIo& io) {
    const asr::Transcript& transcript = task_.transcript();
    const auto head =
        base::Packed(analyzer_.heard_s(), task_.start_s(), task_.end_s(), task_.number(),
                     static_cast<uint32_t>(transcript.language), static_cast<float>(task_.took_s()));
    const std::string_view text = std::string_view(transcript.text).substr(0, kMaxText);
    return io.Write(kAmdWords, head, AsBytes(text));
  }

  std::span<const float> Range(double start_s, double end_s) {
    const auto from = static_cast<uint64_t>(std::max(0.0, start_s) * kRate);
    const auto to = std::min(total_, static_cast<uint64_t>(end_s * kRate));
    range_.clear();
    for (uint64_t i = from; i < to; ++i) range_.push_back(ring_[i % kRing]);
    return range_;
  }
  static double Seconds(int64_t samples) { return static_cast<double>(samples) / kRate; }

  const AmdOptions options_;
  const std::shared_ptr<hear::HearModels> models_;
  SignalAnalyzer analyzer_;
  RecognitionWindows windows_;
  GreetingTextTask task_;
  int64_t asked_at_ = 0, max_wait_ = 0;
  double grown_s_ = RecognitionWindows::kGrownS;
  vad::VadState vad_;
  std::vector<float> ring_;
  uint64_t total_ = 0;
  std::vector<float> pending_;
  size_t first_ = 0;
  std::vector<int16_t> decoded_;
  std::vector<float> scratch_, range_;
  PendingEvents unsent_;
  uint64_t frames_ = 0;
  bool closing_ = false;
};

// Runs voice activity for all calls of a media thread in one model run.
class AmdGroup final : public engine::LaneGroup {
 public:
  void Tick(std::span<const Member> members) override {
    if (!silero_ && !members.empty()) silero_.emplace(Of(members[0]).voice_activity());
    for (const Member& member : members) Of(member).TakeInput(*member.io);
    for (int round = 0; round < kFramesPerTick && Hear(members); ++round) {
    }
    for (const Member& member : members) Of(member).Work(*member.io);
  }

 private:
  static AmdLane& Of(const Member& member) { return static_cast<AmdLane&>(*member.lane); }

  bool Hear(std::span<const Member> members) {
    items_.clear();
    heard_.clear();
    for (const Member& member : members) {
      if (!Of(member).ready()) continue;
      Of(member).Frame(items_.emplace_back());
      heard_.push_back(&member);
    }
    if (items_.empty()) return false;
    const bool ok = silero_->Run(vad::VadRate::k8k, items_).ok();
    for (size_t i = 0; i < heard_.size(); ++i) {
      if (ok) {
        Of(*heard_[i]).Heard(items_[i].probability);
      } else {
        heard_[i]->io->Finish(base::Code::kInference);
      }
    }
    return ok;
  }

  std::optional<vad::Silero> silero_;
  std::vector<vad::VadItem> items_;
  std::vector<const Member*> heard_;
};

class AmdKind final : public engine::LaneKind {
 public:
  // Admission cost in thousandths of a core, without recognition, which gives way under load; measured by the
  // benchmark `amd`.
  static constexpr uint32_t kCost = 12;

  std::string name() const override { return "amd"; }
  base::Status Prepare(engine::Services& services) override {
    TRUNKLINE_ASSIGN_OR_RETURN(models_, hear::HearModels::Open(services));
    return base::Ok();
  }
  uint32_t cost() const override { return kCost; }
  engine::LaneShape shape() const override {
    return {.input_bytes = 64 * 1024,
            .outbox = {.ring_bytes = 64 * 1024, .mailboxes = 0, .mailbox_bytes = 0}};
  }
  base::Result<std::unique_ptr<engine::Lane>> Open(const engine::Options& options) override {
    AmdOptions amd;
    if (options.Text("codec") == "pcm16") amd.codec = Codec::kPcm16;
    amd.language = asr::LanguageOf(options.Text("language"));
    amd.words = options.Flag("words", true);
    amd.wait = options.Flag("wait", false);
    return std::unique_ptr<engine::Lane>(std::make_unique<AmdLane>(amd, models_));
  }
  std::unique_ptr<engine::LaneGroup> MakeGroup() override { return std::make_unique<AmdGroup>(); }

 private:
  std::shared_ptr<hear::HearModels> models_;
};

}  // namespace

std::shared_ptr<engine::LaneKind> MakeAmdKind() {
  return std::make_shared<AmdKind>();
}

}  // namespace trunkline::amd
