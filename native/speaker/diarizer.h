// Finds who speaks when in a stretch of speech: pieces of at most 2.5 s in which one person speaks on, each with a vector of
// the voice. Pieces overlap where people do. Which pieces are one person's is for whoever has all of a recording's pieces to
// say: the vectors tell it, and better than the numbers of the segmentation do.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "onnx/onnx.h"
#include "speaker/fbank.h"
#include "speaker/segmentation.h"
#include "speaker/speaker_encoder.h"

namespace trunkline::speaker {

struct SpeakerSegment {
  float start = 0, end = 0;  // seconds
  // How long the person speaks alone. The vector is of that speech only, and empty when there is too little of it.
  float alone = 0;
  std::vector<float> vector;
};

struct DiarizationModels {
  std::shared_ptr<const Segmentation> segmentation;
  std::shared_ptr<const SpeakerEncoder> embedding;
};

// Reads a stretch a step at a time, so that more urgent work can run in between.
class Diarizer {
 public:
  // `samples` at 16 kHz, full scale 1.
  Diarizer(DiarizationModels models, std::vector<float> samples);

  // Runs one model once. Returns true when all is read.
  base::Result<bool> Step(const onnx::RunOptions* run);
  float progress() const;
  const std::vector<SpeakerSegment>& pieces() const { return pieces_; }
  // Whether the audio came over a telephone line: above 4 kHz there is nothing. Two voices are more alike there.
  bool narrow_band() const { return narrow_band_; }

 private:
  // A piece in frames of the segmentation; the end is exclusive.
  struct Span {
    size_t person = 0, first = 0, end = 0;
  };

  base::Status Segment(const onnx::RunOptions* run);
  base::Status Embed(const onnx::RunOptions* run);
  void Split();

  const DiarizationModels models_;
  const std::vector<float> samples_;
  SegmentationTimeline timeline_;
  size_t next_window_ = 0;  // its first sample
  bool segmented_ = false;
  bool narrow_band_ = false;
  // Those of the encoder.
  std::vector<float> features_;
  std::vector<Span> spans_;
  std::vector<SpeakerSegment> pieces_;
};

}  // namespace trunkline::speaker
