// The recognition models, opened once and shared by all kinds.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "asr/asr.h"
#include "base/status.h"
#include "engine/engine.h"
#include "vad/vad.h"

namespace trunkline::hear {

class TurnBatch final : public engine::BatchGroup {
 public:
  size_t limit() const override { return 16; }
  void Run(std::span<engine::Task* const> tasks) override;
};

class HearModels {
 public:
  ~HearModels();
  HearModels(const HearModels&) = delete;
  HearModels& operator=(const HearModels&) = delete;

  // Returns kNotReady with the file's name when one is missing. The first caller opens them, on its own
  // thread.
  static base::Result<std::shared_ptr<HearModels>> Open(engine::Services& services);

  const std::shared_ptr<onnx::Session>& voice_activity() const { return voice_activity_; }
  const vad::SmartTurn& smart_turn() const { return *smart_turn_; }
  // On a GPU, the end-of-turn model checks the pauses of several calls in one run.
  TurnBatch& turn_batch() { return turn_batch_; }
  const std::shared_ptr<const asr::WhisperModel>& whisper() const { return whisper_; }
  const std::shared_ptr<const asr::MoonshineModel>& moonshine() const { return moonshine_; }

  // For each token of the quick English recognizer, whether a backchannel may begin with it.
  const std::vector<uint8_t>& listening_starts() const { return listening_starts_; }

  // The working memory of a recognition, tens of megabytes, reused by the next. Callable from any thread
  // without waiting.
  std::unique_ptr<asr::Transcriber> TakeTranscriber();
  void Give(std::unique_ptr<asr::Transcriber> transcriber);

 private:
  HearModels() = default;

  std::shared_ptr<onnx::Session> voice_activity_;
  std::unique_ptr<vad::SmartTurn> smart_turn_;
  TurnBatch turn_batch_;
  std::shared_ptr<const asr::WhisperModel> whisper_;
  std::shared_ptr<const asr::MoonshineModel> moonshine_;
  std::vector<uint8_t> listening_starts_;
  std::vector<std::shared_ptr<onnx::Placement>> placements_;
  // More idle ones are freed, so that a burst of calls does not hold memory.
  static constexpr size_t kMostIdle = 8;
  std::array<std::atomic<asr::Transcriber*>, kMostIdle> idle_{};
};

}  // namespace trunkline::hear
