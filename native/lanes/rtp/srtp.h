// SRTP (RFC 3711) by libsrtp2, where the build found it, with keys from SDP's `crypto` lines.
#pragma once

#include <memory>
#include <string_view>

#include "base/bytes.h"
#include "base/status.h"
#include "lanes/rtp/packet.h"

namespace trunkline::rtp {

// The most bytes that protection adds.
inline constexpr size_t kMaxProtection = 148;

bool HasSrtp();

class SrtpSession {
 public:
  enum class Direction : uint8_t { kIn, kOut };

  // `suite` as SDP names it; `key` holds the key and its salt. Returns kNotReady without libsrtp2.
  static base::Result<std::unique_ptr<SrtpSession>> Open(std::string_view suite, base::ByteView key,
                                                         Direction direction);
  virtual ~SrtpSession() = default;

  // Works in place and returns the new size, or 0 on failure, such as a packet that does not authenticate.
  // `room` is the packet's greatest size.
  virtual size_t Rtp(base::MutableBytes room, size_t size) = 0;
  virtual size_t Rtcp(base::MutableBytes room, size_t size) = 0;
};

}  // namespace trunkline::rtp
