// Kokoro's prosody and decoder on a GPU (models/recipes/kokoro/device_front.py): the graphs of the processor in half
// precision, with their inputs and outputs. Clauses run there one after the other; what the GPU refuses or fails to do is
// done on the processor.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "onnx/onnx.h"

namespace trunkline::tts {

struct FrontDeviceSettings {
  onnx::DeviceScheduler::Settings scheduler;
  // A thread of the inference pool waits for a run, so that one that takes longer is left to end without it.
  int64_t max_wait_nanos = 500 * base::kNanosPerMilli;
};

class FrontDevice final : private onnx::DeviceScheduler::Model {
  friend class onnx::DeviceScheduler;

 public:
  enum Part : size_t { kProsody, kDecoder };

  // `open` takes the manifest's names, which begin with `stem`.
  static base::Result<std::shared_ptr<FrontDevice>> Open(const onnx::SessionOpener& open,
                                                         const std::string& stem,
                                                         const FrontDeviceSettings& settings);
  ~FrontDevice() override;

  // Returns false after a run has failed.
  bool serves() const { return serves_.load(std::memory_order_acquire); }
  onnx::DeviceStats stats() const { return scheduler_->stats(); }

  // Runs a part and waits for its outputs. Any failure, and a wait that is too long, leaves the work to the processor.
  base::Status Run(Part part, std::span<const onnx::Input> inputs, std::span<const onnx::Output> outputs);

 private:
  class Work;
  // A run reads and makes these; one that hangs keeps them.
  struct Call {
    Part part = kProsody;
    std::vector<std::string> in, out;
    std::vector<onnx::Tensor> given, made;
  };

  explicit FrontDevice(const FrontDeviceSettings& settings) : settings_(settings) {}
  base::Status RunCall(Call& call) const;
  // The first run of a graph takes up to half a second.
  base::Status WarmUp();

  size_t expected() const override { return 0; }
  std::vector<onnx::DeviceWork*> Choose(std::span<onnx::DeviceWork* const> waiting) override;
  base::Result<onnx::DeviceScheduler::GiveResults> Run(std::span<onnx::DeviceWork* const> batch) override;
  void Failed(const base::Status& status) override;

  const FrontDeviceSettings settings_;
  const base::SystemClock clock_;
  std::array<std::unique_ptr<onnx::Session>, 2> sessions_;
  std::atomic<bool> serves_{true};
  std::unique_ptr<onnx::DeviceScheduler> scheduler_;  // its thread uses all of the above
};

}  // namespace trunkline::tts
