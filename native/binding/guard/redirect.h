// Calls of a loaded library to the system, led through functions of ours.
#pragma once

#include <cstdint>
#include <string_view>

namespace trunkline::guard {

// Leads what the loaded library whose file has this name receives and sends through the guard: a client that breaks
// RFC 6455 is told so before the library cuts it, also where the library would mind nothing. No message is longer than
// `most`. Answers with the number of calls that are led, 0 where this system has no way to do it.
int GuardFrames(std::string_view library, uint64_t most);

// Between the two calls of it this thread has the library answer one upgrade: only that connection becomes a WebSocket,
// whatever another's answer holds.
void AnswerUpgrade(bool begins);

}  // namespace trunkline::guard
