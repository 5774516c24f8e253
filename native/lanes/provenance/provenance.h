// The entry point of the job that looks for a watermark in a recording.
#pragma once

#include "lanes/provenance/detect_job.h"  // IWYU pragma: export
