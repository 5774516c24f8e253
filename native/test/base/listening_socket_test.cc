#include "base/listening_socket.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace trunkline::base {
namespace {

TEST(BoundReceive, BoundsTheSocketThatListensOnThePortAndNoOther) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  socklen_t size = sizeof address;
  ASSERT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const uint16_t port = ntohs(address.sin_port);
  EXPECT_EQ(BoundReceive(port, 65536), 0) << "a socket that does not listen yet";
  ASSERT_EQ(listen(fd, 1), 0);
  EXPECT_EQ(BoundReceive(port, 65536), 1);
  int bytes = 0;
  size = sizeof bytes;
  ASSERT_EQ(getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, &size), 0);
  EXPECT_LE(bytes, 2 * 65536) << "Linux doubles what is asked for";
  EXPECT_EQ(BoundReceive(port == 1 ? 2 : port - 1, 65536), 0);
  close(fd);
}

}  // namespace
}  // namespace trunkline::base
