#include "programs/sip/source_allowlist.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace trunkline::sip {
namespace {

constexpr int kMaxDescriptors = 1024;
// The kernel accepts no larger filter; then each message is checked after it was read.
constexpr size_t kMaxFiltered = 1000;

bool SamePrefix(const unsigned char* one, const unsigned char* other, int bits) {
  const int whole = bits / 8, rest = bits % 8;
  if (std::memcmp(one, other, static_cast<size_t>(whole)) != 0) return false;
  return rest == 0 || (one[whole] ^ other[whole]) >> (8 - rest) == 0;
}

unsigned MaskOf(int prefix) {
  return prefix == 0 ? 0 : ~0u << (32 - prefix);
}

}  // namespace

bool SourceAllowlist::Parse(std::string_view text, Net& net) {
  const size_t slash = text.find('/');
  const std::string address(text.substr(0, slash));
  net.six = address.find(':') != std::string::npos;
  if (inet_pton(net.six ? AF_INET6 : AF_INET, address.c_str(), net.address) != 1) return false;
  const int most = net.six ? 128 : 32;
  net.prefix =
      slash == std::string_view::npos ? most : std::atoi(std::string(text.substr(slash + 1)).c_str());
  return net.prefix >= 0 && net.prefix <= most;
}

bool SourceAllowlist::Set(std::string_view text) {
  std::vector<Net> nets;
  while (!text.empty()) {
    const size_t space = std::min(text.find(' '), text.size());
    Net net;
    if (space > 0) {
      if (!Parse(text.substr(0, space), net)) return false;
      nets.push_back(net);
    }
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  nets_ = std::move(nets);
  return true;
}

bool SourceAllowlist::Includes(const sockaddr* from) const {
  const bool six = from->sa_family == AF_INET6;
  const unsigned char* address =
      six ? reinterpret_cast<const sockaddr_in6*>(from)->sin6_addr.s6_addr
          : reinterpret_cast<const unsigned char*>(&reinterpret_cast<const sockaddr_in*>(from)->sin_addr);
  for (const Net& net : nets_) {
    if (net.six == six && SamePrefix(net.address, address, net.prefix)) return true;
  }
  return false;
}

int SourceAllowlist::FilterSockets(int port, bool allow_all) const {
  std::vector<sock_filter> code;
  // The packet's source address, from its IP header.
  for (const Net& net : nets_) {
    if (net.six || allow_all) continue;
    unsigned address;
    std::memcpy(&address, net.address, sizeof(address));
    const unsigned mask = MaskOf(net.prefix);
    code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(SKF_NET_OFF + 12)));
    code.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ntohl(address) & mask, 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, 0x40000));
  }
  code.push_back(BPF_STMT(BPF_RET | BPF_K, allow_all ? 0x40000u : 0u));
  if (code.size() > kMaxFiltered * 4) return 0;
  const sock_fprog program{.len = static_cast<unsigned short>(code.size()), .filter = code.data()};
  int filtered = 0;
  for (int descriptor = 3; descriptor < kMaxDescriptors; ++descriptor) {
    sockaddr_in own{}, peer{};
    socklen_t size = sizeof(own), peer_size = sizeof(peer);
    if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &size) != 0) continue;
    if (own.sin_family != AF_INET || ntohs(own.sin_port) != port) continue;
    if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &peer_size) == 0)
      continue;  // a connection
    if (setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) == 0) ++filtered;
  }
  return filtered;
}

}  // namespace trunkline::sip
