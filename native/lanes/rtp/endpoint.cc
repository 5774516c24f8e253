#include "lanes/rtp/endpoint.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <charconv>
#include <cstring>

namespace trunkline::rtp {

Endpoint Endpoint::WithPort(uint16_t other) const {
  Endpoint changed = *this;
  changed.port = other;
  return changed;
}

std::string Endpoint::Text() const {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(six ? AF_INET6 : AF_INET, address.data(), text, sizeof(text));
  std::string whole = six ? "[" : "";
  whole += text;
  whole += six ? "]:" : ":";
  return whole += std::to_string(port);
}

std::optional<Endpoint> Endpoint::Parse(std::string_view address, uint16_t port) {
  const std::string text(address);
  Endpoint endpoint{.port = port};
  if (inet_pton(AF_INET, text.c_str(), endpoint.address.data()) == 1) return endpoint;
  endpoint.six = true;
  if (inet_pton(AF_INET6, text.c_str(), endpoint.address.data()) == 1) return endpoint;
  return std::nullopt;
}

Endpoint Endpoint::Of(const sockaddr_storage& from) {
  Endpoint endpoint;
  if (from.ss_family == AF_INET) {
    sockaddr_in four;
    std::memcpy(&four, &from, sizeof(four));
    std::memcpy(endpoint.address.data(), &four.sin_addr, 4);
    endpoint.port = ntohs(four.sin_port);
  } else if (from.ss_family == AF_INET6) {
    sockaddr_in6 six;
    std::memcpy(&six, &from, sizeof(six));
    endpoint.six = true;
    std::memcpy(endpoint.address.data(), &six.sin6_addr, 16);
    endpoint.port = ntohs(six.sin6_port);
  }
  return endpoint;
}

socklen_t Endpoint::Fill(sockaddr_storage& into) const {
  std::memset(&into, 0, sizeof(into));
  if (six) {
    sockaddr_in6 wide{};
    wide.sin6_family = AF_INET6;
    wide.sin6_port = htons(port);
    std::memcpy(&wide.sin6_addr, address.data(), 16);
    std::memcpy(&into, &wide, sizeof(wide));
    return sizeof(wide);
  }
  sockaddr_in narrow{};
  narrow.sin_family = AF_INET;
  narrow.sin_port = htons(port);
  std::memcpy(&narrow.sin_addr, address.data(), 4);
  std::memcpy(&into, &narrow, sizeof(narrow));
  return sizeof(narrow);
}

bool Network::Holds(const Endpoint& endpoint) const {
  if (endpoint.six != first.six) return false;
  const size_t whole = static_cast<size_t>(bits) / 8;
  if (std::memcmp(endpoint.address.data(), first.address.data(), whole) != 0) return false;
  const int rest = bits % 8;
  return rest == 0 || (endpoint.address[whole] ^ first.address[whole]) >> (8 - rest) == 0;
}

std::optional<Network> Network::Parse(std::string_view text) {
  const size_t slash = text.find('/');
  const auto first = Endpoint::Parse(text.substr(0, slash), 0);
  if (!first) return std::nullopt;
  Network network{.first = *first, .bits = first->six ? 128 : 32};
  if (slash == std::string_view::npos) return network;
  const std::string_view bits = text.substr(slash + 1);
  const int most = network.bits;
  const char* end = bits.data() + bits.size();
  const auto read = std::from_chars(bits.data(), end, network.bits);
  if (read.ec != std::errc() || read.ptr != end || network.bits < 0 || network.bits > most)
    return std::nullopt;
  return network;
}

}  // namespace trunkline::rtp
