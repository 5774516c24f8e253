// pyannote segmentation 3.0: in each frame of a window of 10 s, which of at most three people speak. Who is "the first"
// holds within a window alone. Not for the realtime path.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "onnx/onnx.h"

namespace trunkline::speaker {

class Segmentation {
 public:
  static constexpr size_t kMaxSpeakers = 3;
  static constexpr size_t kWindow = 160000;              // samples at 16 kHz
  static constexpr size_t kHop = 270, kReceptive = 991;  // samples: a frame every, and what one sees

  // A bit for each of the people who speak.
  using Frame = uint8_t;

  // Returns kBadModel when the session is of another model.
  static base::Result<std::unique_ptr<Segmentation>> Create(std::unique_ptr<onnx::Session> session);

  static size_t FramesIn(size_t samples) {
    return samples < kReceptive ? 0 : 1 + (samples - kReceptive) / kHop;
  }
  // The frames of at most kWindow samples; what is shorter is followed by silence.
  base::Result<std::vector<Frame>> Of(std::span<const float> samples, const onnx::RunOptions* run) const;

 private:
  Segmentation() = default;
  std::unique_ptr<onnx::Session> session_;
};

// Joins the frames of windows that overlap: gives the people of each window the numbers that agree best with those before.
class SegmentationTimeline {
 public:
  // `first`: where in the recording, in frames, the window begins. Windows come in order.
  void Add(size_t first, std::span<const Segmentation::Frame> window);
  const std::vector<Segmentation::Frame>& frames() const { return frames_; }

 private:
  std::vector<Segmentation::Frame> frames_;
};

}  // namespace trunkline::speaker
