#include "lanes/echo/lane.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "dsp/dsp.h"

namespace trunkline::echo {
namespace {

using engine::Input;
using engine::InputKind;
using engine::LaneIo;

// Admission cost in thousandths of a core: all lines together take a thirtieth of one.
constexpr uint32_t kCost = 1;
constexpr double kReportEveryMs = 1000;
constexpr size_t kMaxSamples = 1600;

class EchoLane final : public engine::Lane {
 public:
  explicit EchoLane(std::shared_ptr<dsp::EchoFinder> finder)
      : finder_(std::move(finder)), watch_(dsp::EchoFinder::kRate, *finder_) {}

  void Tick(LaneIo& io) override {
    const double now_ms = static_cast<double>(io.now()) / base::kNanosPerMilli;
    Input input;
    while (io.Next(input)) {
      if (input.kind == InputKind::kAudio) Hear(input.bytes, now_ms);
      if (input.kind != InputKind::kClose) continue;
      Publish(io);
      io.Finish(base::Code::kOk);
      return;
    }
    if (now_ms - reported_ms_ < kReportEveryMs) return;
    reported_ms_ = now_ms;
    Publish(io);
  }

 private:
  // Processes the input in blocks that fit; half of each is one direction.
  void Hear(base::ByteView bytes, double now_ms) {
    const size_t each = bytes.size() / 2;
    for (size_t at = 0; at < each; at += kMaxSamples) {
      const size_t count = std::min(kMaxSamples, each - at);
      const std::span<int16_t> samples(samples_.data(), count);
      dsp::DecodeUlaw(bytes.subspan(at, count), samples);
      watch_.Sent(samples);
      dsp::DecodeUlaw(bytes.subspan(each + at, count), samples);
      watch_.Heard(samples);
    }
    watch_.Measure(now_ms);
  }

  void Publish(LaneIo& io) {
    const auto echo = watch_.echo();
    if (!echo) return;
    const std::array numbers{echo->delay_ms, echo->db};
    if (numbers == reported_) return;
    if (io.WriteLatest(0, kEchoFound, base::AsBytes(std::span<const double>(numbers)))) reported_ = numbers;
  }

  std::shared_ptr<dsp::EchoFinder> finder_;
  dsp::EchoWatch watch_;
  std::array<int16_t, kMaxSamples> samples_{};
  std::array<double, 2> reported_{-1, 0};
  double reported_ms_ = 0;
};

class EchoKind final : public engine::LaneKind {
 public:
  std::string name() const override { return "echo"; }
  uint32_t cost() const override { return kCost; }
  engine::LaneShape shape() const override {
    return {.input_bytes = 16 * 1024,
            .outbox = {.ring_bytes = 4 * 1024, .mailboxes = 1, .mailbox_bytes = 64}};
  }
  base::Result<std::unique_ptr<engine::Lane>> Open(const engine::Options&) override {
    return std::unique_ptr<engine::Lane>(std::make_unique<EchoLane>(finder_));
  }

 private:
  std::shared_ptr<dsp::EchoFinder> finder_ = std::make_shared<dsp::EchoFinder>();
};

}  // namespace

std::shared_ptr<engine::LaneKind> MakeEchoKind() {
  return std::make_shared<EchoKind>();
}

}  // namespace trunkline::echo
