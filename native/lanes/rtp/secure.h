// SRTP (RFC 3711) by libsrtp2, where the build has found it: keys as SDP's `crypto` lines carry them.
#pragma once

#include <memory>
#include <string_view>

#include "base/bytes.h"
#include "base/status.h"
#include "lanes/rtp/packet.h"

namespace trunkline::rtp {

// What protection adds at most.
inline constexpr size_t kMostProtection = 148;

bool HasSrtp();

class Secure {
 public:
  enum class Way : uint8_t { kIn, kOut };

  // `suite` as SDP names it; `key` holds the key and its salt. kNotReady where this build has no libsrtp2.
  static base::Result<std::unique_ptr<Secure>> Open(std::string_view suite, base::ByteView key, Way way);
  virtual ~Secure() = default;

  // In place; the new size, 0 where that failed: what does not authenticate is nobody's. `room` is what the
  // packet may grow to.
  virtual size_t Rtp(base::MutableBytes room, size_t size) = 0;
  virtual size_t Rtcp(base::MutableBytes room, size_t size) = 0;
};

}  // namespace trunkline::rtp
