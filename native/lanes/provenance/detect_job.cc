#include "lanes/provenance/detect_job.h"

#include <algorithm>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "dsp/dsp.h"
#include "dsp/watermark/watermark.h"

namespace trunkline::provenance {
namespace {

using base::Code;
using base::Result;
using base::Status;

// Four hours.
constexpr size_t kMaxBytes = size_t{2} * watermark::kDetectionRate * 4 * 3600;
// Less audio holds too little of a pattern.
constexpr size_t kMin = watermark::kDetectionRate;
// Phrases that were synthesized one by one each restart the pattern, so that a whole window of
// short ones scores low. When no window scores enough, half windows are tried, and then the
// phrases' beginnings.
constexpr size_t kHalf = watermark::kWindow / 2;
constexpr size_t kMaxHalves = 120, kMaxLines = 60;
constexpr float kEnough = 9;

class DetectWatermarkJob final : public engine::Job {
 public:
  DetectWatermarkJob(const watermark::WatermarkCode& code, base::ByteView input, size_t every)
      : detector_(code), phrases_(code), every_(every) {
    std::vector<int16_t> pcm;
    dsp::FromWire(input, pcm);
    samples_.resize(pcm.size());
    dsp::ToFloat(pcm, samples_);
  }

  engine::Task::Step Step(engine::JobIo& io) override {
    io.Schedule(engine::Priority::kOffline, io.now() + engine::kOfflineStepNanos);
    const size_t left = samples_.size() - std::min(at_, samples_.size());
    if (left < kMin || (at_ > 0 && left + every_ <= window_)) {
      if (pass_ == Pass::kLines || best_.score() >= kEnough) return End(io);
      BeginNextPass();
      return engine::Task::Step::kAgain;
    }
    const auto heard = std::span(samples_).subspan(at_, std::min(left, window_));
    const watermark::Detection reading = pass_ == Pass::kLines ? phrases_.Read(heard) : detector_.Read(heard);
    if (windows_ == 0 || reading.score() > best_.score()) {
      best_ = reading;
      best_at_ = static_cast<float>(at_) / watermark::kDetectionRate;
    }
    ++windows_;
    at_ += every_;
    const float done =
        static_cast<float>(std::min(at_, samples_.size())) / static_cast<float>(samples_.size());
    io.Progress((static_cast<float>(pass_) + done) / kPasses);
    return engine::Task::Step::kAgain;
  }

 private:
  enum class Pass : uint8_t { kWindows, kHalves, kLines };
  static constexpr float kPasses = 3;

  void BeginNextPass() {
    const bool halves = pass_ == Pass::kWindows && samples_.size() > kHalf;
    pass_ = halves ? Pass::kHalves : Pass::kLines;
    window_ = halves ? kHalf : watermark::kPhraseWindow;
    const size_t most = halves ? kMaxHalves : kMaxLines;
    const size_t behind = samples_.size() - std::min(window_, samples_.size());
    every_ = std::max(halves ? every_ / 2 : watermark::kPhraseWindow / 2, behind / most);
    at_ = 0;
  }

  engine::Task::Step End(engine::JobIo& io) {
    std::vector<float> said = {
        static_cast<float>(windows_), best_at_, best_.whole, best_.common, best_.tag, best_.speed};
    said.insert(said.end(), best_.bits.begin(), best_.bits.end());
    const auto bytes = base::AsBytes(std::span<const float>(said));
    io.Emit(engine::Chunk(bytes.begin(), bytes.end()));
    return io.End(base::Ok());
  }

  watermark::WatermarkDetector detector_;
  watermark::PhraseDetector phrases_;
  Pass pass_ = Pass::kWindows;
  size_t every_, window_ = watermark::kWindow;
  std::vector<float> samples_;
  size_t at_ = 0, windows_ = 0;
  watermark::Detection best_;
  float best_at_ = 0;
};

class DetectWatermarkKind final : public engine::JobKind {
 public:
  std::string name() const override { return "read_mark"; }

  Result<std::unique_ptr<engine::Job>> Open(const engine::Options& options,
                                            std::vector<uint8_t> input) override {
    watermark::WatermarkCode code;
    if (!watermark::ParseWatermarkCode(options.Text("code"), code))
      return Status(Code::kInvalidArgument, "the watermark's code: expected 32 hexadecimal digits");
    if (input.size() > kMaxBytes)
      return Status(Code::kInvalidArgument, "the recording: expected at most 4 h");
    const double every = std::clamp(options.Number("every", 2.5), 0.5, 600.0);
    return std::unique_ptr<engine::Job>(std::make_unique<DetectWatermarkJob>(
        code, input, static_cast<size_t>(every * watermark::kDetectionRate)));
  }
};

}  // namespace

std::shared_ptr<engine::JobKind> MakeDetectWatermarkKind() {
  return std::make_shared<DetectWatermarkKind>();
}

}  // namespace trunkline::provenance
