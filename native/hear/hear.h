// The door of hearing: the lane that recognizes a stream, the jobs that read recordings, and what other lanes that hear build on.
#pragma once

#include "hear/cost.h"            // IWYU pragma: export
#include "hear/group.h"           // IWYU pragma: export
#include "hear/lane.h"            // IWYU pragma: export
#include "hear/models.h"          // IWYU pragma: export
#include "hear/options.h"         // IWYU pragma: export
#include "hear/speakers_job.h"    // IWYU pragma: export
#include "hear/stream.h"          // IWYU pragma: export
#include "hear/transcribe_job.h"  // IWYU pragma: export
