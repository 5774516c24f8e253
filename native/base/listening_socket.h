// The receive buffers of connections, bounded where they are inherited: at the socket that listens.
#pragma once

#include <cstdint>

namespace trunkline::base {

// Bounds what the kernel holds for each connection that the socket listening on `port` accepts from now on. Answers
// with the number of sockets that were bounded.
int BoundReceive(uint16_t port, int bytes);

}  // namespace trunkline::base
