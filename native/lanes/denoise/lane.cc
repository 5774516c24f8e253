#include "lanes/denoise/lane.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "dsp/dsp.h"
#include "lanes/denoise/model.h"

namespace trunkline::denoise {
namespace {

using engine::Input;
using engine::InputKind;
using engine::LaneIo;

// Admission cost in thousandths of a core: docs/decisions/152-denoising-for-listeners.md.
constexpr uint32_t kCost = 25;
// A listener hears a gap beyond.
constexpr int64_t kDeadline = 40 * base::kNanosPerMilli;
// Half a second waits at most, so that a step stays short.
constexpr int kMostWaitingADivisor = 2;
constexpr size_t kInputBytes = 64 * 1024;

struct Format {
  int rate = 8000;
  dsp::WireFormat codec = dsp::WireFormat::kPcm16;
  size_t bytes_a_sample() const { return codec == dsp::WireFormat::kPcm16 ? 2 : 1; }
  // A piece is taken whole, and begins within the half second.
  size_t most_waiting() const {
    return static_cast<size_t>(rate / kMostWaitingADivisor) + kInputBytes / bytes_a_sample();
  }
  size_t frame_bytes() const { return static_cast<size_t>(rate) / 50 * bytes_a_sample(); }
};

class CleanTask final : public engine::LaneTask {
 public:
  // `most`: samples that may wait.
  CleanTask(std::unique_ptr<enhance::Denoiser> denoiser, size_t most) : denoiser_(std::move(denoiser)) {
    waiting_.reserve(most);
    taken_.reserve(most);
  }

  // Media thread.
  std::vector<int16_t>& waiting() { return waiting_; }
  std::vector<int16_t>& clean() { return clean_; }
  bool flushed() const { return flushed_; }
  // Media thread. After the last of the audio, the rest comes too.
  void Prepare(bool is_last) {
    std::swap(taken_, waiting_);
    waiting_.clear();
    is_last_ = is_last;
  }

  Step Run() override {
    denoiser_->Process(taken_, clean_);
    if (is_last_) denoiser_->Flush(clean_);
    return Step::kDone;
  }
  void Done(LaneIo&) override { flushed_ = is_last_; }

 private:
  const std::unique_ptr<enhance::Denoiser> denoiser_;
  std::vector<int16_t> waiting_, taken_, clean_;
  bool is_last_ = false, flushed_ = false;
};

class DenoiseLane final : public engine::Lane {
 public:
  DenoiseLane(Format format, std::unique_ptr<enhance::Denoiser> denoiser)
      : format_(format), task_(std::move(denoiser), format.most_waiting()) {
    task_.clean().reserve(2 * static_cast<size_t>(format.rate));
    coded_.reserve(format.frame_bytes());
  }

  void Tick(LaneIo& io) override {
    TakeInput(io);
    if (task_.in_flight()) return;
    Send(io);
    if (task_.flushed()) {
      if (task_.clean().empty()) io.Finish(base::Code::kOk);
      return;
    }
    if (task_.waiting().empty() && !closing_) return;
    // Audio that a slow reader leaves unread waits here.
    if (task_.clean().size() > static_cast<size_t>(format_.rate)) return;
    task_.Prepare(closing_);
    io.Submit(task_, engine::Priority::kAudio, io.now() + kDeadline);
  }

  void CancelTasks() override { task_.Cancel(); }

 private:
  void TakeInput(LaneIo& io) {
    const auto most = static_cast<size_t>(format_.rate / kMostWaitingADivisor);
    Input input;
    while (!closing_ && task_.waiting().size() < most && io.Next(input)) {
      if (input.kind == InputKind::kClose) closing_ = true;
      if (input.kind != InputKind::kAudio) continue;
      const size_t samples = input.bytes.size() / format_.bytes_a_sample();
      std::vector<int16_t>& waiting = task_.waiting();
      const size_t before = waiting.size();
      waiting.resize(before + samples);
      const base::MutableBytes bytes(reinterpret_cast<uint8_t*>(waiting.data() + before), 2 * samples);
      dsp::ConvertWire(format_.codec, input.bytes, dsp::WireFormat::kPcm16, bytes);
    }
  }

  void Send(LaneIo& io) {
    std::vector<int16_t>& clean = task_.clean();
    const auto frame = static_cast<size_t>(format_.rate / 50);
    size_t sent = 0;
    while (clean.size() - sent >= frame || (task_.flushed() && sent < clean.size())) {
      const auto samples =
          std::span<const int16_t>(clean).subspan(sent, std::min(frame, clean.size() - sent));
      coded_.resize(samples.size() * format_.bytes_a_sample());
      dsp::ConvertWire(dsp::WireFormat::kPcm16, base::AsBytes(samples), format_.codec, coded_);
      if (!io.Write(engine::kAudioEvent, coded_)) break;
      sent += samples.size();
    }
    clean.erase(clean.begin(), clean.begin() + static_cast<ptrdiff_t>(sent));
  }

  const Format format_;
  CleanTask task_;
  std::vector<uint8_t> coded_;
  bool closing_ = false;
};

class DenoiseKind final : public engine::LaneKind {
 public:
  std::string name() const override { return "denoise"; }
  uint32_t cost() const override { return kCost; }
  engine::LaneShape shape() const override {
    return {.input_bytes = kInputBytes, .outbox = {.ring_bytes = 64 * 1024}};
  }
  base::Status Prepare(engine::Services& services) override {
    TRUNKLINE_ASSIGN_OR_RETURN(model_, OpenDenoiser(services));
    return base::Ok();
  }
  base::Result<std::unique_ptr<engine::Lane>> Open(const engine::Options& options) override {
    Format format;
    format.rate = static_cast<int>(options.Integer("rate", format.rate, 8000, 48000));
    if (options.Text("codec") == "ulaw") format.codec = dsp::WireFormat::kUlaw;
    TRUNKLINE_ASSIGN_OR_RETURN(auto denoiser, enhance::Denoiser::Create(model_, format.rate));
    return std::unique_ptr<engine::Lane>(std::make_unique<DenoiseLane>(format, std::move(denoiser)));
  }

 private:
  std::shared_ptr<const enhance::Dtln> model_;
};

}  // namespace

std::shared_ptr<engine::LaneKind> MakeDenoiseKind() {
  return std::make_shared<DenoiseKind>();
}

}  // namespace trunkline::denoise
