#include "lanes/speak/learn_voice_job.h"

#include "base/clock.h"
#include "engine/engine.h"
#include "lanes/speak/synthesize_job.h"
#include "tts/tts.h"

namespace trunkline::speak {
namespace {

using base::Result;
using base::Status;

// This is the deadline of all offline work, so that no job passes the others step after step.

class LearnVoiceJob final : public engine::Job {
 public:
  LearnVoiceJob(std::shared_ptr<tts::SpeechModels> models, tts::VoiceSpec voice)
      : learner_(std::move(models), std::move(voice)) {}

  engine::Task::Step Step(engine::JobIo& io) override {
    io.Schedule(engine::Priority::kOffline, io.now() + engine::kOfflineStepNanos);
    const auto known = learner_.Step(io.run_options());
    if (!known.ok()) return io.End(known.status());
    return *known == nullptr ? engine::Task::Step::kAgain : io.End(base::Ok());
  }

 private:
  tts::VoiceLearner learner_;
};

class LearnVoiceKind final : public engine::JobKind {
 public:
  std::string name() const override { return "learn_voice"; }
  engine::Priority priority(const engine::Options&) const override { return engine::Priority::kOffline; }

  Status Prepare(engine::Services& services) override {
    TRUNKLINE_ASSIGN_OR_RETURN(models_, SpeechService::Open(services));
    return base::Ok();
  }

  Result<std::unique_ptr<engine::Job>> Open(const engine::Options& options, std::vector<uint8_t>) override {
    TRUNKLINE_ASSIGN_OR_RETURN(auto voice, ReadVoice(options));
    return std::unique_ptr<engine::Job>(std::make_unique<LearnVoiceJob>(models_, std::move(voice)));
  }

 private:
  std::shared_ptr<tts::SpeechModels> models_;
};

}  // namespace

std::shared_ptr<engine::JobKind> MakeLearnVoiceKind() {
  return std::make_shared<LearnVoiceKind>();
}

}  // namespace trunkline::speak
