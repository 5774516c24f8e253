// One call's packets: received packets are checked, decrypted and passed to the receiver; the sender's are
// sent by the media clock. Media thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lanes/rtp/receiver.h"
#include "lanes/rtp/rtcp_exchange.h"
#include "lanes/rtp/sender.h"
#include "lanes/rtp/setup.h"
#include "lanes/rtp/socket.h"
#include "lanes/rtp/source_guard.h"
#include "lanes/rtp/telephone_event.h"

namespace trunkline::rtp {

class StreamListener {
 public:
  virtual ~StreamListener() = default;
  virtual void Key(char key) = 0;
  // The first packet came from there, or the other end has moved.
  virtual void Source(const Endpoint& from) = 0;
};

struct PacketCounts {
  uint64_t taken = 0, bytes = 0;
  uint64_t foreign = 0;
  uint64_t bad = 0;     // no RTP, or not authentic
  uint64_t unsent = 0;  // the system did not take them
};

class Stream {
 public:
  Stream(int rate, SocketPair sockets, StreamStart start, std::string name, double wall_ms);
  // Starts the media clock.
  void Begin(double now_ms) { control_.Begin(now_ms); }

  // Replaces the setup; the old one is returned, to be destroyed off the media thread.
  std::unique_ptr<Setup> Use(std::unique_ptr<Setup> setup);
  // Sets the hold state of both directions.
  void Direct(bool sends, bool receives);
  bool ready() const { return setup_ != nullptr; }

  // Receives all packets that wait in the sockets.
  void Receive(double now_ms, StreamListener& listener);
  bool Play(double now_ms, std::span<int16_t> out) { return receiver_.Play(now_ms, out); }
  // Called every 20 ms.
  void Step();
  // Sends a report when one is due, and a last one with `bye`.
  void SendReport(double now_ms, bool bye);

  Sender& sender() { return sender_; }
  Receiver& receiver() { return receiver_; }
  const Remote& remote() const { return control_.remote(); }
  const PacketCounts& counts() const { return counts_; }
  // The arrival time of the other end's last packet.
  std::optional<double> heard_ms() const { return heard_ms_; }
  // Returns whether the other end should be sending.
  bool expects() const { return setup_ != nullptr && setup_->receives; }
  bool detects_dtmf() const { return setup_ != nullptr && setup_->detects_dtmf; }
  uint16_t port() const { return sockets_.rtp->port(); }
  uint16_t control_port() const { return sockets_.rtcp->port(); }

 private:
  void TakeRtp(size_t size, const Socket::Arrival& arrival, double now_ms, StreamListener& listener);
  void TakeRtcp(size_t size, const Endpoint& from, double now_ms);
  void Send(Socket& socket, size_t size, const Endpoint& to);

  SocketPair sockets_;
  std::unique_ptr<Setup> setup_;
  SourceGuard guard_;
  Receiver receiver_;
  Sender sender_;
  RtcpExchange control_;
  KeyReader keys_;
  PacketCounts counts_;
  std::optional<uint32_t> other_;  // the other end's SSRC
  std::optional<double> heard_ms_;
  std::vector<uint8_t> in_, out_;
};

}  // namespace trunkline::rtp
