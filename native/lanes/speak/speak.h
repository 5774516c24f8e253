// The entry point of Speak: the jobs that synthesize speech, and the options of a voice.
#pragma once

#include "lanes/speak/fit_voice_job.h"      // IWYU pragma: export
#include "lanes/speak/forget_sounds_job.h"  // IWYU pragma: export
#include "lanes/speak/learn_voice_job.h"    // IWYU pragma: export
#include "lanes/speak/synthesize_job.h"     // IWYU pragma: export
