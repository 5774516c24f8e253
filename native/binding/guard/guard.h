// The door of the guard: what RFC 6455 forbids and the listener's library takes, or cuts without a word.
#pragma once

#include "binding/guard/client_frames.h"  // IWYU pragma: export
#include "binding/guard/redirect.h"       // IWYU pragma: export
