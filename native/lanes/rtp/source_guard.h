// Decides which source's packets belong to a stream. The signalled address and port are always accepted.
// Behind a NAT, packets come from elsewhere (symmetric RTP): another port of the signalled address, or an
// address of the other end's networks, is accepted once it persists. Any other address is refused unless its
// packets authenticate themselves, because an attacker who finds the port would otherwise receive the call's
// audio. Realtime.
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
    kMoved,   // accepted; our packets go there from now on
    kWait,    // it may become the source
    kRefuse,  // another sender's
  };

  // Sets what was signalled. `symmetric`: whether another source may replace it. `proves`: packets
  // authenticate themselves, so that one suffices from anywhere. `networks` of the other end must outlive the
  // next call.
  void Expect(const Endpoint& signalled, std::span<const Network> networks, bool symmetric, bool proves);
  Verdict Judge(const Endpoint& from, uint32_t ssrc, double now_ms);

  const std::optional<Endpoint>& target() const { return target_; }
  // Returns whether RTCP packets may come from there.
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
