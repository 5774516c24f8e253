// The entry point of the WebSocket guard: enforces RFC 6455 where the listener's library accepts violations,
// or closes without a code.
#pragma once

#include "binding/guard/client_frames.h"  // IWYU pragma: export
#include "binding/guard/redirect.h"       // IWYU pragma: export
