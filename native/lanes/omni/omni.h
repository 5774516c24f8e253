// The door of calls: the lane of a voice agent.
#pragma once

#include "lanes/omni/lane.h"  // IWYU pragma: export
