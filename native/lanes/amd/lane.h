// The lane that tells who or what answered a call: telephone audio in, evidence out. It decides nothing:
// whoever reads the evidence does, so that a verdict can be given again from what was stored.
//
// options   codec ("ulaw" or "pcm16", both 8 kHz), language (a code, or absent for any), words (0 or 1:
//           whether speech is recognized), wait (0 or 1: what is due to be read is read before more is heard, so that sound
//           faster than real time gives the same evidence in every run)
// events    every one begins with f64 at: seconds of the call when it was known
//   kAmdSpeech       f64 from
//   kAmdQuiet        f64 from, f32 level_dbfs of the speech before it, f32 floor_dbfs
//   kAmdTone         f64 from, f64 to, u32 tone (dsp::CallTone), f32 hertz
//   kAmdMusic        f64 from, u32 playing
//   kAmdWords        f64 from, f64 to, u32 stretch, u32 language, f32 took, text; took: the
//                    reading's processor seconds
//   kAmdFingerprint  u16 each: see amd/fingerprint.h
//   kAmdClock        nothing more: time has passed; ten times a second
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
