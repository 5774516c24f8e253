#include "lanes/speak/forget_sounds_job.h"

#include <string>

#include "engine/engine.h"
#include "lanes/speak/synthesize_job.h"
#include "tts/tts.h"

namespace trunkline::speak {
namespace {

using base::Result;
using base::Status;

class ForgetSoundsJob final : public engine::Job {
 public:
  ForgetSoundsJob(std::shared_ptr<tts::SpeechModels> models, std::string_view owner)
      : models_(std::move(models)), owner_(owner) {}

  engine::Task::Step Step(engine::JobIo& io) override {
    if (owner_.empty()) {
      models_->sound_cache().ForgetAll();
    } else {
      models_->sound_cache().Forget(owner_);
    }
    return io.End(base::Ok());
  }

 private:
  const std::shared_ptr<tts::SpeechModels> models_;
  const std::string owner_;
};

class ForgetSoundsKind final : public engine::JobKind {
 public:
  std::string name() const override { return "forget_sounds"; }
  engine::Priority priority(const engine::Options&) const override { return engine::Priority::kPartial; }

  Status Prepare(engine::Services& services) override {
    TRUNKLINE_ASSIGN_OR_RETURN(models_, SpeechService::Open(services));
    return base::Ok();
  }

  Result<std::unique_ptr<engine::Job>> Open(const engine::Options& options, std::vector<uint8_t>) override {
    return std::unique_ptr<engine::Job>(std::make_unique<ForgetSoundsJob>(models_, options.Text("owner")));
  }

 private:
  std::shared_ptr<tts::SpeechModels> models_;
};

}  // namespace

std::shared_ptr<engine::JobKind> MakeForgetSoundsKind() {
  return std::make_shared<ForgetSoundsKind>();
}

}  // namespace trunkline::speak
