// The recognition models, opened once and shared by all kinds.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "asr/asr.h"
#include "base/status.h"
#include "engine/engine.h"
#include "lanes/hear/quick_recognizer.h"
#include "lanes/hear/recognizer.h"
#include "vad/vad.h"

namespace trunkline::hear {

class HearModels {
 public:
  HearModels(const HearModels&) = delete;
  HearModels& operator=(const HearModels&) = delete;

  // Returns kNotReady with the file's name when one is missing. The first caller opens them, on its own
  // thread.
  static base::Result<std::shared_ptr<HearModels>> Open(engine::Services& services);

  const std::shared_ptr<onnx::Session>& voice_activity() const { return voice_activity_; }
  vad::SmartTurn& smart_turn() const { return *smart_turn_; }
  const std::shared_ptr<const asr::WhisperModel>& whisper() const { return recognizer_->whisper(); }
  // The stock model, which also makes the partials of other languages than English.
  const std::shared_ptr<Recognizer>& recognizer() const { return recognizer_; }
  // The stock quick recognizer. Interruptions are judged by it alone, because what tells backchannels was trained on its rows
  // and tokens.
  const std::shared_ptr<QuickRecognizer>& quick() const { return quick_; }
  const std::shared_ptr<const asr::MoonshineModel>& moonshine() const { return quick_->moonshine(); }

  // For each token of the stock quick recognizer, whether a backchannel may begin with it.
  const std::vector<uint8_t>& listening_starts() const { return listening_starts_; }

  std::unique_ptr<asr::Transcriber> TakeTranscriber() { return recognizer_->Take(); }
  void Give(std::unique_ptr<asr::Transcriber> transcriber) { recognizer_->Give(std::move(transcriber)); }

  // Opens a recognizer that the operator added, which takes seconds: on a pool thread. It stays open, and runs on the
  // GPU too where the folder has the forms for one.
  base::Result<std::shared_ptr<Recognizer>> OpenRecognizer(const std::string& folder,
                                                           engine::Services& services);
  // Returns the stock recognizer for an empty folder, and null for one that is not open.
  std::shared_ptr<Recognizer> FindRecognizer(std::string_view folder);
  // The same of a quick recognizer, which runs on the processor.
  base::Result<std::shared_ptr<QuickRecognizer>> OpenQuick(const std::string& folder);
  std::shared_ptr<QuickRecognizer> FindQuick(std::string_view folder);
  // Closes the added ones of both kinds but these; one that is in use ends with its last stream.
  void CloseRecognizersBut(const std::vector<std::string>& folders, engine::Services& services);
  // Returns the sums of all recognizers on the GPU, with the time of the slowest one's batches; nothing without one.
  std::optional<onnx::DeviceStats> device_stats() const;

 private:
  HearModels() = default;

  std::shared_ptr<onnx::Session> voice_activity_;
  std::shared_ptr<vad::SmartTurn> smart_turn_;
  std::shared_ptr<Recognizer> recognizer_;
  std::shared_ptr<onnx::Runtime> runtime_;
  std::mutex opening_mutex_;  // held while a model is opened, so that two jobs do not open it twice
  mutable std::mutex added_mutex_;
  std::vector<std::shared_ptr<Recognizer>> added_;
  std::vector<std::shared_ptr<QuickRecognizer>> added_quick_;
  std::shared_ptr<QuickRecognizer> quick_;
  std::vector<uint8_t> listening_starts_;
  std::vector<std::shared_ptr<onnx::Placement>> placements_;
};

}  // namespace trunkline::hear
