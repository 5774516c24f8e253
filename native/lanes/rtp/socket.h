// A non-blocking UDP socket.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/bytes.h"
#include "base/status.h"
#include "lanes/rtp/endpoint.h"

namespace trunkline::rtp {

class Socket {
 public:
  // Port 0 lets the system choose. Returns kFull when the port is taken; other failures have the system's
  // message.
  static base::Result<std::unique_ptr<Socket>> Open(const Endpoint& at);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  struct Arrival {
    size_t size = 0;
    Endpoint from;
    // The packet waited this long for us, by the kernel's timestamp.
    int64_t age_nanos = 0;
  };
  // Realtime. Returns nothing when no packet waits.
  std::optional<Arrival> Receive(base::MutableBytes into);
  // Realtime. Returns false when the system did not take it.
  bool Send(base::ByteView packet, const Endpoint& to);
  uint16_t port() const { return port_; }

 private:
  Socket(int descriptor, uint16_t port) : descriptor_(descriptor), port_(port) {}
  base::Status LearnPort();

  const int descriptor_;
  uint16_t port_;
};

// An even port for RTP and the next for RTCP.
struct SocketPair {
  std::unique_ptr<Socket> rtp, rtcp;
};

// Two ports that the system chooses.
base::Result<SocketPair> OpenAny(const Endpoint& at);
// Two free ports of the range; kCapacity when every pair is taken.
base::Result<SocketPair> OpenPair(const Endpoint& at, uint16_t from, uint16_t to);

}  // namespace trunkline::rtp
