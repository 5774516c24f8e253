// DTMF: detection within the tolerances of ITU-T Q.24, and generation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dsp/tone_bank.h"

namespace trunkline::dsp {

struct DtmfEvent {
  char digit;     // 0-9 * # A-D
  bool ended;     // the digit is certain when false (some 45 ms after its start); true: it has stopped
  int64_t start;  // first sample, to within 2 ms
  int64_t end;    // one after the last sample; for an event that has not ended, the position so far
};

// Accepts frequencies within 1.5 % (rejects beyond 3.5 %), 40 ms and longer (rejects up to 23 ms), pauses of
// 40 ms and longer (bridges interruptions up to 10 ms), the high tone up to 4 dB stronger or 8 dB weaker than
// the low one, noise 15 dB below the digit, and levels from 0 down to -34 dBFS a tone. Realtime after
// construction; any split of the input gives the same events.
class DtmfDetector {
 public:
  explicit DtmfDetector(int rate);

  // Writes events to `out` and returns their number. Any 20 ms have at most 4; events that do not
  // fit are lost.
  size_t Process(std::span<const float> samples, std::span<DtmfEvent> out);
  void Reset();

 private:
  static constexpr int kHistory = 16;  // hops looked back for a digit's start

  struct Hop {
    std::array<float, 8> amplitude;
    int64_t middle;
  };
  struct Verdict {
    int low = -1, high = -1;  // rows 0-3, columns 0-3 of the key pad; -1: no digit
    float amplitude = 0;
  };

  Verdict Judge(const ToneWindow& window) const;
  void Follow(const Verdict& verdict, std::span<DtmfEvent> out, size_t& count);
  void Begin(const Verdict& verdict);
  int FirstAboveHalf() const;
  int64_t CrossingBefore(int hops_ago) const;
  float AmplitudeOf(int hops_ago) const;
  const Hop& HopAgo(int hops_ago) const;

  ToneBank bank_;
  std::array<Hop, kHistory> hops_ = {};
  int64_t hop_count_ = 0;
  Verdict current_;
  bool reported_ = false;
  int good_hops_ = 0, hops_below_ = 0;
  float plateau_ = 0;
  int64_t start_ = 0, end_ = 0;
  // A different digit's good windows meanwhile.
  Verdict rival_;
  int rival_hops_ = 0;
};

struct DtmfTiming {
  int tone_ms = 100;
  int pause_ms = 100;
  float low_dbfs = -10;  // RMS of a full-scale sine is -3 dBFS
  float high_dbfs = -8;  // a line takes more of the high tone
};

// Generates a string of digits. A pause follows each digit; `w` and `,` wait half a second more.
class DtmfGenerator {
 public:
  // Returns nothing when `digits` is empty, longer than 256, or holds anything but 0-9 * # A-D
  // a-d w W and commas.
  static std::optional<DtmfGenerator> Create(int rate, std::string_view digits,
                                             const DtmfTiming& timing = {});

  // Realtime: fills `out` and returns how many samples were written; 0 at the end.
  size_t Process(std::span<float> out);
  bool done() const { return at_ == digits_.size(); }

 private:
  DtmfGenerator(int rate, std::string digits, const DtmfTiming& timing);
  float Sample(size_t position) const;
  size_t LengthOf(char digit) const;

  int rate_;
  std::string digits_;
  DtmfTiming timing_;
  size_t at_ = 0, position_ = 0;
};

// Row and column frequencies of the key pad, and the key at their crossing.
constexpr std::array<double, 4> kDtmfLow = {697, 770, 852, 941};
constexpr std::array<double, 4> kDtmfHigh = {1209, 1336, 1477, 1633};
char DtmfKey(int low, int high);

}  // namespace trunkline::dsp
