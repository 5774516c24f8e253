// The entry point of RTP: the lane of a call whose packets the engine sends and receives.
#pragma once

#include "lanes/rtp/codec.h"  // IWYU pragma: export
#include "lanes/rtp/lane.h"   // IWYU pragma: export
#include "lanes/rtp/srtp.h"   // IWYU pragma: export
