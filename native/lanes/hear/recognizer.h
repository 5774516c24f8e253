// A Whisper model that writes finals: the stock one, or one that the operator added. It owns the working
// memory of its recognitions. Callable from any thread.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "asr/asr.h"
#include "base/clock.h"

namespace trunkline::hear {

class Recognizer {
 public:
  explicit Recognizer(std::shared_ptr<const asr::WhisperModel> model, std::string folder = {},
                      std::shared_ptr<asr::RecognizerDevice> device = nullptr)
      : model_(std::move(model)), folder_(std::move(folder)), device_(std::move(device)) {}
  ~Recognizer();
  Recognizer(const Recognizer&) = delete;
  Recognizer& operator=(const Recognizer&) = delete;

  const std::shared_ptr<const asr::WhisperModel>& whisper() const { return model_; }
  // The stock model has none.
  const std::string& folder() const { return folder_; }

  // The model on the GPU; null where it runs on the processor alone.
  const std::shared_ptr<asr::RecognizerDevice>& device() const { return device_; }

  // The working memory of a recognition, tens of megabytes, reused by the next. Taking it does not wait.
  std::unique_ptr<asr::Transcriber> Take();
  void Give(std::unique_ptr<asr::Transcriber> transcriber);

  // The processor seconds of a final of three seconds that the processor writes; 0 until it is measured.
  double final_seconds() const { return final_seconds_.load(std::memory_order_relaxed); }
  void SetFinalSeconds(double seconds) { final_seconds_.store(seconds, std::memory_order_relaxed); }
  // The processor's part of a final on the GPU; 0 until it is measured.
  void SetGpuFinalSeconds(double seconds) { gpu_final_seconds_.store(seconds, std::memory_order_relaxed); }
  // The processor seconds of a final where finals are written now.
  double final_seconds_now() const {
    const double on_gpu = gpu_final_seconds_.load(std::memory_order_relaxed);
    return serves_on_gpu() && on_gpu > 0 ? on_gpu : final_seconds();
  }

  bool serves_on_gpu() const { return device_ != nullptr && device_->serves(); }
  // Returns false where a final that came now would wait too long for the GPU: no call is opened then.
  bool HasGpuCapacity() const { return !serves_on_gpu() || device_->HasCapacity(kMaxGpuWait); }

 private:
  const std::shared_ptr<const asr::WhisperModel> model_;
  const std::string folder_;
  const std::shared_ptr<asr::RecognizerDevice> device_;
  // A window has 500 ms on the GPU (onnx::DeviceWork::Urgency).
  static constexpr int64_t kMaxGpuWait = 300 * base::kNanosPerMilli;
  std::atomic<double> final_seconds_{0}, gpu_final_seconds_{0};
  // More idle ones are freed, so that a burst of calls does not hold memory.
  static constexpr size_t kMaxIdle = 8;
  std::array<std::atomic<asr::Transcriber*>, kMaxIdle> idle_{};
};

}  // namespace trunkline::hear
