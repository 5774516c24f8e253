// Detects the tones of a telephone network or of a machine at its other end. Realtime after construction; any
// split of the input gives the same events.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "dsp/cadence.h"
#include "dsp/tone_tracker.h"

namespace trunkline::dsp {

enum class CallTone {
  kBeep,    // a single tone of 300 to 2,500 Hz, 80 ms to 4 s, as at the end of a voicemail greeting
  kFaxCng,  // a calling fax: 1,100 Hz for half a second
  kFaxCed,  // an answering fax or modem: 2,100 Hz for more than half a second
  kSit,     // special information tone: three rising tones before an announcement
  kRingback,
  kBusy,
  kReorder,  // congestion, number not in service
};

struct CallToneEvent {
  CallTone tone;
  int64_t start, end;  // samples
  double frequency;    // beeps and fax tones; of a SIT its first tone; else 0
  float level_dbfs;    // likewise
  Region region;       // ringback, busy, reorder
};

class CallToneDetector {
 public:
  explicit CallToneDetector(int rate);

  // Any 20 ms have at most 8 events; events that do not fit are lost.
  size_t Process(std::span<const float> samples, std::span<CallToneEvent> out);
  void Reset();

 private:
  void Bridge(ToneEvent tone, std::span<CallToneEvent> out, size_t& count);
  bool GoesOn(const ToneEvent& tone) const;
  void Settle(std::span<CallToneEvent> out, size_t& count);
  void OnTone(const ToneEvent& tone, std::span<CallToneEvent> out, size_t& count);
  bool FollowSit(const ToneEvent& tone, std::span<CallToneEvent> out, size_t& count);
  void Report(CallTone kind, const ToneEvent& tone, std::span<CallToneEvent> out, size_t& count);
  void ReleaseHeld(int64_t now, std::span<CallToneEvent> out, size_t& count);
  double Ms(int64_t samples) const { return 1000.0 * static_cast<double>(samples) / tracker_.rate(); }

  ToneTracker tracker_;
  CadenceDetector cadences_;
  int64_t position_ = 0;
  // A tone that ended, held back until it is certain that no lost packet has split it.
  std::optional<ToneEvent> ended_;
  int64_t ended_until_ = 0;
  // The first part of the tone that the tracker has followed since `joined_start_`.
  std::optional<ToneEvent> first_part_;
  int64_t joined_start_ = 0;
  // Tones that may be the first parts of a SIT; otherwise they were beeps.
  std::array<ToneEvent, 2> held_ = {};
  size_t held_count_ = 0;
  int64_t held_until_ = 0;
  static constexpr int64_t kNoTone = INT64_MIN;
  int64_t reported_start_ = kNoTone;
};

}  // namespace trunkline::dsp
