// The entry point of signal processing: levels, companding, resampling, spectra, echo cancellation.
#pragma once

#include "dsp/call_tones.h"      // IWYU pragma: export
#include "dsp/clipping.h"        // IWYU pragma: export
#include "dsp/convert.h"         // IWYU pragma: export
#include "dsp/delayed_copy.h"    // IWYU pragma: export
#include "dsp/dtmf.h"            // IWYU pragma: export
#include "dsp/echo_canceller.h"  // IWYU pragma: export
#include "dsp/echo_watch.h"      // IWYU pragma: export
#include "dsp/g711.h"            // IWYU pragma: export
#include "dsp/level.h"           // IWYU pragma: export
#include "dsp/limiter.h"         // IWYU pragma: export
#include "dsp/log_mel.h"         // IWYU pragma: export
#include "dsp/loudness.h"        // IWYU pragma: export
#include "dsp/mel_scale.h"       // IWYU pragma: export
#include "dsp/music.h"           // IWYU pragma: export
#include "dsp/real_fft.h"        // IWYU pragma: export
#include "dsp/resampler.h"       // IWYU pragma: export
#include "dsp/true_peak.h"       // IWYU pragma: export
#include "dsp/wire_audio.h"      // IWYU pragma: export
