#include "lanes/dub/mix_job.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "dsp/dsp.h"
#include "lanes/dub/ducking.h"
#include "lanes/dub/speech_remover.h"
#include "vad/vad.h"

namespace trunkline::dub {
namespace {

using base::Code;
using base::Status;
using engine::Chunk;
using engine::Options;
using engine::Task;

constexpr int kRate = SpeechRemover::kRate;
constexpr int kVoiceRate = 24000;
constexpr int kHeardRate = 16000;
constexpr size_t kMaxFrames = 60UL * kRate;
// The samples, spectra and gains of a minute in two channels.
constexpr size_t kMemory = size_t{96} << 20;

float FromDb(double db) {
  return static_cast<float>(std::pow(10, std::clamp(db, -120.0, 24.0) / 20));
}

struct Order {
  size_t frames = 0, channels = 1, before = 0, after = 0;
  bool removes = true;
  float duck = 1, voice = 1, rest = 1;
};

class MixJob final : public engine::Job {
 public:
  MixJob(std::shared_ptr<onnx::Session> activity, const Order& order, const std::vector<uint8_t>& input)
      : activity_(std::move(activity)), order_(order) {
    std::vector<int16_t> pcm;
    dsp::FromWire(input, pcm);
    std::vector<float> samples(pcm.size());
    dsp::ToFloat(pcm, samples);
    const size_t original = order_.frames * order_.channels;
    for (size_t c = 0; c < order_.channels; ++c) {
      rest_.emplace_back(order_.frames);
      for (size_t i = 0; i < order_.frames; ++i) rest_[c][i] = samples[i * order_.channels + c];
    }
    voices_.assign(samples.begin() + static_cast<ptrdiff_t>(original), samples.end());
  }

  Task::Step Step(engine::JobIo& io) override {
    io.Schedule(engine::Priority::kOffline, io.now() + engine::kOfflineStepNanos);
    if (!order_.removes) return Mix(io);
    if (!remover_) return Listen(io);
    return remover_->Step() ? Mix(io) : Task::Step::kAgain;
  }

 private:
  Task::Step Listen(engine::JobIo& io) {
    if (!heard_) {
      std::vector<float> middle = rest_[0];
      if (order_.channels == 2) {
        for (size_t i = 0; i < middle.size(); ++i) middle[i] = 0.5f * (middle[i] + rest_[1][i]);
      }
      middle_ = dsp::ResampleWhole(middle, kRate, kHeardRate, dsp::Grade::kSpeech);
      heard_.emplace(activity_, middle_);
      return Task::Step::kAgain;
    }
    const auto done = heard_->Step();
    if (!done.ok()) return io.End(done.status());
    if (!*done) return Task::Step::kAgain;
    io.Progress(0.3f);
    const size_t frame = vad::FrameSamples(vad::VadRate::k16k) * (kRate / kHeardRate);
    remover_.emplace(rest_.front(), rest_.back(), heard_->likelihoods(), frame);
    return Task::Step::kAgain;
  }

  Task::Step Mix(engine::JobIo& io) {
    std::vector<float> voices = dsp::ResampleWhole(voices_, kVoiceRate, kRate, dsp::Grade::kStrict);
    voices.resize(order_.frames);
    const std::vector<float> gain = DuckingGain(voices, kRate, order_.duck);
    dsp::Limiter::Options limits;
    for (std::vector<float>& channel : rest_) {
      for (size_t i = 0; i < order_.frames; ++i)
        channel[i] = channel[i] * gain[i] * order_.rest + voices[i] * order_.voice;
      dsp::Limiter limiter(kRate, limits);
      const size_t late = limiter.delay_samples();
      channel.resize(order_.frames + late);
      limiter.Process(channel, channel);
      channel.erase(channel.begin(), channel.begin() + static_cast<ptrdiff_t>(late));
    }
    return Answer(io);
  }

  Task::Step Answer(engine::JobIo& io) {
    const size_t frames = order_.frames - order_.before - order_.after;
    std::vector<float> interleaved(frames * order_.channels);
    for (size_t c = 0; c < order_.channels; ++c) {
      for (size_t i = 0; i < frames; ++i) interleaved[i * order_.channels + c] = rest_[c][order_.before + i];
    }
    std::vector<int16_t> pcm(interleaved.size());
    dsp::ToInt16(interleaved, pcm);
    const auto* bytes = reinterpret_cast<const uint8_t*>(pcm.data());
    io.Emit(Chunk(bytes, bytes + pcm.size() * sizeof(int16_t)));
    return io.End(base::Ok());
  }

  std::shared_ptr<onnx::Session> activity_;
  const Order order_;
  std::vector<std::vector<float>> rest_;
  std::vector<float> voices_;
  std::vector<float> middle_;
  std::optional<vad::RecordingActivity> heard_;
  std::optional<SpeechRemover> remover_;
};

class MixKind final : public engine::JobKind {
 public:
  std::string name() const override { return "dub_mix"; }
  size_t memory() const override { return kMemory; }

  Status Prepare(engine::Services& services) override {
    TRUNKLINE_ASSIGN_OR_RETURN(activity_, vad::Silero::OpenModel(services.opener()));
    return base::Ok();
  }

  base::Result<std::unique_ptr<engine::Job>> Open(const Options& options,
                                                  std::vector<uint8_t> input) override {
    Order order;
    order.frames = static_cast<size_t>(options.Integer("frames", 0, 0, INT32_MAX));
    order.channels = static_cast<size_t>(options.Integer("channels", 1, 1, 2));
    order.before = static_cast<size_t>(options.Integer("before", 0, 0, INT32_MAX));
    order.after = static_cast<size_t>(options.Integer("after", 0, 0, INT32_MAX));
    order.removes = options.Flag("removes", true);
    order.duck = FromDb(-options.Number("duck_db", 0));
    order.voice = FromDb(options.Number("voice_db", 0));
    order.rest = FromDb(options.Number("rest_db", 0));
    if (order.frames == 0 || order.frames > kMaxFrames || order.before + order.after > order.frames) {
      return Status(Code::kInvalidArgument, "a piece to be dubbed is at most 60 s");
    }
    if (input.size() / 2 < order.frames * order.channels) {
      return Status(Code::kInvalidArgument, "the input is shorter than its frames");
    }
    return std::unique_ptr<engine::Job>(std::make_unique<MixJob>(activity_, order, input));
  }

 private:
  std::shared_ptr<onnx::Session> activity_;
};

}  // namespace

std::shared_ptr<engine::JobKind> MakeMixKind() {
  return std::make_shared<MixKind>();
}

}  // namespace trunkline::dub
