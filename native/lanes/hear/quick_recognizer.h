// A Moonshine that makes the partials of English: the stock one, or one that the operator added. Callable from any thread.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "asr/asr.h"

namespace trunkline::hear {

class QuickRecognizer {
 public:
  explicit QuickRecognizer(std::shared_ptr<const asr::MoonshineModel> model, std::string folder = {},
                           std::shared_ptr<asr::RecognizerDevice> device = nullptr)
      : model_(std::move(model)), folder_(std::move(folder)), device_(std::move(device)) {}

  const std::shared_ptr<const asr::MoonshineModel>& moonshine() const { return model_; }
  // The stock model has none.
  const std::string& folder() const { return folder_; }
  // The model on the GPU; null where it runs on the processor alone.
  const std::shared_ptr<asr::RecognizerDevice>& device() const { return device_; }

  // The processor seconds of a partial; 0 until it is measured.
  double partial_seconds() const { return partial_seconds_.load(std::memory_order_relaxed); }
  void SetPartialSeconds(double seconds) { partial_seconds_.store(seconds, std::memory_order_relaxed); }

 private:
  const std::shared_ptr<const asr::MoonshineModel> model_;
  const std::string folder_;
  const std::shared_ptr<asr::RecognizerDevice> device_;
  std::atomic<double> partial_seconds_{0};
};

}  // namespace trunkline::hear
