// The entry point of Dub: the jobs that remove speech from a recording and mix other speech in.
#pragma once

#include "lanes/dub/edges_job.h"       // IWYU pragma: export
#include "lanes/dub/mix_job.h"         // IWYU pragma: export
#include "lanes/dub/speech_remover.h"  // IWYU pragma: export
