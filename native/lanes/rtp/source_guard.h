// Whose packets a stream's are. The signalled address and port are always believed. Behind a NAT packets come from
// elsewhere (symmetric RTP): another port of the signalled address, or an address of the networks that belong to the
// other end, is taken for it once it has shown that it stays. An address that nobody vouches for never is, unless its
// packets authenticate themselves: whoever finds the port would have the call's sound. Realtime.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "lanes/rtp/endpoint.h"

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
  // authenticate themselves, so that one is enough, wherever it comes from. `networks`: of the other end; they
  // outlive the next call.
  void Expect(const Endpoint& signalled, std::span<const Network> networks, bool symmetric, bool proves);
  Verdict Judge(const Endpoint& from, uint32_t ssrc, double now_ms);

  // Where packets are to be sent.
  const std::optional<Endpoint>& target() const { return target_; }
  // Whether packets of the stream's control may come from there.
  bool Knows(const Endpoint& from) const;

 private:
  bool MayMove(const Endpoint& from) const;

  struct Candidate {
    Endpoint from;
    uint32_t ssrc = 0;
    int packets = 0;
  };

  std::optional<Endpoint> signalled_, source_, target_;
  std::optional<Candidate> candidate_;
  std::span<const Network> networks_;
  bool symmetric_ = true, proves_ = false;
  double heard_ms_ = 0;
};

}  // namespace trunkline::rtp
