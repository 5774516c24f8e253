#include "dsp/watermark/embedder.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trunkline::watermark {
namespace {

constexpr double kRampShare = 0.25;
// Values below this are zeroed, because denormal numbers would slow the processor down.
constexpr float kNothing = 1e-15F;
constexpr size_t kLanes = 8;
static_assert(kBands <= kLanes * kEights);

}  // namespace

WatermarkEmbedder::WatermarkEmbedder(const WatermarkCode& code, int rate, EmbedKernel kernel)
    : pattern_(code),
      kernel_(kernel),
      rate_(rate),
      ramp_(static_cast<uint64_t>(rate * kCellSeconds * kRampShare)) {
  for (size_t band = 0; band < kBands; ++band) {
    const double low = kLowestHz + kBandHz * static_cast<double>(band);
    const double angle = 2 * std::numbers::pi * (low + kBandHz / 2) / rate;
    const double octaves = std::log2((low + kBandHz) / low);
    const double alpha =
        std::sin(angle) * std::sinh(std::numbers::ln2 / 2 * octaves * angle / std::sin(angle));
    const size_t eight = band / kLanes, lane = band % kLanes;
    // The first filter tap is part of the band's gain, which saves a product a sample.
    louder_[band] = static_cast<float>((std::pow(10.0, kDepthDb / 20) - 1) * alpha / (1 + alpha));
    filters_.feed1[eight][lane] = static_cast<float>(2 * std::cos(angle) / (1 + alpha));
    filters_.feed2[eight][lane] = static_cast<float>(-(1 - alpha) / (1 + alpha));
  }
}

void WatermarkEmbedder::BeginCell() {
  const auto& signs = pattern_.signs(cell_ % kCells);
  for (size_t band = 0; band < kBands; ++band) {
    const size_t eight = band / kLanes, lane = band % kLanes;
    if (std::abs(filters_.old[eight][lane]) < kNothing)
      filters_.old[eight][lane] = filters_.older[eight][lane] = 0;
    const float growth = louder_[band] * signs[band] - filters_.gain[eight][lane];
    filters_.step[eight][lane] = growth / static_cast<float>(ramp_);
  }
  filters_.ramps = true;
  ++cell_;
  ramped_ = at_ + ramp_;
  next_ = static_cast<uint64_t>(std::llround(static_cast<double>(cell_) * rate_ * kCellSeconds));
}

void WatermarkEmbedder::EndRamp() {
  const auto& signs = pattern_.signs((cell_ - 1) % kCells);
  for (size_t band = 0; band < kBands; ++band) {
    filters_.step[band / kLanes][band % kLanes] = 0;
    filters_.gain[band / kLanes][band % kLanes] = louder_[band] * signs[band];
  }
  filters_.ramps = false;
}

void WatermarkEmbedder::Process(std::span<float> samples) {
  for (size_t done = 0; done < samples.size();) {
    if (at_ == next_) BeginCell();
    if (at_ == ramped_) EndRamp();
    const uint64_t until = at_ < ramped_ ? ramped_ : next_;
    const size_t count = std::min<uint64_t>(until - at_, samples.size() - done);
    kernel_(filters_, samples.data() + done, static_cast<long>(count));
    done += count;
    at_ += count;
  }
}

}  // namespace trunkline::watermark
