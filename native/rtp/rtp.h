// The door of RTP: the lane of a call whose packets the engine sends and takes itself.
#pragma once

#include "rtp/codec.h"   // IWYU pragma: export
#include "rtp/lane.h"    // IWYU pragma: export
#include "rtp/secure.h"  // IWYU pragma: export
