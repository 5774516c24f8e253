#include "tts/generator.h"

#include <algorithm>
#include <cmath>

#include "tts/generator_layers.h"

namespace trunkline::tts {

using base::Code;
using base::Status;

namespace {

// Frames that go through all layers together, so that their rows and a layer's weights stay in the cache.
constexpr size_t kFramesTogether = 32, kFewestTogether = 8;
// The first output sample needs this many input frames.
constexpr size_t kFramesBehind = 20;
constexpr size_t kBasis = 20;  // samples that one row of the spectrum spreads over
constexpr size_t kHop = 5;
constexpr size_t kEdge = kBasis / 2;
constexpr size_t kBins = kHarmonics / 2;
// A level's noise is this many rows ahead of the sound that it joins: its block's look-ahead, and the
// rows held back until outputs that are computed together are complete.
constexpr size_t kAhead[] = {36 + 90, 60 + 90};
constexpr size_t kStrides[] = {10, 6};
constexpr size_t kChannels[] = {256, 128};

float Leaky(float value, float slope) {
  return value < 0 ? value * slope : value;
}

// Converts rows of a spectrum to samples, each as soon as no later row can change it.
class SpectrumToSound {
 public:
  explicit SpectrumToSound(const GeneratorWeights& weights) : weights_(weights) {}

  void Add(const float* row) {
    if (raw_.size() < rows_ * kHop + kBasis - dropped_) raw_.resize(rows_ * kHop + kBasis - dropped_, 0.0F);
    float* at = raw_.data() + rows_ * kHop - dropped_;
    for (size_t bin = 0; bin < kBins; ++bin) {
      const float size = std::exp(row[bin]), phase = std::sin(row[kBins + bin]);
      const float real = size * std::cos(phase), imaginary = size * std::sin(phase);
      const float* a = weights_.basis.data() + bin * kBasis;
      const float* b = weights_.basis.data() + (kBins + bin) * kBasis;
      for (size_t i = 0; i < kBasis; ++i) at[i] += real * a[i] + imaginary * b[i];
    }
    ++rows_;
  }

  size_t frames() const { return next_ / (kHop * kHarmonicSteps); }

  // Takes complete samples; at the end all but the last row's fading half.
  void Take(bool last, std::vector<float>& out) {
    const size_t complete = last ? (rows_ - 1) * kHop + kBasis - kEdge : rows_ * kHop;
    constexpr float kOverlap = 4;  // rows add up to this many times the sound
    for (; next_ < complete; ++next_) {
      float sample = raw_[next_ - dropped_];
      if (next_ < weights_.window_sum.size() && weights_.window_sum[next_] > 0)
        sample /= weights_.window_sum[next_];
      if (next_ >= kEdge) out.push_back(sample * kOverlap);
    }
    raw_.erase(raw_.begin(), raw_.begin() + static_cast<ptrdiff_t>(next_ - dropped_));
    dropped_ = next_;
  }

 private:
  const GeneratorWeights& weights_;
  std::vector<float> raw_;
  size_t rows_ = 0, next_ = 0, dropped_ = 0;
};

}  // namespace

std::vector<float> RoundedStyle(std::span<const float> style) {
  std::vector<float> out(style.begin(), style.begin() + kGeneratorStyle);
  const auto [least, most] = std::minmax_element(out.begin(), out.end());
  const float low = std::min(*least, 0.0F), high = std::max(*most, 0.0F);
  const float step = (high - low) / 255;
  if (step <= 0) return out;
  const float zero = std::nearbyint(std::clamp(-low / step, 0.0F, 255.0F));
  for (float& value : out)
    value = (std::clamp(std::nearbyint(value / step) + zero, 0.0F, 255.0F) - zero) * step;
  return out;
}

class GeneratorStream::Network {
 public:
  Network(std::shared_ptr<const GeneratorWeights> weights, std::span<const float> given,
          std::span<const float> statistics)
      : weights_(std::move(weights)),
        statistics_{{statistics.begin(), statistics.end()}, statistics.empty()},
        harmonics_((2 * kHarmonicsBefore + kSlackRows) * kHarmonics),
        arithmetic_(*weights_->kernels),
        post_(weights_->post, arithmetic_, 3, 3),
        sound_(*weights_) {
    if (statistics_.own) statistics_.values.assign(weights_->statistics, 0.0F);
    const auto style = RoundedStyle(given);
    for (size_t level = 0; level < 2; ++level) {
      levels_.push_back(Level{ConvStream(weights_->ups[level], arithmetic_, 1, 1),
                              RowQueue(kChannels[level]),
                              BlockStream(weights_->noise[level], arithmetic_, style, statistics_),
                              {},
                              0,
                              0,
                              true});
      for (size_t i = 0; i < 3; ++i)
        levels_[level].blocks.emplace_back(weights_->blocks[3 * level + i], arithmetic_, style, statistics_);
    }
  }

