// Goertzel bank: the amplitude and phase of chosen frequencies in overlapping windows. Every frequency's
// recurrence is unrolled into a row of windowed coefficients, so one pass over the window serves sixteen
// numbers at a time and no rounding builds up. Realtime after construction; any split of the input gives the
// same bits.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace trunkline::dsp {

struct ToneBankTables;
struct ResampleKernels;

// The bins and the power of one window. A sine of amplitude A at a bin's frequency has |bins[i]| = A and
// adds A * A / 2 to `power`.
struct ToneWindow {
  std::span<const std::complex<float>> bins;
  std::span<const std::complex<float>> previous;
  double power;    // mean square under the window
  int64_t middle;  // sample that the window is centred on, counted from the first ever pushed
};

class ToneBank {
 public:
  // The constructor is not realtime. Windows of `window_ms` (a Hann window), one every `hop_ms`. Banks of
  // equal settings share tables.
  ToneBank(int rate, const std::vector<double>& frequencies, int window_ms, int hop_ms);

  // Calls `handle(const ToneWindow&)` for every window that `samples` completes.
  template <typename Handler>
  void Process(std::span<const float> samples, Handler&& handle) {
    while (!samples.empty()) {
      samples = samples.subspan(Take(samples));
      if (filled_ == window_) {
        Measure();
        handle(ToneWindow{bins_, previous_, power_, pushed_ - static_cast<int64_t>(window_ / 2)});
        Advance();
      }
    }
  }

  size_t size() const { return bins_.size(); }
  double frequency(size_t bin) const;
  int rate() const { return rate_; }
  size_t window() const { return window_; }
  size_t hop() const { return hop_; }
  void Reset();

  // The frequency of the sine that a bin sees, from its phase's advance over one hop; right to within half a
  // turn (1 / (2 hop) Hz either side).
  double FrequencyAt(const ToneWindow& window, size_t bin) const;
  // Returns the ratio at which a sine that lies `offset` Hz beside a bin appears in it; 1 at 0.
  double ResponseAt(double offset) const;

 private:
  size_t Take(std::span<const float> samples);
  void Measure();
  void Advance();

  int rate_;
  size_t window_, hop_;
  std::shared_ptr<const ToneBankTables> tables_;
  const ResampleKernels* kernels_;
  std::vector<float> samples_;
  size_t filled_ = 0;
  int64_t pushed_ = 0;
  float held_ = 0;
  double power_ = 0;
  std::vector<float> sums_;
  std::vector<std::complex<float>> bins_, previous_;
};

}  // namespace trunkline::dsp
