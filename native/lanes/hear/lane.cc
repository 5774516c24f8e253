#include "lanes/hear/lane.h"

#include <array>
#include <atomic>
#include <optional>
#include <vector>

#include "dsp/dsp.h"
#include "lanes/hear/cost.h"
#include "lanes/hear/group.h"
#include "lanes/hear/models.h"
#include "lanes/hear/options.h"
#include "lanes/hear/stream.h"
#include "lanes/hear/transcript_record.h"

namespace trunkline::hear {
namespace {

using base::AsBytes;
using base::ByteWriter;
using base::Packed;

constexpr uint32_t kNoReason = 0;
// The specification's interval of finals.
constexpr double kFinalEveryS = 15;

enum Mailbox : size_t { kPartialBox, kMailboxes };

auto Head(uint32_t utterance, const vad::Utterance& span) {
  return Packed(utterance, static_cast<uint32_t>(span.reason), span.start_s, span.speech_end_s);
}

class HearLane final : public engine::Lane, public HearListener {
 public:
  HearLane(const HearOptions& options, std::shared_ptr<HearModels> models)
      : models_(models), stream_(options, std::move(models), *this), record_(96 * 1024) {}

  void Tick(engine::LaneIo&) override {}  // its group ticks it
  void CancelTasks() override { stream_.CancelTasks(); }

  HearStream& stream() { return stream_; }
  const std::shared_ptr<onnx::Session>& voice_activity() const { return models_->voice_activity(); }

  // Takes input in order: a commit holds back what follows it until the audio before it was processed.
  void TakeInput(engine::LaneIo& io) {
    engine::Input input;
    while (!commit_ && !closing_ && io.Next(input)) {
      if (input.kind == engine::InputKind::kClose) {
        closing_ = true;
      } else if (input.kind == engine::InputKind::kControl) {
        commit_ = input.verb == kHearCommit;
      } else if (input.kind == engine::InputKind::kAudio && !TakeAudio(input.bytes)) {
        io.Unread();
        return;
      }
    }
  }

  void Finish(engine::LaneIo& io) {
    if ((commit_ || (closing_ && !closed_)) && !stream_.audio().frame_waits() && stream_.can_commit()) {
      stream_.Commit(io, commit_ ? vad::EndReason::kCommit : vad::EndReason::kClose);
      if (!commit_) closed_ = true;
      commit_ = false;
    }
    stream_.Work(io);
    if (closed_ && stream_.reported()) io.Finish(base::Code::kOk);
  }

  void Partial(engine::LaneIo& io, uint32_t utterance, double start_s, double end_s,
               const std::string& text) override {
    io.WriteLatest(kPartialBox, kHearPartial, Packed(utterance, kNoReason, start_s, end_s),
                   AsBytes(std::string_view(text)));
  }

  bool Stable(engine::LaneIo& io, uint32_t utterance, double start_s, double end_s,
              const std::string& text) override {
    return io.Write(kHearStable, Packed(utterance, kNoReason, start_s, end_s),
                    AsBytes(std::string_view(text)));
  }

  // An utterance that ended at once has no partial yet, so the event waits for its words.
  bool SpeechFinal(engine::LaneIo& io, uint32_t utterance, const vad::Utterance& span,
                   const std::string& text, bool known) override {
    if (text.empty() && !known) return false;
    return io.Write(kHearSpeechFinal, Head(utterance, span), AsBytes(std::string_view(text)));
  }

  bool Final(engine::LaneIo& io, uint32_t utterance, const vad::Utterance& span,
             const asr::Transcript& transcript) override {
    if (TranscriptBytes(transcript.text, transcript.words) > record_.size()) {
      return Failed(io, utterance, span,
                    base::Status(base::Code::kInternal, "a final is longer than its record"));
    }
    ByteWriter writer(record_);
    WriteTranscript(writer, transcript.text, transcript.words, span.start_s);
    return io.Write(kHearFinal, Head(utterance, span), base::ByteView(record_).first(writer.position()));
  }

  bool Failed(engine::LaneIo& io, uint32_t, const vad::Utterance&, const base::Status& status) override {
    const auto code = static_cast<int32_t>(status.code());
    return io.Write(kHearFailed, Packed(code), AsBytes(std::string_view(status.message())));
  }

 private:
  bool TakeAudio(base::ByteView bytes) {
    const auto* samples = reinterpret_cast<const int16_t*>(bytes.data());
    if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(int16_t) == 0) {
      return stream_.Push({samples, bytes.size() / 2});
    }
    dsp::FromWire(bytes, aligned_);
    return stream_.Push(aligned_);
  }

