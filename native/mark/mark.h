// The door of marks: what tells a made voice from a person's, put into its sound and found again.
#pragma once

#include "mark/line_reader.h"  // IWYU pragma: export
#include "mark/marker.h"       // IWYU pragma: export
#include "mark/pattern.h"      // IWYU pragma: export
#include "mark/read_job.h"     // IWYU pragma: export
#include "mark/reader.h"       // IWYU pragma: export
