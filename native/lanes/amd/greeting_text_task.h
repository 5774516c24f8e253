// Recognizes a stretch of the greeting as far as it has gone. A task that starts too late to help is skipped:
// under load a verdict is made without words.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "asr/asr.h"
#include "engine/engine.h"
#include "lanes/hear/hear.h"

namespace trunkline::amd {

class GreetingTextTask final : public engine::LaneTask {
 public:
  explicit GreetingTextTask(hear::HearModels& models);

  // Prepares stretch `number`, at 8 kHz, from `start_s` to `end_s` of the call.
  void Prepare(std::span<const float> samples, uint32_t number, double start_s, double end_s,
               std::optional<asr::Language> language);
  Step Run() override;
  void Wait(std::function<void()> resume) override { transcriber_->Submit(std::move(resume)); }
  void Done(engine::LaneIo& io) override;

  // Changes on the media thread, from Prepare until the lane has taken the result.
  enum class State { kIdle, kAsked, kRead, kMissed };
  State state = State::kIdle;
  bool begun() const { return begun_.load(std::memory_order_relaxed); }

  uint32_t number() const { return number_; }
  double start_s() const { return start_s_; }
  double end_s() const { return end_s_; }
  // The processor time of the recognition.
  double took_s() const { return took_s_; }
  const asr::Transcript& transcript() const { return transcript_; }

 private:
  Step Read();

  hear::HearModels& models_;
  std::unique_ptr<asr::Transcriber> transcriber_;
  std::vector<float> samples_, wide_;
  std::optional<asr::Language> language_;
  uint32_t number_ = 0;
  double start_s_ = 0, end_s_ = 0, took_s_ = 0;
  std::atomic<bool> begun_{false};
  bool read_ = false;
  asr::Transcript transcript_;
};

}  // namespace trunkline::amd
