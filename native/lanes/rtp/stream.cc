#include "lanes/rtp/stream.h"

#include <utility>

namespace trunkline::rtp {
namespace {

// Packets of one tick; the rest of a flood waits in the kernel and may be lost there.
constexpr int kMaxPacketsPerTick = 64;

}  // namespace

Stream::Stream(int rate, SocketPair sockets, StreamStart start, std::string name, double wall_ms)
    : sockets_(std::move(sockets)),
      receiver_(rate),
      sender_(rate, start),
      control_(std::move(name), wall_ms),
      in_(2048),
      out_(kMaxPacket + kMaxProtection) {}

std::unique_ptr<Setup> Stream::Use(std::unique_ptr<Setup> setup) {
  receiver_.Use(&setup->listening);
  sender_.Use(&setup->speaking);
  guard_.Expect(setup->remote, setup->networks, setup->symmetric, setup->in != nullptr);
  // An unchanged key keeps its SRTP state: a new one would lose the rollover counter and decrypt nothing.
  if (setup_ != nullptr && setup->in != nullptr && setup->in_key == setup_->in_key)
    std::swap(setup->in, setup_->in);
  if (setup_ != nullptr && setup->out != nullptr && setup->out_key == setup_->out_key)
    std::swap(setup->out, setup_->out);
  std::swap(setup_, setup);
  keys_ = KeyReader();
  return setup;
}

void Stream::Direct(bool sends, bool receives) {
  if (setup_ == nullptr) return;
  setup_->sends = sends;
  setup_->receives = receives;
}

void Stream::Receive(double now_ms, StreamListener& listener) {
  for (int i = 0; i < kMaxPacketsPerTick; ++i) {
    const auto arrival = sockets_.rtp->Receive(in_);
    if (!arrival) break;
    if (setup_ == nullptr) continue;
    if (LooksLikeRtcp({in_.data(), arrival->size}))
      TakeRtcp(arrival->size, arrival->from, now_ms);
    else
      TakeRtp(arrival->size, *arrival, now_ms, listener);
  }
  for (int i = 0; i < kMaxPacketsPerTick; ++i) {
    const auto arrival = sockets_.rtcp->Receive(in_);
    if (!arrival) return;
    if (setup_ != nullptr) TakeRtcp(arrival->size, arrival->from, now_ms);
  }
}

void Stream::TakeRtp(size_t size, const Socket::Arrival& arrival, double now_ms, StreamListener& listener) {
  auto packet = ReadRtp({in_.data(), size});
  if (packet && setup_->in != nullptr) {
    const size_t clear = setup_->in->Rtp(in_, size);
    packet = clear == 0 ? std::nullopt : ReadRtp({in_.data(), clear});
  }
  if (!packet) {
    ++counts_.bad;
    return;
  }
  const auto verdict = guard_.Judge(arrival.from, packet->header.ssrc, now_ms);
  if (verdict == SourceGuard::Verdict::kWait) return;
  if (verdict == SourceGuard::Verdict::kRefuse) {
    ++counts_.foreign;
    return;
  }
  if (verdict == SourceGuard::Verdict::kMoved || !heard_ms_) listener.Source(arrival.from);
  heard_ms_ = now_ms;
  ++counts_.taken;
  counts_.bytes += packet->payload.size();
  if (other_ != packet->header.ssrc) {
    if (other_) receiver_.Restart();
    other_ = packet->header.ssrc;
    keys_ = KeyReader();
  }
  if (packet->header.payload_type == setup_->listening.event_type) {
    if (const auto key = keys_.Take(packet->payload, packet->header.timestamp)) listener.Key(*key);
  }
  receiver_.Take(*packet, now_ms - static_cast<double>(arrival.age_nanos) / base::kNanosPerMilli);
}

void Stream::TakeRtcp(size_t size, const Endpoint& from, double now_ms) {
  if (!guard_.Knows(from)) {
    ++counts_.foreign;
    return;
  }
  const size_t clear = setup_->in == nullptr ? size : setup_->in->Rtcp(in_, size);
  const int clock = setup_->speaking.encoder->clock();
  if (clear == 0 || !control_.Take({in_.data(), clear}, sender_.ssrc(), clock, now_ms)) {
    ++counts_.bad;
    return;
  }
  sender_.ExpectLoss(static_cast<int>(control_.remote().loss * 100));
}

void Stream::Step() {
  if (setup_ == nullptr) return;
  const size_t size = sender_.Step(setup_->sends, std::span<uint8_t>(out_).first(kMaxPacket));
  if (size == 0 || !guard_.target()) return;
  const size_t ready = setup_->out == nullptr ? size : setup_->out->Rtp(out_, size);
  Send(*sockets_.rtp, ready, *guard_.target());
}

void Stream::SendReport(double now_ms, bool bye) {
  if (setup_ == nullptr || (!bye && !control_.Due(now_ms))) return;
  const size_t size = control_.Write(sender_, receiver_.reception(), other_, bye, now_ms,
                                     std::span<uint8_t>(out_).first(kMaxPacket));
  const size_t ready = setup_->out == nullptr ? size : setup_->out->Rtcp(out_, size);
  // The port next to the source's is the best guess for RTCP behind a NAT.
  const Endpoint& target = *guard_.target();
  const bool moved = target != setup_->remote;
  if (setup_->one_port)
    Send(*sockets_.rtp, ready, target);
  else
    Send(*sockets_.rtcp, ready, moved ? target.WithPort(target.port + 1) : setup_->remote_rtcp);
}

void Stream::Send(Socket& socket, size_t size, const Endpoint& to) {
  if (size == 0 || !socket.Send({out_.data(), size}, to)) ++counts_.unsent;
}

}  // namespace trunkline::rtp
