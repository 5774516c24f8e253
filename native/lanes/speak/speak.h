// The door of speaking: the jobs that make speech, and how a voice is read out of options.
#pragma once

#include "lanes/speak/fit_voice_job.h"      // IWYU pragma: export
#include "lanes/speak/forget_sounds_job.h"  // IWYU pragma: export
#include "lanes/speak/learn_voice_job.h"    // IWYU pragma: export
#include "lanes/speak/synthesize_job.h"     // IWYU pragma: export
