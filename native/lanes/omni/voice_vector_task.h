// Computes the vector of a voice for the speaker lock, on a pool thread: 40 ms for each second of speech.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "lanes/omni/speaker_lock.h"
#include "speaker/speaker.h"

namespace trunkline::omni {

class VoiceVectorTask final : public engine::LaneTask {
 public:
  // Only the end of longer speech is read: a step stays under 100 ms.
  static constexpr size_t kMaxSamples = 5 * 16000 / 2;

  VoiceVectorTask(std::shared_ptr<const speaker::SpeakerEncoder> model, std::function<void()> known);

  // Media thread. Copies `samples` (16 kHz).
  void Prepare(std::span<const float> samples);
  // Media thread, after Done: nothing where it failed or was cancelled.
  const std::optional<VoiceVector>& vector() const { return vector_; }
  Step Run() override;
  void Done(engine::LaneIo& io) override;

 private:
  const std::shared_ptr<const speaker::SpeakerEncoder> model_;
  const std::function<void()> known_;
  const speaker::Fbank fbank_;
  std::vector<float> samples_;
  std::optional<VoiceVector> vector_;
};

}  // namespace trunkline::omni
