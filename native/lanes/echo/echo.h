// The door of the echo of lines whose sound comes another way than as packets: its lane.
#pragma once

#include "lanes/echo/lane.h"  // IWYU pragma: export