  void Append(const GeneratorFrames& frames, bool last) {
    const size_t count = frames.end - frames.begin;
    x_.resize((frames_ + count) * kGeneratorChannels);
    float* x = x_.data() + frames_ * kGeneratorChannels;
    for (size_t frame = 0; frame < count; ++frame)
      for (size_t c = 0; c < kGeneratorChannels; ++c)
        x[frame * kGeneratorChannels + c] = Leaky(frames.x[c * frames.width + frames.begin + frame], 0.1F);
    // The last step closes the last frame.
    const size_t steps = count * kHarmonicSteps + (last ? 1 : 0);
    const size_t width = frames.width * kHarmonicSteps + 1, at = frames_ * kHarmonicSteps;
    harmonics_.resize((2 * kHarmonicsBefore + at + steps + kSlackRows) * kHarmonics);
    for (size_t c = 0; c < kHarmonics; ++c)
      for (size_t i = 0; i < steps; ++i)
        harmonics_[(kHarmonicsBefore + at + i) * kHarmonics + c] =
            frames.harmonics[c * width + frames.begin * kHarmonicSteps + i];
    frames_ += count;
    closed_ = last;
  }

  bool Has(size_t frames) const { return closed_ || sound_.frames() + kFramesBehind + frames <= frames_; }

  Status Step(size_t frames, const onnx::RunOptions* run, std::vector<float>& out) {
    const size_t before = out.size();
    const HelperLease helper(weights_->helper.get());
    arithmetic_.WorkWith(helper.get());
    // The first rows of a stretch only fill the layers, so it ends when its samples are there.
    while (fed_ < frames_ && out.size() - before < frames * kHarmonicSteps * kHop) {
      if (!Feed(Next(frames - (out.size() - before) / (kHarmonicSteps * kHop)), run))
        return Status(Code::kCancelled, "the generator was stopped");
      sound_.Take(done(), out);
    }
    return base::Ok();
  }

  bool done() const { return closed_ && fed_ == frames_; }
  const std::vector<float>& statistics() const { return statistics_.values; }

 private:
  struct Level {
    ConvStream ups;
    RowQueue rows;  // upsampled, before the noise joins
    BlockStream noise;
    std::vector<BlockStream> blocks;
    size_t made, noised;  // rows that were upsampled; rows of noise that were fed
    bool fresh;
  };

  size_t Next(size_t wanted) const {
    if (statistics_.own) return frames_;
    const size_t needed = std::min(sound_.frames() + kFramesBehind + wanted, frames_);
    const size_t count = std::clamp(needed > fed_ ? needed - fed_ : 0, kFewestTogether, kFramesTogether);
    return std::min(count, frames_ - fed_);
  }

  // Returns the rows of a level's noise for which the harmonics so far suffice: a row of the first level
  // reads from three steps before its own to eight behind.
  size_t NoiseRows(size_t level) const {
    constexpr size_t kContextFrames = 9, kStep = 6;
    const size_t steps = frames_ * kHarmonicSteps;
    if (closed_) return level == 0 ? frames_ * kStrides[0] : steps + 1;
    if (level == 1) return steps;
    return steps < kContextFrames ? 0 : (steps - kContextFrames) / kStep + 1;
  }

  bool Feed(size_t frames, const onnx::RunOptions* run) {
    std::copy_n(x_.data() + fed_ * kGeneratorChannels, frames * kGeneratorChannels,
                levels_[0].ups.Append(frames));
    fed_ += frames;
    for (size_t level = 0; level < 2; ++level)
      if (!Run(level, run)) return false;
    if (done()) post_.Close();
    const size_t rows = post_.ready();
    float* spectrum = scratch_.Get(rows * kHarmonics);
    post_.Run(spectrum);
    for (size_t row = 0; row < rows; ++row) sound_.Add(spectrum + row * kHarmonics);
    return true;
  }

  bool Run(size_t which, const onnx::RunOptions* run) {
    Level& level = levels_[which];
    Upsample(which);
    if (!AddNoise(which, run)) return false;
    const size_t count = std::min(level.rows.rows(), level.noise.out().rows());
    float* sum = scratch_.Get(count * kChannels[which]);
    const float *a = level.rows.front(), *b = level.noise.out().front();
    arithmetic_.Rows(count, [&](size_t first, size_t some) {
      for (size_t i = first * kChannels[which]; i < (first + some) * kChannels[which]; ++i)
        sum[i] = a[i] + b[i];
    });
    level.rows.Drop(count);
    level.noise.out().Drop(count);
    if (done()) {
      level.rows.Release();
      level.noise.out().Release();
    }
    size_t ready = SIZE_MAX;
    for (BlockStream& block : level.blocks) {
      if (!block.Push(sum, count, done(), statistics_, run)) return false;
      ready = std::min(ready, block.out().rows());
    }
    Join(which, ready);
    return true;
  }

