// The entry point of Cast: many voices are mixed into one recording.
#pragma once

#include "lanes/cast/master_job.h"  // IWYU pragma: export
#include "lanes/cast/timeline.h"    // IWYU pragma: export
