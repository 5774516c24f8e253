// The entry point of echo measurement for lines whose audio does not come as RTP packets: its lane.
#pragma once

#include "lanes/echo/lane.h"  // IWYU pragma: export
