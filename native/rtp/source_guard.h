// Whose packets a stream's are. The signalled address is always believed; behind a NAT packets come from another
// one, and that is taken for the other end once it has shown that it stays (symmetric RTP). Realtime.
#pragma once

#include <cstdint>
#include <optional>

#include "rtp/endpoint.h"

namespace trunkline::rtp {

class SourceGuard {
 public:
  enum class Verdict : uint8_t {
    kTake,
    kMoved,   // taken; from now on it is sent there too
    kWait,    // it may become the source
    kRefuse,  // somebody else's
  };

  // What signalling says. `symmetric`: whether another source may take its place. `proves`: packets
  // authenticate themselves, so that one is enough.
  void Expect(const Endpoint& signalled, bool symmetric, bool proves);
  Verdict Judge(const Endpoint& from, uint32_t ssrc, double now_ms);

  // Where packets are to be sent.
  const std::optional<Endpoint>& target() const { return target_; }
  // Whether packets of the stream's control may come from there.
  bool Knows(const Endpoint& from) const;

 private:
  struct Candidate {
    Endpoint from;
    uint32_t ssrc = 0;
    int packets = 0;
  };

  std::optional<Endpoint> signalled_, source_, target_;
  std::optional<Candidate> candidate_;
  bool symmetric_ = true, proves_ = false;
  double heard_ms_ = 0;
};

}  // namespace trunkline::rtp
