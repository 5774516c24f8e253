#include "lanes/cast/master_job.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "dsp/dsp.h"
#include "lanes/cast/timeline.h"

namespace trunkline::cast {
namespace {

using base::Code;
using base::Result;
using base::Status;
using engine::Chunk;
using engine::Job;
using engine::JobIo;
using engine::Options;
using engine::Priority;
using engine::Task;

constexpr size_t kSecondsAStep = 4;
// The limiter lowers the loudness a little, so the gain is searched in several passes.
constexpr int kMaxPasses = 8;
constexpr double kClose = 0.02;
// A larger gain would raise noise.
constexpr double kMaxGainDb = 40;
// The margin below the ceiling covers rounding and finer true-peak measurement.
constexpr double kMarginDb = 0.1;

struct Order {
  int rate = 24000;
  double target = -16, ceiling = -1, tolerance = 0.2;
  double gain_db = 0;
  bool known = false;  // the gain comes from an earlier master
  bool fixed = false;
};

class MasterJob final : public Job {
 public:
  MasterJob(std::unique_ptr<Timeline> timeline, const Order& order)
      : timeline_(std::move(timeline)),
        order_(order),
        limiter_(order.rate, order.ceiling - kMarginDb),
        meter_(order.rate),
        gain_db_(order.gain_db) {}

  Task::Step Step(JobIo& io) override {
    io.Schedule(Priority::kOffline, io.now() + engine::kOfflineStepNanos);
    const uint64_t all = timeline_->samples();
    if (at_ < all) {
      std::vector<float> made(
          std::min<uint64_t>(all - at_, kSecondsAStep * static_cast<uint64_t>(order_.rate)));
      const Status status = Make(made);
      if (!status.ok()) return io.End(status);
      at_ += made.size();
      if (!writing_) {
        meter_.Add(made);
        peak_.Add(made);
      } else {
        io.Emit(AsPcm(made));
      }
      io.Progress(Progress(static_cast<float>(at_) / static_cast<float>(all)));
      return Task::Step::kAgain;
    }
    if (writing_) return io.End(base::Ok());
    if (EndPass()) {
      writing_ = true;
      io.Emit(Report());
    }
    return Task::Step::kAgain;
  }

 private:
  Status Make(std::span<float> out) {
    const size_t margin = limiter_.margin();
    std::vector<float> wide(out.size() + 2 * margin);
    const auto gain = static_cast<float>(std::pow(10.0, gain_db_ / 20));
    TRUNKLINE_RETURN_IF_FAILED(
        timeline_->Read(static_cast<int64_t>(at_) - static_cast<int64_t>(margin), gain, wide));
    limiter_.Process(wide, out);
    return base::Ok();
  }

  // Returns whether the gain is final; otherwise it sets the next pass's gain.
  bool EndPass() {
    loudness_ = meter_.Integrated();
    ++passes_;
    at_ = 0;
    if (order_.fixed || loudness_ <= dsp::kNoLoudness || passes_ >= kMaxPasses) return true;
    const double off = order_.target - loudness_;
    const double enough = order_.known && passes_ == 1 ? order_.tolerance : kClose;
    const double next = std::min(kMaxGainDb, gain_db_ + off / Slope());
    if (std::abs(off) <= enough || next == gain_db_) return true;
    last_ = {gain_db_, loudness_};
    gain_db_ = next;
    meter_ = dsp::LoudnessMeter(order_.rate);
    peak_ = dsp::TruePeakMeter();
    return false;
  }

  // LU for each decibel of gain: less than one where the limiter acts.
  double Slope() const {
    if (passes_ < 2 || gain_db_ == last_.gain_db) return 1;
    return std::clamp((loudness_ - last_.loudness) / (gain_db_ - last_.gain_db), 0.3, 1.5);
  }

  float Progress(float share) const {
    return writing_ ? 0.75F + share / 4 : 0.75F * (static_cast<float>(passes_) + share) / kMaxPasses;
  }

  Chunk Report() const {
    const double numbers[] = {gain_db_,
                              loudness_,
                              peak_.Dbtp(),
                              meter_.Range(),
                              meter_.LargestShortTerm(),
                              static_cast<double>(timeline_->samples())};
    const auto bytes = base::AsBytes(std::span<const double>(numbers));
    return {bytes.begin(), bytes.end()};
  }

  static Chunk AsPcm(std::span<const float> samples) {
    std::vector<int16_t> pcm(samples.size());
    dsp::ToInt16(samples, pcm);
    const auto bytes = base::AsBytes(std::span<const int16_t>(pcm));
    return {bytes.begin(), bytes.end()};
  }

  std::unique_ptr<Timeline> timeline_;
  const Order order_;
  const dsp::TruePeakLimiter limiter_;
  dsp::LoudnessMeter meter_;
  dsp::TruePeakMeter peak_;
  double gain_db_;
  double loudness_ = dsp::kNoLoudness;
  struct Pass {
    double gain_db = 0, loudness = 0;
  } last_;
  int passes_ = 0;
  bool writing_ = false;
  uint64_t at_ = 0;
};

class MasterKind final : public engine::JobKind {
 public:
  std::string name() const override { return "master"; }

  Result<std::unique_ptr<Job>> Open(const Options& options, std::vector<uint8_t> input) override {
    Order order;
    order.rate = static_cast<int>(options.Integer("rate", 24000, 8000, 48000));
    order.target = std::clamp(options.Number("target", -16), -40.0, -5.0);
    order.ceiling = std::clamp(options.Number("ceiling", -1), -20.0, 0.0);
    order.tolerance = std::clamp(options.Number("tolerance", 0.2), 0.0, 3.0);
    order.known = options.Has("gain");
    order.gain_db = std::clamp(options.Number("gain", 0), -60.0, kMaxGainDb);
    order.fixed = options.Flag("fixed");
    const auto tone = options.Number("room_tone");
    const float room_tone =
        tone ? static_cast<float>(std::pow(10.0, std::clamp(*tone, -120.0, -30.0) / 20)) : 0;
    TRUNKLINE_ASSIGN_OR_RETURN(auto timeline,
                               Timeline::Open(std::string(options.Text("file")), input, room_tone));
    return std::unique_ptr<Job>(std::make_unique<MasterJob>(std::move(timeline), order));
  }
};

}  // namespace

std::shared_ptr<engine::JobKind> MakeMasterKind() {
  return std::make_shared<MasterKind>();
}

}  // namespace trunkline::cast
