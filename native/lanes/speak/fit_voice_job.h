// The job that fits a voice to a recording (voice cloning).
//
// input     PCM16 at 16 kHz, one channel
// options   a voice as for synthesize (accent, language), of which `styles` are the candidates
// result    one chunk, text: a line `verdict NAME`, then `speech_seconds`, `snr_db`, `pitch_hz`; where the
//           verdict is good also `similarity`, `spectrum_db`, `pitch`, `tilt`, and a line `style NAME SHARE`
//           for each part
// With `measure` the job only measures the recording.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::speak {

std::shared_ptr<engine::JobKind> MakeFitVoiceKind();

}  // namespace trunkline::speak
