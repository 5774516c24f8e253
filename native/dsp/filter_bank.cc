#include "dsp/filter_bank.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <numeric>
#include <tuple>

#include "dsp/resample_kernels.h"

namespace trunkline::dsp {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr size_t kMaxFloats = size_t{1} << 23;  // 32 MB
constexpr int kMinRate = 1000, kMaxRate = 768000;

long FloorDivide(long a, long b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

// The tap of output `n` for input `i` (both counted from the period's start), or zero.
double TapAt(const LowPass& filter, RateRatio ratio, long n, long i) {
  const long at = n * ratio.down - i * ratio.up;
  return at >= 0 && at < static_cast<long>(filter.taps.size()) ? filter.taps[static_cast<size_t>(at)] : 0;
}

int RoundUpToEven(int value) {
  return value + (value & 1);
}

std::shared_ptr<FilterBank> BuildTiles(RateRatio ratio, Grade grade) {
  const int tables = ratio.up / std::gcd(ratio.up, kTile);
  const int span =
      static_cast<int>((static_cast<long>(kTile - 1) * ratio.down + ratio.up - 1) / ratio.up) + 1;
  const LowPass filter = DesignLowPass(ratio, grade);
  const int taps = static_cast<int>(filter.taps.size()) / ratio.up;
  auto bank = std::make_shared<FilterBank>();
  bank->ratio = ratio;
  bank->equiripple = filter.equiripple;
  bank->tables = tables;
  bank->history = taps - 1;
  bank->rows = RoundUpToEven(taps - 1 + span);
  bank->period_input = static_cast<int>(static_cast<long>(tables) * kTile * ratio.down / ratio.up);
  bank->delay = static_cast<double>(filter.delay) / ratio.down;
  const size_t table_floats = static_cast<size_t>(bank->rows) * kTile;
  if (table_floats * static_cast<size_t>(tables) > kMaxFloats) return nullptr;
  bank->coefficients = AllocateCoefficients(table_floats * static_cast<size_t>(tables));
  for (int tile = 0; tile < tables; ++tile) {
    const long first_output = static_cast<long>(tile) * kTile;
    const long start = FloorDivide(first_output * ratio.down, ratio.up) - (taps - 1);
    bank->starts.push_back(static_cast<int>(start) + taps - 1);
    float* table = bank->coefficients.get() + static_cast<size_t>(tile) * table_floats;
    for (int row = 0; row < bank->rows; ++row) {
      for (int j = 0; j < kTile; ++j) {
        table[row * kTile + j] = static_cast<float>(TapAt(filter, ratio, first_output + j, start + row));
      }
    }
  }
  return bank;
}

std::shared_ptr<FilterBank> Build(RateRatio ratio, Grade grade) {
  // A first bound, which avoids designing a filter for a table that is too large.
  if (static_cast<size_t>(ratio.up) * static_cast<size_t>(std::max(ratio.up, ratio.down)) > kMaxFloats)
    return nullptr;
  return BuildTiles(ratio, grade);
}

}  // namespace

void AlignedDelete::operator()(float* memory) const {
  ::operator delete[](memory, kAlignment);
}

std::unique_ptr<float[], AlignedDelete> AllocateCoefficients(size_t floats) {
  void* memory = ::operator new[](floats * sizeof(float), kAlignment);
  std::memset(memory, 0, floats * sizeof(float));
  return std::unique_ptr<float[], AlignedDelete>(static_cast<float*>(memory));
}

const float* FilterBank::Table(int tile) const {
  return coefficients.get() + static_cast<size_t>(tile) * static_cast<size_t>(rows) * kTile;
}

std::shared_ptr<const FilterBank> FilterBank::Get(int input_rate, int output_rate, Grade grade) {
  if (input_rate < kMinRate || output_rate < kMinRate) return nullptr;
  if (input_rate > kMaxRate || output_rate > kMaxRate) return nullptr;
  static std::mutex mutex;
  static std::map<std::tuple<int, int, Grade>, std::shared_ptr<const FilterBank>> banks;
  const RateRatio ratio = RateRatio::Of(input_rate, output_rate);
  const std::lock_guard lock(mutex);
  auto& bank = banks[{ratio.up, ratio.down, grade}];
  if (!bank) bank = Build(ratio, grade);
  return bank;
}

}  // namespace trunkline::dsp
