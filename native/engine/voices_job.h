// The job that says whose voice is heard: vectors of a stretch of speech, near to each other when one person
// speaks.
//
// input     PCM16 at 16 kHz, at most 60 s
// result    one chunk: u32 count, then for each f32 start, f32 end (seconds from the input's start) and 256
// f32 of
//           unit length; one every 0.8 s, each from 1.6 s around it
#pragma once

#include <memory>

#include "engine/job.h"

namespace trunkline::engine {

std::shared_ptr<JobKind> MakeVoicesKind();

}  // namespace trunkline::engine
