// The Smart Turn end-of-turn model: how likely it is that a speaker who has just paused has finished. About
// 40 ms a run: for the inference pool, never for a media thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "dsp/dsp.h"
#include "onnx/onnx.h"

namespace trunkline::vad {

// A pause's work on a GPU.
class TurnWork final : public onnx::DeviceWork {
 public:
  // Valid once the work is done and its status is ok.
  float probability() const { return probability_; }

 private:
  friend class SmartTurn;
  std::vector<float> mel_;
  float probability_ = 0;
};

class SmartTurn final : private onnx::DeviceScheduler::Model {
  friend class onnx::DeviceScheduler;

 public:
  static constexpr size_t kSamples = 8 * dsp::LogMel::kRate;

  // `scheduler` is for a GPU.
  static base::Result<std::shared_ptr<SmartTurn>> Open(const onnx::SessionOpener& open,
                                                       const onnx::DeviceScheduler::Settings& scheduler = {});
  ~SmartTurn() override;

  // Uses the last 8 s of `samples` (16 kHz). Thread-safe.
  base::Result<float> Finished(std::span<const float> samples) const;

  // Returns whether a GPU checks the pauses of several calls in one run. Otherwise, and for work that fails, there is
  // Finished.
  bool serves_on_gpu() const { return scheduler_ != nullptr && serves_.load(std::memory_order_acquire); }
  // Uses `samples` as Finished does. `done` is called once, on any thread.
  void Submit(TurnWork& work, std::span<const float> samples, onnx::DeviceWork::Urgency urgency,
              std::function<void()> done);
  onnx::DeviceStats stats() const {
    return scheduler_ == nullptr ? onnx::DeviceStats{} : scheduler_->stats();
  }

 private:
  explicit SmartTurn(std::unique_ptr<onnx::Session> model) : model_(std::move(model)) {}
  std::vector<float> Features(std::span<const float> samples) const;

  // The next pause may be any caller's, so a pause always waits for others.
  size_t expected() const override { return SIZE_MAX; }
  std::vector<onnx::DeviceWork*> Choose(std::span<onnx::DeviceWork* const> waiting) override;
  base::Result<onnx::DeviceScheduler::GiveResults> Run(std::span<onnx::DeviceWork* const> batch) override;
  void Failed(const base::Status& status) override;

  const std::unique_ptr<onnx::Session> model_;
  dsp::LogMel log_mel_;
  const base::SystemClock clock_;
  std::atomic<bool> serves_{true};
  std::unique_ptr<onnx::DeviceScheduler> scheduler_;  // It is null on the processor.
};

}  // namespace trunkline::vad
