// The entry point of answering-machine detection: its lane.
#pragma once

#include "lanes/amd/lane.h"  // IWYU pragma: export
