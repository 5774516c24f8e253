// Kokoro's generator on a GPU (models/recipes/kokoro/device_generator.py). It turns windows of equal length of many
// clauses into audio in one run. A window needs no state of its clause beside its frames, so it can be repeated, and a
// clause can go on with the processor's generator at any frame.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "onnx/onnx.h"
#include "tts/generator.h"

namespace trunkline::tts {

class GeneratorDevice;

// One window of a clause: its work on the device.
class GeneratorWindow final : public onnx::DeviceWork {
 public:
  std::span<const float> style;       // [128], rounded
  std::span<const float> statistics;  // GeneratorWeights::statistics
  std::vector<float> x;               // [512, frames]
  std::vector<float> harmonics;       // [22, 60 * frames + 1]
  size_t frames = 0;

  // The result: 300 * frames + 20 samples, before the window's sum is divided out.
  std::vector<float> raw;
};

struct GeneratorDeviceSettings {
  // Windows in one run.
  size_t max_windows = 64;
  onnx::DeviceScheduler::Settings scheduler;
};

class GeneratorDevice final : private onnx::DeviceScheduler::Model {
  friend class onnx::DeviceScheduler;

 public:
  // The lengths of windows, in frames. The first is short, so that a clause's first audio is ready soon.
  static constexpr std::array<size_t, 2> kFrames = {48, 120};

  // `weights` are the processor's, which were made from the same file.
  static base::Result<std::shared_ptr<GeneratorDevice>> Open(const onnx::SessionOpener& open,
                                                             const std::string& name,
                                                             const GeneratorWeights& weights,
                                                             const GeneratorDeviceSettings& settings);
  ~GeneratorDevice() override;

  // Returns false after a run has failed: clauses then go on with the processor's generator.
  bool serves() const { return serves_.load(std::memory_order_acquire); }
  // A window that came now would be made within `nanos`.
  bool HasCapacity(int64_t nanos) const { return scheduler_->WaitNanos() <= nanos; }
  onnx::DeviceStats stats() const { return scheduler_->stats(); }

  // `opens`: the first window of a clause, which the device refuses with kCapacity when it would be late.
  void Submit(GeneratorWindow& window, onnx::DeviceWork::Urgency urgency, bool opens,
              std::function<void()> done);
  // Between the two, a clause has windows to come.
  void Enter() { clauses_.fetch_add(1, std::memory_order_relaxed); }
  void Leave();

 private:
  GeneratorDevice(size_t statistics, const GeneratorDeviceSettings& settings)
      : statistics_(statistics), settings_(settings) {}
  // The first run of a graph takes up to half a second.
  base::Status WarmUp();

  size_t expected() const override { return clauses_.load(std::memory_order_relaxed); }
  std::vector<onnx::DeviceWork*> Choose(std::span<onnx::DeviceWork* const> waiting) override;
  base::Result<onnx::DeviceScheduler::GiveResults> Run(std::span<onnx::DeviceWork* const> batch) override;
  void Failed(const base::Status& status) override;

  const size_t statistics_;
  const GeneratorDeviceSettings settings_;
  const base::SystemClock clock_;
  std::unique_ptr<onnx::Session> session_;
  std::atomic<size_t> clauses_{0};
  std::atomic<bool> serves_{true};
  std::unique_ptr<onnx::DeviceScheduler> scheduler_;  // its thread uses all of the above
};

// A clause whose audio the device generates: the counterpart of GeneratorStream.
class GeneratorDeviceStream {
 public:
  GeneratorDeviceStream(std::shared_ptr<GeneratorDevice> device,
                        std::shared_ptr<const GeneratorWeights> weights, std::span<const float> style,
                        std::span<const float> statistics);
  ~GeneratorDeviceStream();
  GeneratorDeviceStream(const GeneratorDeviceStream&) = delete;
  GeneratorDeviceStream& operator=(const GeneratorDeviceStream&) = delete;

  void Append(const GeneratorFrames& frames, bool last);
  // Returns whether the appended frames suffice for `frames` more frames of audio.
  bool Has(size_t frames) const;
  bool done() const { return closed_ && made_ == end(); }

  // Chooses the next window. It is pending until Collect.
  void Begin();
  bool pending() const { return pending_; }
  void Submit(onnx::DeviceWork::Urgency urgency, std::function<void()> done);
  // Appends the samples of the window that was submitted and is done. After a failure the stream is of no more use, and
  // Continue goes on.
  base::Status Collect(std::vector<float>& out);

  // The rest of the clause on the processor. The first `skip` frames of its audio were made before.
  struct Rest {
    std::unique_ptr<GeneratorStream> stream;
    size_t skip = 0;
  };
  Rest Continue(std::span<const float> style) const;

 private:
  size_t end() const { return first_ + x_.size() / kGeneratorChannels; }
  // The frames from `begin` to `end`, as a graph takes them.
  void Copy(size_t begin, size_t end, std::vector<float>& x, std::vector<float>& harmonics) const;
  void Forget();

  const std::shared_ptr<GeneratorDevice> device_;
  const std::shared_ptr<const GeneratorWeights> weights_;
  const std::vector<float> style_, statistics_;
  std::vector<float> x_;          // [frames, 512], from frame first_ on
  std::vector<float> harmonics_;  // [60 * frames + 1, 22]
  size_t first_ = 0, made_ = 0;
  bool closed_ = false;
  GeneratorWindow window_;
  size_t window_begin_ = 0, window_until_ = 0;  // its first frame, and the end of the frames that it is for
  bool pending_ = false, opened_ = false;
};

}  // namespace trunkline::tts
