// Finds single steady tones (voicemail beeps, fax tones, the parts of an information tone) with their start
// and end. Realtime after construction; any split of the input gives the same events.
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
  int64_t end;       // one after the last; for a tone that goes on, the position so far
  bool ended;
  // The tone's steadiness without its edges: the standard deviations of pitch and amplitude as shares of
  // their means, and its mean share of the power. Machines are steady; voices are not.
  float pitch_spread;
  float level_spread;
  float purity;
  // The power just before the tone and, after its end, just after it, as a share of its own.
  float surroundings;
};

// Tones of 280 to 2,600 Hz, 70 ms and longer, that keep their pitch within 1.5 % and hold at least four
// fifths of the power.
class ToneTracker {
 public:
  static constexpr int kMinMs = 70;

  explicit ToneTracker(int rate);

  // Writes an event once a tone is certain (some 80 ms after its start), for every 100 ms that it
  // goes on, and at its end. Any 20 ms have at most 8; events that do not fit are lost.
  size_t Process(std::span<const float> samples, std::span<ToneEvent> out);
  void Reset();
  int rate() const { return bank_.rate(); }

 private:
  static constexpr size_t kBins = 48;
  static constexpr int kHistory = 32;

  struct Peak {
    size_t bin;
    double frequency;
    double amplitude;
    double purity;
  };
  // Running sums of the tone's inner windows.
  struct Steadiness {
    int count = 0;
    double frequency = 0, frequency_square = 0, amplitude = 0, amplitude_square = 0, purity = 0;
    void Add(const Peak& peak);
    static double Spread(int count, double sum, double square);
  };
  bool FindPeak(const ToneWindow& window, Peak& peak) const;
  void Follow(const ToneWindow& window, std::span<ToneEvent> out, size_t& count);
  void Begin(const Peak& peak);
  void Settle();
  void Weigh(const Peak& peak);
  void End(std::span<ToneEvent> out, size_t& count);
  ToneEvent Describe(bool ended) const;
  float AmplitudeAgo(int hops_ago) const;
  int64_t MiddleAgo(int hops_ago) const;
  int64_t Crossing(int hops_ago) const;
  double PowerAt(int64_t sample) const;

  ToneBank bank_;
  std::array<std::array<float, kBins>, kHistory> amplitudes_ = {};
  std::array<int64_t, kHistory> middles_ = {};
  std::array<double, kHistory> powers_ = {};
  int64_t hop_count_ = 0;

  bool following_ = false, certain_ = false;
  size_t bin_ = 0;
  double frequency_sum_ = 0;
  float plateau_ = 0;
  // The latest good windows: one counts as inner once kEdgeHops more have followed it.
  static constexpr size_t kEdgeHops = 3;
  std::array<Peak, kEdgeHops> waiting_ = {};
  Steadiness steadiness_;
  int good_hops_ = 0, hops_since_good_ = 0, hops_since_begin_ = 0;
  int64_t start_ = 0, end_ = 0, reported_ = 0;
  double surroundings_ = 0;
  // A tone of another pitch meanwhile.
  double rival_ = 0;
  int rival_hops_ = 0;
};

}  // namespace trunkline::dsp
