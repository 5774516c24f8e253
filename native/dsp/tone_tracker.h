// Finds single steady tones (voicemail beeps, fax tones, the parts of an information tone) and where they
// begin and end. Realtime after construction; any split of the input gives the same events.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dsp/tone_bank.h"

namespace trunkline::dsp {

struct ToneEvent {
  double frequency;  // Hz, mean over the tone
  float level_dbfs;  // RMS
  int64_t start;     // first sample, to within 10 ms (2 ms without noise)
  int64_t end;       // one after the last; of a tone that sounds on, where it stands
  bool ended;
};

// Tones of 280 to 2,600 Hz, 70 ms and longer, that keep their pitch within 1.5 % and hold at least four
// fifths of the sound's power.
class ToneTracker {
 public:
  static constexpr int kLeastMs = 70;

  explicit ToneTracker(int rate);

  // An event once a tone is certain (some 80 ms after its start), one for every 100 ms that it goes on, and
  // one at its end. Room for 8 serves any 20 ms; events beyond the room are lost.
  size_t Process(std::span<const float> samples, std::span<ToneEvent> out);
  void Reset();
  int rate() const { return bank_.rate(); }

 private:
  static constexpr size_t kBins = 48;
  static constexpr int kHistory = 32;

  struct Peak {
    size_t bin;
    double frequency;
    float amplitude;  // of the sine itself
  };
  bool FindPeak(const ToneWindow& window, Peak& peak) const;
  void Follow(const ToneWindow& window, std::span<ToneEvent> out, size_t& count);
  void Begin(const Peak& peak);
  void Settle();
  void End(std::span<ToneEvent> out, size_t& count);
  ToneEvent Describe(bool ended) const;
  float AmplitudeAgo(int hops_ago) const;
  int64_t MiddleAgo(int hops_ago) const;
  int64_t Crossing(int hops_ago) const;

  ToneBank bank_;
  std::array<std::array<float, kBins>, kHistory> amplitudes_ = {};
  std::array<int64_t, kHistory> middles_ = {};
  int64_t hop_count_ = 0;

  bool following_ = false, certain_ = false;
  size_t bin_ = 0;
  double frequency_sum_ = 0;
  float plateau_ = 0;
  int good_hops_ = 0, hops_since_good_ = 0, hops_since_begin_ = 0;
  int64_t start_ = 0, end_ = 0, told_ = 0;
};

}  // namespace trunkline::dsp