  const std::shared_ptr<HearModels> models_;
  HearStream stream_;
  std::vector<uint8_t> record_;
  std::vector<int16_t> aligned_;
  bool commit_ = false;
  bool closing_ = false;
  bool closed_ = false;
};

class HearKind final : public engine::LaneKind {
 public:
  std::string name() const override { return "hear"; }

  base::Status Prepare(engine::Services& services) override {
    TRUNKLINE_ASSIGN_OR_RETURN(models_, HearModels::Open(services));
    TRUNKLINE_RETURN_IF_FAILED(measured_.Measure(*models_));
    Price();
    device_.store(models_->recognizer()->device().get(), std::memory_order_release);
    turn_.store(&models_->smart_turn(), std::memory_order_release);
    return base::Ok();
  }

  // The first round also allocated the models' memory, while other models were being opened.
  bool Settle() override {
    if (models_ == nullptr || settled_rounds_ == kSettledRounds) return false;
    const base::Result<bool> more = measured_.MeasureNext(*models_);
    if (!more.ok()) return false;
    if (!*more) ++settled_rounds_;
    Price();
    return true;
  }

  uint32_t cost() const override { return Cost(true); }
  uint32_t CostOf(const engine::Options& options) const override {
    const bool partials = options.Flag("partials", true);
    if (models_ == nullptr || !(options.Has("recognizer") || options.Has("quick"))) return Cost(partials);
    const auto recognizer = models_->FindRecognizer(options.Text("recognizer"));
    const auto quick = models_->FindQuick(options.Text("quick"));
    if (recognizer == nullptr || quick == nullptr) return Cost(partials);
    return measured_.millicores(partials, recognizer->final_seconds_now(), quick->partial_seconds());
  }

  engine::LaneShape shape() const override {
    return {.input_bytes = 256 * 1024,
            .outbox = {.ring_bytes = 256 * 1024, .mailboxes = kMailboxes, .mailbox_bytes = 8192}};
  }

  bool IsGpuFull() const override { return !models_->recognizer()->HasGpuCapacity(); }

  std::vector<engine::Count> counts() const override {
    std::vector<engine::Count> counts;
    const auto* turn = turn_.load(std::memory_order_acquire);
    if (turn == nullptr) return counts;
    if (turn->serves_on_gpu()) {
      const onnx::DeviceStats stats = turn->stats();
      counts = {{"gpu_turn_batches_total", static_cast<double>(stats.batches)},
                {"gpu_turn_batched_work_total", static_cast<double>(stats.works)}};
    }
    if (const auto stats = models_->device_stats()) {
      const auto windows = engine::GpuCounts(*stats);
      counts.insert(counts.end(), windows.begin(), windows.end());
    }
    return counts;
  }

  base::Result<std::unique_ptr<engine::Lane>> Open(const engine::Options& options) override {
    TRUNKLINE_ASSIGN_OR_RETURN(HearOptions hear, ReadHearOptions(options, *models_));
    if (!hear.recognizer->HasGpuCapacity())
      return base::Status(base::Code::kCapacity, "the GPU has no capacity for another stream");
    hear.final_every_s = kFinalEveryS;
    hear.second_pass = true;
    return std::unique_ptr<engine::Lane>(std::make_unique<HearLane>(hear, models_));
  }

  std::unique_ptr<engine::LaneGroup> MakeGroup() override { return std::make_unique<HearGroup<HearLane>>(); }

 private:
  void Price() {
    for (const bool partials : {false, true}) {
      cost_[partials].store(measured_.millicores(partials), std::memory_order_relaxed);
      gpu_cost_[partials].store(measured_.millicores(partials, measured_.gpu_final_seconds()),
                                std::memory_order_relaxed);
    }
  }
  uint32_t Cost(bool partials) const {
    const auto* device = device_.load(std::memory_order_acquire);
    const bool on_gpu = device != nullptr && device->serves();
    return (on_gpu ? gpu_cost_ : cost_)[partials].load(std::memory_order_relaxed);
  }

  std::shared_ptr<HearModels> models_;
  static constexpr int kSettledRounds = 2;
  HearCost measured_;  // prepared, then settled: never both at once
  int settled_rounds_ = 0;
  // Nothing opens before it is measured: the cost of a stream without partials, and of one with them.
  std::array<std::atomic<uint32_t>, 2> cost_{}, gpu_cost_{};
  std::atomic<const asr::RecognizerDevice*> device_{nullptr};  // the one of models_
  std::atomic<const vad::SmartTurn*> turn_{nullptr};
};

}  // namespace

std::shared_ptr<engine::LaneKind> MakeHearKind() {
  return std::make_shared<HearKind>();
}

}  // namespace trunkline::hear
