#include "lanes/omni/voice_vector_task.h"

#include <algorithm>
#include <utility>

namespace trunkline::omni {

VoiceVectorTask::VoiceVectorTask(std::shared_ptr<const speaker::SpeakerEncoder> model,
                                 std::function<void()> known)
    : model_(std::move(model)), known_(std::move(known)) {
  samples_.reserve(kMaxSamples);
}

void VoiceVectorTask::Prepare(std::span<const float> samples) {
  const auto newest = samples.last(std::min(samples.size(), kMaxSamples));
  samples_.assign(newest.begin(), newest.end());
  vector_.reset();
}

engine::Task::Step VoiceVectorTask::Run() {
  const auto vector = model_->Of(fbank_.Features(samples_), run_options());
  if (vector.ok()) std::copy_n(vector->begin(), vector_.emplace().size(), vector_->begin());
  return Step::kDone;
}

void VoiceVectorTask::Done(engine::LaneIo&) {
  if (cancelled() || faulted()) vector_.reset();
  known_();
}

}  // namespace trunkline::omni
