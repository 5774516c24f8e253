// The door of casts: many voices become one sound.
#pragma once

#include "cast/master_job.h"  // IWYU pragma: export
#include "cast/timeline.h"    // IWYU pragma: export
