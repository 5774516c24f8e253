#include "speaker/diarizer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "speaker/mel.h"

namespace trunkline::speaker {
namespace {

// Windows of 10 s begin every 5 s, to a whole frame.
constexpr size_t kWindowStep = 296 * Segmentation::kHop;
// A shorter silence within somebody's speech does not end a piece. Measured on turns of 27 people: with pieces of 4 s and
// more, one of which now and then holds two people, three to nine times as much speech stands under a wrong name.
constexpr size_t kGapFrames = static_cast<size_t>(0.2 * kRate / Segmentation::kHop);
constexpr double kLongestFrames = 2.5 * kRate / Segmentation::kHop;

bool Alone(Segmentation::Frame frame, size_t person) {
  return frame == 1U << person;
}

// The greatest level of the bands above 4.6 kHz relative to those from 0.9 to 3.6 kHz, as logarithms of the power: -5.8 and
// more in recordings of 70 people at 16 kHz, -9.8 and less in the same at 8 kHz and by telephone.
constexpr float kNarrow = -8;
constexpr size_t kLowBand = 20, kLowBandEnd = 56, kHighBand = 64;
constexpr size_t kLoudestPercent = 95;

float Mean(std::span<const float> values) {
  return std::accumulate(values.begin(), values.end(), 0.0F) / static_cast<float>(values.size());
}

float Loudest(std::vector<float> values) {
  const size_t at = (values.size() - 1) * kLoudestPercent / 100;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

bool IsNarrowBand(std::span<const float> features) {
  std::vector<float> low;
  std::vector<float> high;
  for (size_t at = 0; at < features.size(); at += Fbank::kBands) {
    const auto row = features.subspan(at, Fbank::kBands);
    low.push_back(Mean(row.subspan(kLowBand, kLowBandEnd - kLowBand)));
    high.push_back(Mean(row.subspan(kHighBand)));
  }
  return !low.empty() && Loudest(std::move(high)) - Loudest(std::move(low)) < kNarrow;
}

// The frame of the segmentation that a row of features lies in.
size_t FrameOfRow(size_t row) {
  const double middle = static_cast<double>(row * Fbank::kHop) + Fbank::kFrame / 2.0;
  const double frame = (middle - Segmentation::kReceptive / 2.0) / static_cast<double>(Segmentation::kHop);
  return static_cast<size_t>(std::max(0.0, std::round(frame)));
}

float SecondsAt(size_t frame) {
  const auto middle = static_cast<double>(frame * Segmentation::kHop) + Segmentation::kReceptive / 2.0;
  return static_cast<float>((middle - Segmentation::kHop / 2.0) / kRate);
}

}  // namespace

Diarizer::Diarizer(DiarizationModels models, std::vector<float> samples)
    : models_(std::move(models)), samples_(std::move(samples)) {}

base::Result<bool> Diarizer::Step(const onnx::RunOptions* run) {
  if (!segmented_) {
    TRUNKLINE_RETURN_IF_FAILED(Segment(run));
    return false;
  }
  if (pieces_.size() == spans_.size()) return true;
  TRUNKLINE_RETURN_IF_FAILED(Embed(run));
  return pieces_.size() == spans_.size();
}

float Diarizer::progress() const {
  if (!segmented_) {
    return 0.5F * static_cast<float>(next_window_) / static_cast<float>(std::max<size_t>(samples_.size(), 1));
  }
  return 0.5F +
         0.5F * static_cast<float>(pieces_.size()) / static_cast<float>(std::max<size_t>(spans_.size(), 1));
}

base::Status Diarizer::Segment(const onnx::RunOptions* run) {
  const auto window = std::span(samples_).subspan(next_window_);
  TRUNKLINE_ASSIGN_OR_RETURN(const auto frames, models_.segmentation->Of(window, run));
  timeline_.Add(next_window_ / Segmentation::kHop, frames);
  segmented_ = window.size() <= Segmentation::kWindow;
  next_window_ += kWindowStep;
  if (segmented_) Split();
  return base::Ok();
}

void Diarizer::Split() {
  const auto& frames = timeline_.frames();
  for (size_t person = 0; person < Segmentation::kMaxSpeakers; ++person) {
    std::vector<Span> runs;
    for (size_t f = 0; f < frames.size(); ++f) {
      if ((frames[f] >> person & 1U) == 0) continue;
      const bool goes_on = !runs.empty() && f - runs.back().end <= kGapFrames &&
                           std::all_of(frames.begin() + static_cast<std::ptrdiff_t>(runs.back().end),
                                       frames.begin() + static_cast<std::ptrdiff_t>(f),
                                       [](Segmentation::Frame frame) { return frame == 0; });
      if (!goes_on) runs.push_back({person, f, f});
      runs.back().end = f + 1;
    }
    for (const Span& run : runs) {
      const auto length = static_cast<double>(run.end - run.first);
      const auto parts = static_cast<size_t>(std::ceil(length / kLongestFrames));
      for (size_t part = 0; part < parts; ++part) {
        spans_.push_back({person, run.first + (run.end - run.first) * part / parts,
                          run.first + (run.end - run.first) * (part + 1) / parts});
      }
    }
  }
  std::sort(spans_.begin(), spans_.end(), [](const Span& a, const Span& b) { return a.first < b.first; });
  features_ = Fbank().Features(samples_);
  narrow_band_ = IsNarrowBand(features_);
  const FbankWindow window = models_.embedding->window();
  if (window != FbankWindow::kPovey) features_ = Fbank(window).Features(samples_);
}

base::Status Diarizer::Embed(const onnx::RunOptions* run) {
  const Span& span = spans_[pieces_.size()];
  const auto& frames = timeline_.frames();
  std::vector<float> rows;
  for (size_t row = 0; row < features_.size() / Fbank::kBands; ++row) {
    const size_t frame = FrameOfRow(row);
    if (frame < span.first || frame >= span.end || !Alone(frames[frame], span.person)) continue;
    const auto from = std::span(features_).subspan(row * Fbank::kBands, Fbank::kBands);
    rows.insert(rows.end(), from.begin(), from.end());
  }
  const size_t count = rows.size() / Fbank::kBands;
  SpeakerSegment piece;
  piece.start = SecondsAt(span.first);
  piece.end = SecondsAt(span.end);
  piece.alone = static_cast<float>(count * Fbank::kHop) / static_cast<float>(kRate);
  if (count >= SpeakerEncoder::kMinRows) {
    TRUNKLINE_ASSIGN_OR_RETURN(piece.vector, models_.embedding->Of(std::move(rows), run));
  }
  pieces_.push_back(std::move(piece));
  return base::Ok();
}

}  // namespace trunkline::speaker
