// The door of answering-machine detection: its lane.
#pragma once

#include "amd/lane.h"  // IWYU pragma: export
