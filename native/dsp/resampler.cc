#include "dsp/resampler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "dsp/resample_kernels.h"

namespace trunkline::dsp {
namespace {

constexpr size_t kPiece = 1024;    // input samples taken at a time
constexpr size_t kScratch = 1024;  // outputs converted to int16 at a time

}  // namespace

std::optional<Resampler> Resampler::Create(int input_rate, int output_rate, Grade grade, Isa isa) {
  auto bank = FilterBank::Get(input_rate, output_rate, grade);
  if (!bank) return std::nullopt;
  return Resampler(std::move(bank), input_rate, output_rate, isa);
}

Resampler::Resampler(std::shared_ptr<const FilterBank> bank, int input_rate, int output_rate, Isa isa)
    : bank_(std::move(bank)),
      kernels_(&ResampleKernelsFor(isa)),
      input_rate_(input_rate),
      output_rate_(output_rate) {
  const size_t period_input = static_cast<size_t>(bank_->period_input);
  const size_t history = static_cast<size_t>(bank_->history);
  period_output_ =
      period_input * static_cast<size_t>(bank_->ratio.up) / static_cast<size_t>(bank_->ratio.down);
  samples_.resize(history + period_input + kPiece + static_cast<size_t>(bank_->rows) + kTile);
  Reset();
}

void Resampler::Reset() {
  std::ranges::fill(samples_, 0.0f);
  filled_ = static_cast<size_t>(bank_->history);
  done_ = 0;
  held_ = 0;
}

// Outputs of this period on whose last input sample has arrived. Output n needs input floor(n * M / L).
size_t Resampler::Ready() const {
  const size_t arrived = filled_ - static_cast<size_t>(bank_->history);
  const size_t up = static_cast<size_t>(bank_->ratio.up), down = static_cast<size_t>(bank_->ratio.down);
  return (arrived * up + down - 1) / down - done_;
}

size_t Resampler::OutputSize(size_t input_size) const {
  const size_t arrived = filled_ - static_cast<size_t>(bank_->history) + input_size;
  const size_t up = static_cast<size_t>(bank_->ratio.up), down = static_cast<size_t>(bank_->ratio.down);
  return (arrived * up + down - 1) / down - done_;
}

Resampler::Progress Resampler::Process(std::span<const float> in, std::span<float> out) {
  return Run(in, out);
}

Resampler::Progress Resampler::Process(std::span<const int16_t> in, std::span<int16_t> out) {
  return Run(in, out);
}

template <typename Sample>
Resampler::Progress Resampler::Run(std::span<const Sample> in, std::span<Sample> out) {
  Progress progress = {0, 0};
  for (;;) {
    progress.produced += Emit(out.subspan(progress.produced));
    if (progress.consumed == in.size() || Ready() > 0) return progress;
    progress.consumed += Take(in.subspan(progress.consumed));
  }
}

size_t Resampler::Take(std::span<const float> in) {
  const size_t count = std::min(in.size(), kPiece);
  kernels_->contain(in.data(), samples_.data() + filled_, static_cast<long>(count), &held_);
  filled_ += count;
  return count;
}

size_t Resampler::Take(std::span<const int16_t> in) {
  const size_t count = std::min(in.size(), kPiece);
  kernels_->from_int16(in.data(), samples_.data() + filled_, static_cast<long>(count));
  filled_ += count;
  return count;
}

size_t Resampler::Emit(std::span<float> out) {
  const size_t count = std::min(Ready(), out.size());
  Produce(out.data(), count);
  DropPeriods();
  return count;
}

size_t Resampler::Emit(std::span<int16_t> out) {
  const size_t count = std::min(Ready(), out.size());
  std::array<float, kScratch> scratch;
  for (size_t at = 0; at < count;) {
    const size_t part = std::min(count - at, kScratch);
    Produce(scratch.data(), part);
    kernels_->to_int16(scratch.data(), out.data() + at, static_cast<long>(part));
    at += part;
  }
  DropPeriods();
  return count;
}

// Writes the next `count` outputs; whole tiles in place, cut tiles through a buffer.
void Resampler::Produce(float* out, size_t count) {
  while (count > 0) {
    const size_t within = done_ % kTile;
    if (within == 0 && count >= kTile) {
      const size_t tiles = count / kTile;
      ProduceTiles(done_ / kTile, tiles, out);
      done_ += tiles * kTile, out += tiles * kTile, count -= tiles * kTile;
      continue;
    }
    std::array<float, kTile> cut;
    ProduceTiles(done_ / kTile, 1, cut.data());
    const size_t part = std::min(count, kTile - within);
    std::memcpy(out, cut.data() + within, part * sizeof(float));
    done_ += part, out += part, count -= part;
  }
}

void Resampler::ProduceTiles(size_t first_tile, size_t tiles, float* out) {
  const size_t tables = static_cast<size_t>(bank_->tables);
  const auto input_of = [&](size_t tile) {
    return samples_.data() + tile / tables * static_cast<size_t>(bank_->period_input) +
           static_cast<size_t>(bank_->starts[tile % tables]);
  };
  if (tiles >= 3 * tables) {
    // With several tiles for each table, processing goes table by table.
    for (size_t i = 0; i < tables; ++i) {
      const int same = static_cast<int>((tiles - i + tables - 1) / tables);
      kernels_->tiles_of_one(input_of(first_tile + i), bank_->period_input,
                             bank_->Table(static_cast<int>((first_tile + i) % tables)), bank_->rows, same,
                             out + i * kTile, static_cast<ptrdiff_t>(tables) * kTile);
    }
    return;
  }
  std::array<const float*, kMaxEach> inputs, coefficients;
  for (size_t at = 0; at < tiles;) {
    const size_t part = std::min<size_t>(tiles - at, kMaxEach);
    for (size_t i = 0; i < part; ++i) {
      inputs[i] = input_of(first_tile + at + i);
      coefficients[i] = bank_->Table(static_cast<int>((first_tile + at + i) % tables));
    }
    kernels_->tiles_of_each(inputs.data(), coefficients.data(), bank_->rows, static_cast<int>(part),
                            out + at * kTile);
    at += part;
  }
}

// Moves the samples that are still needed to the front after whole periods.
void Resampler::DropPeriods() {
  const size_t periods = done_ / period_output_;
  if (periods == 0) return;
  const size_t used = periods * static_cast<size_t>(bank_->period_input);
  std::memmove(samples_.data(), samples_.data() + used, (filled_ - used) * sizeof(float));
  filled_ -= used;
  done_ -= periods * period_output_;
}

std::vector<float> ResampleWhole(std::span<const float> in, int input_rate, int output_rate, Grade grade) {
  auto resampler = Resampler::Create(input_rate, output_rate, grade);
  if (!resampler) return {};
  const double exact = static_cast<double>(in.size()) * output_rate / input_rate;
  const size_t delay = resampler->delay_samples();
  const size_t wanted = static_cast<size_t>(std::llround(exact));
  std::vector<float> out(std::max(wanted + delay, resampler->OutputSize(in.size())));
  size_t at = resampler->Process(in, out).produced;
  const std::array<float, 256> silence = {};
  while (at < wanted + delay) at += resampler->Process(silence, std::span(out).subspan(at)).produced;
  out.erase(out.begin(), out.begin() + static_cast<ptrdiff_t>(delay));
  out.resize(wanted);
  return out;
}

}  // namespace trunkline::dsp
