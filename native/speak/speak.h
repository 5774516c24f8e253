// The door of speaking: the jobs that make speech, and how a voice is read out of options.
#pragma once

#include "speak/fit_voice_job.h"      // IWYU pragma: export
#include "speak/forget_sounds_job.h"  // IWYU pragma: export
#include "speak/learn_voice_job.h"    // IWYU pragma: export
#include "speak/synthesize_job.h"     // IWYU pragma: export
