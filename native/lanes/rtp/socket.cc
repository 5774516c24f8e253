#include "lanes/rtp/socket.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

namespace trunkline::rtp {

using base::Code;
using base::Result;
using base::Status;

namespace {

// Holds one second of a delayed call's packets.
constexpr int kReceiveBytes = 128 * 1024;
constexpr int64_t kMaxAge = 1'000'000'000;
// Expedited forwarding (RFC 3246) gives voice priority in routers that honour it.
constexpr int kExpedited = 0xb8;

int64_t AgeOf(msghdr& message) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec stamp, now;
    std::memcpy(&stamp, CMSG_DATA(part), sizeof(stamp));
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t age = (now.tv_sec - stamp.tv_sec) * 1'000'000'000 + (now.tv_nsec - stamp.tv_nsec);
    return std::clamp<int64_t>(age, 0, kMaxAge);
  }
  return 0;
}

Status SystemSaid(const char* what) {
  const int error = errno;
  return Status(error == EADDRINUSE ? Code::kFull : Code::kInternal,
                std::string(what) + ": " + std::strerror(error));
}

}  // namespace

Result<std::unique_ptr<Socket>> Socket::Open(const Endpoint& at) {
  const int descriptor =
      socket(at.six ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_UDP);
  if (descriptor < 0) return SystemSaid("socket");
  std::unique_ptr<Socket> socket(new Socket(descriptor, at.port));
  const int yes = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof(yes));
  setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &kReceiveBytes, sizeof(kReceiveBytes));
  if (at.six)
    setsockopt(descriptor, IPPROTO_IPV6, IPV6_TCLASS, &kExpedited, sizeof(kExpedited));
  else
    setsockopt(descriptor, IPPROTO_IP, IP_TOS, &kExpedited, sizeof(kExpedited));
  sockaddr_storage address;
  const socklen_t size = at.Fill(address);
  if (bind(descriptor, reinterpret_cast<const sockaddr*>(&address), size) != 0) {
    return SystemSaid(("bind " + at.Text()).c_str());
  }
  if (at.port == 0) TRUNKLINE_RETURN_IF_FAILED(socket->LearnPort());
  return socket;
}

// Reads the port that the system has chosen.
Status Socket::LearnPort() {
  sockaddr_storage address;
  socklen_t size = sizeof(address);
  if (getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return SystemSaid("getsockname");
  }
  port_ = Endpoint::Of(address).port;
  return base::Ok();
}

Socket::~Socket() {
  close(descriptor_);
}

std::optional<Socket::Arrival> Socket::Receive(base::MutableBytes into) {
  sockaddr_storage from;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(timespec))];
  iovec place{into.data(), into.size()};
  msghdr message{};
  message.msg_name = &from;
  message.msg_namelen = sizeof(from);
  message.msg_iov = &place;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  ssize_t size = -1;
  // A closed port on the other end is reported once by the next call.
  for (int tries = 0; tries < 4; ++tries) {
    size = recvmsg(descriptor_, &message, MSG_DONTWAIT);
    if (size >= 0 || errno == EAGAIN || errno == EWOULDBLOCK) break;
  }
  if (size < 0) return std::nullopt;
  return Arrival{.size = static_cast<size_t>(size), .from = Endpoint::Of(from), .age_nanos = AgeOf(message)};
}

bool Socket::Send(base::ByteView packet, const Endpoint& to) {
  sockaddr_storage address;
  const socklen_t size = to.Fill(address);
  return sendto(descriptor_, packet.data(), packet.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                reinterpret_cast<const sockaddr*>(&address), size) == static_cast<ssize_t>(packet.size());
}

Result<SocketPair> OpenAny(const Endpoint& at) {
  TRUNKLINE_ASSIGN_OR_RETURN(auto rtp, Socket::Open(at.WithPort(0)));
  TRUNKLINE_ASSIGN_OR_RETURN(auto rtcp, Socket::Open(at.WithPort(0)));
  return SocketPair{std::move(rtp), std::move(rtcp)};
}

Result<SocketPair> OpenPair(const Endpoint& at, uint16_t from, uint16_t to) {
  // The last search ended here, so that a port rests after its call and late packets do not reach
  // another call.
  static std::atomic<uint32_t> next{0};
  const uint32_t first = (static_cast<uint32_t>(from) + 1) / 2 * 2;
  if (first + 1 > to) {
    return Status(Code::kInvalidArgument,
                  "ports " + std::to_string(from) + " to " + std::to_string(to) + " hold no pair");
  }
  const uint32_t pairs = (to - first + 1) / 2;
  for (uint32_t tried = 0; tried < pairs; ++tried) {
    const uint16_t port = static_cast<uint16_t>(first + 2 * (next.fetch_add(1) % pairs));
    auto rtp = Socket::Open(at.WithPort(port));
    if (!rtp.ok() && rtp.status().code() != Code::kFull) return rtp.status();
    if (!rtp.ok()) continue;
    auto rtcp = Socket::Open(at.WithPort(static_cast<uint16_t>(port + 1)));
    if (rtcp.ok()) return SocketPair{std::move(rtp).value(), std::move(rtcp).value()};
  }
  return Status(Code::kCapacity,
                "every RTP port of " + std::to_string(from) + "-" + std::to_string(to) + " is taken");
}

}  // namespace trunkline::rtp
