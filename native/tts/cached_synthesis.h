// The synthesis of a text, a step at a time, or its audio from the cache (tts/sound_cache.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tts/sound_cache.h"
#include "tts/synthesis.h"

namespace trunkline::tts {

class CachedSynthesis {
 public:
  // `owner`: whose audio is cached together; empty: nothing is cached.
  static base::Result<std::unique_ptr<CachedSynthesis>> Open(std::shared_ptr<SpeechModels> models,
                                                             VoiceSpec voice, std::string_view text,
                                                             const std::string& owner, uint64_t seed);

  // Like Synthesis::Step. A step of cached audio gives a second of it.
  base::Status Step(const onnx::RunOptions* run, std::vector<float>& out);
  bool done() const;
  bool pending() const { return synthesis_ != nullptr && synthesis_->pending(); }
  void Submit(onnx::DeviceWork::Urgency urgency, std::function<void()> done) {
    synthesis_->Submit(urgency, std::move(done));
  }
  bool sounded() const;
  int rate() const { return cached_ ? cached_->rate : synthesis_->rate(); }
  int PauseAfter() const { return cached_ ? cached_->pause_after_ms : synthesis_->PauseAfter(); }

 private:
  explicit CachedSynthesis(std::shared_ptr<SpeechModels> models) : models_(std::move(models)) {}
  void Give(std::vector<float>& out);
  void Note(std::span<const float> made);

  const std::shared_ptr<SpeechModels> models_;
  std::string owner_, key_;
  uint64_t ticket_ = 0;  // 0: the audio is not cached
  std::shared_ptr<const CachedSound> cached_;
  size_t given_ = 0;  // samples of the cached audio that were output
  std::unique_ptr<Synthesis> synthesis_;
  std::vector<float> made_;  // audio to be cached, so far
};

}  // namespace trunkline::tts
