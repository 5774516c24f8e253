// Who may send to the listening sockets at all: the kernel drops everybody else's packets before anybody reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

struct sockaddr;

namespace trunkline::sip {

class Allowed {
 public:
  // "10.0.0.0/8 192.0.2.7 2001:db8::/32", separated by spaces; the address without a prefix is one host. False: one
  // of them is none, and nothing changes.
  bool Set(std::string_view nets);
  bool Includes(const sockaddr* from) const;
  // Filters every socket of this process that listens on the port, over IPv4. How many there were.
  int FilterSockets(int port) const;

 private:
  struct Net {
    bool six = false;
    unsigned char address[16] = {};
    int prefix = 0;
  };
  static bool Parse(std::string_view text, Net& net);
  std::vector<Net> nets_;
};

}  // namespace trunkline::sip
