// The lane that collects evidence of what answered a call, a person, a machine or a network tone: telephone
// audio in, evidence out. It does not decide: the verdict is computed from the events, so that it can be
// computed again from stored ones.
//
// options   codec ("ulaw" or "pcm16", both 8 kHz), language (a code, or absent for any), words (0 or 1:
//           whether speech is recognized), wait (0 or 1: recognition that is due ends before
//           more audio is processed, so that audio faster than real time gives the same evidence in every run)
// events    every one begins with f64 at: the second of the call at which it was known
//   kAmdSpeech       f64 from
//   kAmdQuiet        f64 from, f32 level_dbfs of the speech before it, f32 floor_dbfs
//   kAmdTone         f64 from, f64 to, u32 tone (dsp::CallTone), f32 hertz
//   kAmdMusic        f64 from, u32 playing
//   kAmdWords        f64 from, f64 to, u32 stretch, u32 language, f32 took, text; took:
//                    the recognition's processor seconds
//   kAmdFingerprint  u16 each: see amd/fingerprint.h
//   kAmdClock        nothing more; sent about ten times a second as time passes
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::amd {

enum AmdEvent : uint16_t {
  kAmdSpeech = engine::kFirstKindEvent,
  kAmdQuiet,
  kAmdTone,
  kAmdMusic,
  kAmdWords,
  kAmdFingerprint,
  kAmdClock,
};

std::shared_ptr<engine::LaneKind> MakeAmdKind();

}  // namespace trunkline::amd
