#include "base/listening_socket.h"

#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>

namespace trunkline::base {
namespace {

bool Listens(int fd) {
  int yes = 0;
  socklen_t size = sizeof yes;
  return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &size) == 0 && yes != 0;
}

uint16_t PortOf(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<sockaddr_in&>(address).sin_port);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6&>(address).sin6_port);
  return 0;
}

}  // namespace

int BoundReceive(uint16_t port, int bytes) {
  int bounded = 0;
#if defined(__linux__)
  constexpr const char* kDescriptors = "/proc/self/fd";
#else
  constexpr const char* kDescriptors = "/dev/fd";
#endif
  DIR* open = opendir(kDescriptors);
  if (open == nullptr) return 0;
  while (const dirent* entry = readdir(open)) {
    const int fd = std::atoi(entry->d_name);
    if (fd < 3 || !Listens(fd) || PortOf(fd) != port) continue;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes) == 0) bounded++;
  }
  closedir(open);
  return bounded;
}

}  // namespace trunkline::base
