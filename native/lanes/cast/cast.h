// The door of casts: many voices become one sound.
#pragma once

#include "lanes/cast/master_job.h"  // IWYU pragma: export
#include "lanes/cast/timeline.h"    // IWYU pragma: export
