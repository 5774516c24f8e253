// The forms of Whisper and Moonshine for a GPU (models/recipes/whisper/gpu.py, models/recipes/moonshine/gpu.py) and the
// windows of all calls on them.
//
// A window has a slot: a row of the pools of the encoder's keys and values, which stay on the device, and as many
// rows in the pools of the texts' as a window follows texts. Windows of a length class are encoded together into
// neighbouring slots; steps of the texts of many windows of a class go into one run. The scheduler's thread alone runs
// the graphs.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "asr/whisper_settings.h"
#include "asr/window.h"
#include "base/clock.h"
#include "base/status.h"
#include "onnx/onnx.h"
#include "text/tokens/tokens.h"

namespace trunkline::asr {

class RecognizerDevice;

// The part of a window that is on the device, and its next work there. A window has one work at a time.
class DeviceWindow final : public onnx::DeviceWork {
 public:
  // The tokens of a text, as in the graph (ROOM).
  static constexpr size_t kTokens = 232;
  // The most texts that a window of Whisper follows.
  static constexpr size_t kTexts = 5;

  // Encoding: [lines, row_numbers * window->rows()] (RecognizerShape); both live until the work is done.
  std::span<const float> sound;
  const Window* window = nullptr;
  // A step: the texts' tokens, those before `first` are on the device.
  std::span<const std::vector<text::TokenId>> texts;
  size_t first = 0;
  bool attends = false;  // the attention is wanted; for one text
  // Names where the tokens of each text lie in the pools, in this window's own slot.
  std::vector<std::vector<int64_t>> places;

  // Results of a step: [texts, vocabulary], and [alignment heads, tokens of the step, rows].
  std::vector<float> logits, attention;

  size_t length() const { return texts.front().size(); }
  bool encoded() const { return encoded_; }

 private:
  friend class RecognizerDevice;
  std::optional<size_t> slot_;  // a row of its length class
  size_t length_class_ = 0;
  bool live_ = false;
  bool open_ = false;  // it was submitted and not released
  bool encoded_ = false;
};

// The shape of a recognizer's graphs.
struct RecognizerShape {
  static constexpr size_t kClasses = 3;

  int64_t layers = 0, heads = 0, width = 0, vocabulary = 0;
  // Heads whose attention the decoder returns; without any, it has no such output.
  int64_t alignment_heads = 0;
  // The encoder's input: the lines of a window, and each line's numbers for a row.
  const char* sound = "mel";
  size_t lines = 0, row_numbers = 2;
  // The rows of each length class; the last holds every window.
  std::array<size_t, kClasses> rows = {512, 1024, kWindowRows};
  // The most texts that one window follows.
  size_t texts = DeviceWindow::kTexts;

  int64_t head_width() const { return width / heads; }
};

RecognizerShape ShapeOf(const WhisperSettings& whisper);

struct RecognizerDeviceSettings {
  // Windows of each length class that are on the device at once: of up to 6, 18 and 30 s for Whisper.
  std::array<size_t, 3> windows = {64, 32, 32};
  // Texts in one step.
  size_t max_texts = 320;
  // Tokens in one step, where texts read prompts.
  size_t max_tokens = 2048;
  onnx::DeviceScheduler::Settings scheduler;
};

class RecognizerDevice final : private onnx::DeviceScheduler::Model {
  friend class onnx::DeviceScheduler;

 public:
  // `open` takes the manifest's names. kBadModel when the graphs are not of this shape.
  static base::Result<std::shared_ptr<RecognizerDevice>> Open(const onnx::SessionOpener& open,
                                                              const std::string& stem,
                                                              const RecognizerShape& shape,
                                                              const RecognizerDeviceSettings& settings);
  ~RecognizerDevice() override;

  // Returns false after a run has failed: windows then stay on the processor.
  bool serves() const { return serves_.load(std::memory_order_acquire); }
  // A window that came now would be encoded within `nanos`.
  bool HasCapacity(int64_t nanos) const { return scheduler_->WaitNanos() <= nanos; }
  onnx::DeviceStats stats() const { return scheduler_->stats(); }
  // The memory of its pools on the device.
  size_t pool_bytes() const;

  // Encodes the window, or steps its texts. After a failure the window is not on the device.
  void Submit(DeviceWindow& window, onnx::DeviceWork::Urgency urgency, std::function<void()> done);
  // Gives the window's slot back. None of its work may be in flight.
  void Release(DeviceWindow& window);

 private:
  static constexpr size_t kClasses = RecognizerShape::kClasses;

  struct Names {
    std::string self_in, self_out, cross;
  };
  struct LengthClass {
    std::vector<bool> taken;
    size_t first_text = 0;            // its first row of the pools of the texts
    std::vector<onnx::Tensor> cross;  // [windows, …] for each of names_
  };

  explicit RecognizerDevice(const RecognizerShape& shape, const RecognizerDeviceSettings& settings)
      : shape_(shape), settings_(settings) {}
  base::Status CheckGraphs() const;
  base::Status Allocate();
  // The first run of a graph takes up to half a second.
  base::Status WarmUp();

  size_t expected() const override { return open_.load(std::memory_order_relaxed); }
  std::vector<onnx::DeviceWork*> Choose(std::span<onnx::DeviceWork* const> waiting) override;
  base::Result<onnx::DeviceScheduler::GiveResults> Run(std::span<onnx::DeviceWork* const> batch) override;
  void Failed(const base::Status& status) override;

  // Takes neighbouring slots for as many of the windows as have room; returns how many.
  size_t TakeSlots(std::span<DeviceWindow* const> windows);
  base::Result<onnx::DeviceScheduler::GiveResults> Encode(std::span<DeviceWindow* const> windows);
  base::Result<onnx::DeviceScheduler::GiveResults> Step(std::span<DeviceWindow* const> windows);
  std::vector<int64_t> CrossShape(size_t name, size_t rows, size_t windows) const;

  const RecognizerShape shape_;
  const RecognizerDeviceSettings settings_;
  const base::SystemClock clock_;
  std::vector<Names> names_;
  std::unique_ptr<onnx::Session> encoder_, decoder_;
  std::unique_ptr<onnx::DeviceMemory> memory_;
  std::vector<onnx::Tensor> self_;  // [texts, kTokens, width] for each of names_
  std::mutex slots_mutex_;
  std::array<LengthClass, kClasses> classes_;
  std::atomic<size_t> open_{0};  // windows that were submitted and not released
  std::atomic<bool> serves_{true};
  std::unique_ptr<onnx::DeviceScheduler> scheduler_;  // its thread uses all of the above
};

}  // namespace trunkline::asr
