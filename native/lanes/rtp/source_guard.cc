#include "lanes/rtp/source_guard.h"

#include <algorithm>

namespace trunkline::rtp {
namespace {

// Another source needs this many consecutive packets, after the known one was silent for this
// long.
constexpr int kEnoughPackets = 3;
constexpr double kSourceSilentMs = 2000;

}  // namespace

void SourceGuard::Expect(const Endpoint& signalled, std::span<const Network> networks, bool symmetric,
                         bool proves) {
  networks_ = networks;
  symmetric_ = symmetric;
  proves_ = proves;
  if (signalled_ == signalled) return;
  signalled_ = target_ = signalled;
  source_.reset();
  candidate_.reset();
}

SourceGuard::Verdict SourceGuard::Judge(const Endpoint& from, uint32_t ssrc, double now_ms) {
  if (source_ == from) {
    heard_ms_ = now_ms;
    return Verdict::kTake;
  }
  if (!signalled_) return Verdict::kRefuse;
  if (from != *signalled_) {
    if (!MayMove(from) || (source_ && now_ms - heard_ms_ < kSourceSilentMs)) return Verdict::kRefuse;
    if (!candidate_ || candidate_->from != from || candidate_->ssrc != ssrc)
      candidate_ = Candidate{from, ssrc, 0};
    if (++candidate_->packets < (proves_ ? 1 : kEnoughPackets)) return Verdict::kWait;
  }
  const bool moved = target_ != from;
  source_ = target_ = from;
  candidate_.reset();
  heard_ms_ = now_ms;
  return moved ? Verdict::kMoved : Verdict::kTake;
}

bool SourceGuard::MayMove(const Endpoint& from) const {
  if (!symmetric_) return false;
  return proves_ || signalled_->SameAddress(from) ||
         std::ranges::any_of(networks_, [&](const Network& network) { return network.Holds(from); });
}

bool SourceGuard::Knows(const Endpoint& from) const {
  return (signalled_ && signalled_->SameAddress(from)) || (source_ && source_->SameAddress(from));
}

}  // namespace trunkline::rtp
