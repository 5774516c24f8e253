// The entry point of recognition: the lane of a stream, the jobs for recordings, and the parts that other
// lanes with recognition use.
#pragma once

#include "lanes/hear/cost.h"                 // IWYU pragma: export
#include "lanes/hear/group.h"                // IWYU pragma: export
#include "lanes/hear/lane.h"                 // IWYU pragma: export
#include "lanes/hear/models.h"               // IWYU pragma: export
#include "lanes/hear/open_recognizer_job.h"  // IWYU pragma: export
#include "lanes/hear/options.h"              // IWYU pragma: export
#include "lanes/hear/recognizer.h"           // IWYU pragma: export
#include "lanes/hear/speakers_job.h"         // IWYU pragma: export
#include "lanes/hear/stream.h"               // IWYU pragma: export
#include "lanes/hear/transcribe_job.h"       // IWYU pragma: export
#include "lanes/hear/voice_prints.h"         // IWYU pragma: export
