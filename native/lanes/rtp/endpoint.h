// An IP address and port. Realtime, except for Text.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trunkline::rtp {

struct Endpoint {
  std::array<uint8_t, 16> address{};  // the first four bytes of it for IPv4
  bool six = false;
  uint16_t port = 0;

  bool operator==(const Endpoint&) const = default;
  bool SameAddress(const Endpoint& other) const { return six == other.six && address == other.address; }
  Endpoint WithPort(uint16_t other) const;
  // "127.0.0.1:5004", "[::1]:5004"
  std::string Text() const;

  // Parses a numeric address; the signalling side resolves names.
  static std::optional<Endpoint> Parse(std::string_view address, uint16_t port);
  static Endpoint Of(const sockaddr_storage& address);
  // Returns how many bytes of `into` are valid.
  socklen_t Fill(sockaddr_storage& into) const;
};

struct Network {
  Endpoint first;
  int bits = 0;

  bool Holds(const Endpoint& endpoint) const;
  // "192.0.2.0/24", "2001:db8::/32", or one address.
  static std::optional<Network> Parse(std::string_view text);
};

}  // namespace trunkline::rtp
