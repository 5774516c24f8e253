// The networks that may call: the kernel drops packets from all others, unless telephones register.
#pragma once

#include <string>
#include <string_view>
#include <vector>

struct sockaddr;

namespace trunkline::sip {

class SourceAllowlist {
 public:
  // Takes networks such as "10.0.0.0/8 192.0.2.7 2001:db8::/32", separated by spaces; an address without a
  // prefix is one host. Returns false, and changes nothing, when one is invalid.
  bool Set(std::string_view nets);
  bool Includes(const sockaddr* from) const;
  // Filters every socket of this process that listens on the port, over IPv4; `allow_all` lets all packets
  // through. Returns their number.
  int FilterSockets(int port, bool allow_all) const;

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
