// The entry point of Omni: the lane of a voice agent.
#pragma once

#include "lanes/omni/lane.h"  // IWYU pragma: export
