// Bounds the receive buffers of connections at the listening socket, from which they are inherited.
#pragma once

#include <cstdint>

namespace trunkline::base {

// Sets the receive buffer of connections that the socket listening on `port` accepts from now on. Returns the
// number of sockets that were changed.
int BoundReceive(uint16_t port, int bytes);

}  // namespace trunkline::base
