#include "lanes/dub/edges_job.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "dsp/dsp.h"

namespace trunkline::dub {
namespace {

constexpr size_t kMaxBytes = 24000UL * 2 * 600;
// -50 dBFS: breath and the model's own noise are quieter.
constexpr float kSound = 0.00316f;
// 5 ms: a single click is not speech.
constexpr size_t kBlock = 120;

float PowerOf(std::span<const float> samples) {
  double power = 0;
  for (const float x : samples) power += static_cast<double>(x) * x;
  return samples.empty() ? 0 : static_cast<float>(power / static_cast<double>(samples.size()));
}

class EdgesJob final : public engine::Job {
 public:
  explicit EdgesJob(base::ByteView input) {
    std::vector<int16_t> pcm;
    dsp::FromWire(input, pcm);
    samples_.resize(pcm.size());
    dsp::ToFloat(pcm, samples_);
  }

  engine::Task::Step Step(engine::JobIo& io) override {
    io.Schedule(engine::Priority::kOffline, io.now() + engine::kOfflineStepNanos);
    const auto sounds = [this](size_t block) {
      const size_t at = block * kBlock;
      return PowerOf(std::span<const float>(samples_).subspan(at, std::min(kBlock, samples_.size() - at))) >
             kSound * kSound;
    };
    const size_t blocks = (samples_.size() + kBlock - 1) / kBlock;
    size_t first = 0, last = blocks;
    while (first < last && !sounds(first)) ++first;
    while (last > first && !sounds(last - 1)) --last;
    const size_t begin = std::min(first * kBlock, samples_.size());
    const size_t end = std::min(last * kBlock, samples_.size());
    const float power = PowerOf(std::span<const float>(samples_).subspan(begin, end - begin));
    engine::Chunk chunk(12);
    base::ByteWriter writer(chunk);
    writer.Write(static_cast<uint32_t>(begin));
    writer.Write(static_cast<uint32_t>(end));
    writer.Write(static_cast<float>(dsp::ToDbfs(power)));
    io.Emit(std::move(chunk));
    return io.End(base::Ok());
  }

 private:
  std::vector<float> samples_;
};

class EdgesKind final : public engine::JobKind {
 public:
  std::string name() const override { return "dub_edges"; }

  base::Result<std::unique_ptr<engine::Job>> Open(const engine::Options&,
                                                  std::vector<uint8_t> input) override {
    if (input.size() > kMaxBytes) {
      return base::Status(base::Code::kInvalidArgument, "a spoken clause is at most 600 s");
    }
    return std::unique_ptr<engine::Job>(std::make_unique<EdgesJob>(input));
  }
};

}  // namespace

std::shared_ptr<engine::JobKind> MakeEdgesKind() {
  return std::make_shared<EdgesKind>();
}

}  // namespace trunkline::dub