  void Upsample(size_t which) {
    Level& level = levels_[which];
    if (done()) level.ups.Close();
    const size_t stride = kStrides[which], rows = level.ups.ready() * stride;
    if (rows == 0) return;
    level.ups.Run(level.rows.Append(rows));
    level.made += rows;
    // Half a stride at each end belongs to no frame. The last level's first row mirrors its second.
    if (level.fresh) {
      const size_t channels = kChannels[which];
      level.rows.Drop(stride / 2 - which);
      level.made -= stride / 2 - which;
      float* first = const_cast<float*>(level.rows.front());
      if (which == 1) std::copy_n(first + 2 * channels, channels, first);
      level.fresh = false;
    }
    if (done()) {
      level.rows.DropBack(stride / 2);
      level.made -= stride / 2;
    }
  }

  bool AddNoise(size_t which, const onnx::RunOptions* run) {
    Level& level = levels_[which];
    const size_t all = NoiseRows(which);
    const size_t until = done() ? all : std::min(all, level.made + kAhead[which]);
    if (until <= level.noised) return true;
    const size_t count = until - level.noised;
    float* rows = scratch_.Get(count * kChannels[which]);
    const size_t step = which == 0 ? 6 : 1, first = which == 0 ? 0 : 3;
    arithmetic_.Conv(weights_->noise_convs[which],
                     harmonics_.data() + (level.noised * step + first) * kHarmonics,
                     static_cast<ptrdiff_t>(step * kHarmonics), count, rows);
    level.noised = until;
    return level.noise.Push(rows, count, closed_ && until == all, statistics_, run);
  }

  // The mean of the three blocks goes to the next level, or to the spectrum.
  void Join(size_t which, size_t rows) {
    Level& level = levels_[which];
    const float slope = which == 0 ? 0.1F : 0.01F;
    ConvStream& next = which == 0 ? levels_[1].ups : post_;
    if (rows > 0) {
      float* out = next.Append(rows);
      const float *a = level.blocks[0].out().front(), *b = level.blocks[1].out().front(),
                  *c = level.blocks[2].out().front();
      arithmetic_.Rows(rows, [&](size_t first, size_t some) {
        for (size_t i = first * kChannels[which]; i < (first + some) * kChannels[which]; ++i)
          out[i] = Leaky((a[i] + b[i] + c[i]) / 3, slope);
      });
    }
    for (BlockStream& block : level.blocks) {
      block.out().Drop(rows);
      if (done()) block.out().Release();
    }
  }

  static constexpr size_t kHarmonicsBefore = 3;  // silent steps before the first and after the last

  const std::shared_ptr<const GeneratorWeights> weights_;
  size_t frames_ = 0;
  bool closed_ = false;
  Statistics statistics_;
  std::vector<float> x_, harmonics_;
  Arithmetic arithmetic_;
  std::vector<Level> levels_;
  ConvStream post_;
  SpectrumToSound sound_;
  Scratch scratch_;
  size_t fed_ = 0;
};

GeneratorStream::GeneratorStream(std::shared_ptr<const GeneratorWeights> weights, const GeneratorInput& input)
    : network_(std::make_unique<Network>(std::move(weights), input.style, input.statistics)) {
  Append({input.x, input.harmonics, input.frames, input.begin, input.frames}, true);
}

GeneratorStream::GeneratorStream(std::shared_ptr<const GeneratorWeights> weights,
                                 std::span<const float> style, std::span<const float> statistics)
    : network_(std::make_unique<Network>(std::move(weights), style, statistics)) {}

GeneratorStream::~GeneratorStream() = default;

Status GeneratorStream::Step(size_t frames, const onnx::RunOptions* run, std::vector<float>& out) {
  return network_->Step(frames, run, out);
}

void GeneratorStream::Append(const GeneratorFrames& frames, bool last) {
  network_->Append(frames, last);
}

bool GeneratorStream::Has(size_t frames) const {
  return network_->Has(frames);
}

bool GeneratorStream::done() const {
  return network_->done();
}

const std::vector<float>& GeneratorStream::statistics() const {
  return network_->statistics();
}

}  // namespace trunkline::tts
