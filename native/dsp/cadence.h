// Detects ringback, busy and reorder tones of the United States, the United Kingdom, continental Europe and
// India by their frequencies and rhythm. Realtime after construction; any split of the input gives the same
// events.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dsp/tone_bank.h"

namespace trunkline::dsp {

enum class Cadence { kRingback, kBusy, kReorder };
enum class Region { kUnitedStates, kUnitedKingdom, kEurope, kIndia };

struct CadenceEvent {
  Cadence cadence;
  Region region;
  int64_t start;
  int64_t end;
};

// Patterns (seconds on/off): US ringback 440+480 Hz 2/4, busy 480+620 0.5/0.5, reorder 480+620 0.25/0.25;
// UK ringback 400+450 0.4/0.2/0.4/2, busy 400 0.375/0.375, reorder 400 0.4/0.35/0.225/0.525; Europe 425
// (France 440) ringback 1/4 (0.7 to 1.6 on), busy 0.5/0.5, reorder 0.25/0.25 or 0.2/0.2 (so is Spain's busy);
// India ringback 400 under 25 Hz 0.4/0.2/0.4/2, busy 400 0.75/0.75, reorder 400 0.25/0.25. Frequencies to 1.5
// %, times to 15 %.
class CadenceDetector {
 public:
  explicit CadenceDetector(int rate);

  // Writes an event as soon as a pattern is certain: after two bursts, or after one ring and a second and
  // a half of pause; again for every later ring, every second burst. Room for 2 events serves any 20 ms.
  size_t Process(std::span<const float> samples, std::span<CadenceEvent> out);
  void Reset();

  // Public for its tests alone.
  enum class Mix { kNone, k400, k425, k400And450, k440And480, k480And620, k400Under25 };

 private:
  static constexpr size_t kBursts = 3;
  struct Burst {
    Mix mix = Mix::kNone;
    int64_t start = 0, end = 0;
    bool quiet_after = false;  // the pause after it was far quieter than the burst
  };

  struct Hearing {
    Mix mix;
    double level;  // amplitude of all its parts
  };
  Hearing Listen(const ToneWindow& window) const;
  Mix SingleOf(const ToneWindow& window) const;
  void Follow(const ToneWindow& window, std::span<CadenceEvent> out, size_t& count);
  void BeginBurst(const ToneWindow& window, const Hearing& hearing);
  void EndBurst(std::span<CadenceEvent> out, size_t& count);
  void MatchRhythm(std::span<CadenceEvent> out, size_t& count);
  void MatchRing(int64_t now, std::span<CadenceEvent> out, size_t& count);
  double Ms(int64_t samples) const { return 1000.0 * static_cast<double>(samples) / bank_.rate(); }
  double LevelOf(Mix mix, const ToneWindow& window) const;

  ToneBank bank_;
  std::array<Burst, kBursts> bursts_;  // the latest first
  bool on_ = false;
  bool is_ring_reported_ = false;
  std::array<int, 7> votes_ = {};
  double plateau_ = 0, power_ = 0;
  double previous_level_ = 0;
  int64_t previous_middle_ = 0;
  int64_t start_ = 0, end_ = 0;
  int missing_ = 0;
};

}  // namespace trunkline::dsp
