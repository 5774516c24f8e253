// The door of dubbing: the jobs that take speech out of a sound and put other speech in.
#pragma once

#include "lanes/dub/edges_job.h"       // IWYU pragma: export
#include "lanes/dub/mix_job.h"         // IWYU pragma: export
#include "lanes/dub/speech_remover.h"  // IWYU pragma: export
