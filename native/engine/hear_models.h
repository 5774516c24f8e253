// The models that hearing needs, opened once and shared by every kind that hears.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "asr/moonshine.h"
#include "asr/transcriber.h"
#include "asr/whisper_model.h"
#include "base/status.h"
#include "engine/services.h"
#include "vad/silero.h"
#include "vad/smart_turn.h"

namespace trunkline::engine {

class HearModels {
 public:
  // kNotReady, naming the file, when one is missing. The first caller opens them, on whatever thread it is.
  static base::Result<std::shared_ptr<HearModels>> Open(Services& services);

  const std::shared_ptr<onnx::Session>& voice_activity() const { return voice_activity_; }
  const vad::SmartTurn& smart_turn() const { return *smart_turn_; }
  const std::shared_ptr<const asr::WhisperModel>& whisper() const { return whisper_; }
  const std::shared_ptr<const asr::MoonshineModel>& moonshine() const { return moonshine_; }

  // For each token of the quick English recognizer whether a sign of listening may begin with it.
  const std::vector<uint8_t>& listening_starts() const { return listening_starts_; }

  // Working memory of a recognition, tens of megabytes, kept for the next. Pool threads; the lock is held for
  // a moment.
  std::unique_ptr<asr::Transcriber> TakeTranscriber();
  void Give(std::unique_ptr<asr::Transcriber> transcriber);

 private:
  HearModels() = default;

  std::shared_ptr<onnx::Session> voice_activity_;
  std::unique_ptr<vad::SmartTurn> smart_turn_;
  std::shared_ptr<const asr::WhisperModel> whisper_;
  std::shared_ptr<const asr::MoonshineModel> moonshine_;
  std::vector<uint8_t> listening_starts_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<asr::Transcriber>> idle_;
};

}  // namespace trunkline::engine
