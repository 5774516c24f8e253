// Redirects a loaded library's system calls to our functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace trunkline::guard {

// Redirects what the loaded library of this file name receives and sends through the guard: a client that
// violates RFC 6455 gets a close code before the library disconnects it, also where the library would
// accept the violation. Messages longer than `most` are violations. Returns the number of redirected
// calls, 0 if the system does not allow it.
int GuardFrames(std::string_view library, uint64_t most);

// Brackets the library's answer to one upgrade on this thread: only that connection becomes a WebSocket,
// whatever another connection sends.
void AnswerUpgrade(bool begins);

}  // namespace trunkline::guard
