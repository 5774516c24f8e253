// The door of RTP: the lane of a call whose packets the engine sends and takes itself.
#pragma once

#include "lanes/rtp/codec.h"   // IWYU pragma: export
#include "lanes/rtp/lane.h"    // IWYU pragma: export
#include "lanes/rtp/secure.h"  // IWYU pragma: export
