#include "guard/peer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

namespace trunkline::guard {
namespace {

constexpr size_t kRoom = 4096;
const std::string kGood("\x82\x83\0\0\0\0one", 9);
const std::string kBare("\x82\x03two", 5);
const std::string kClosing("\x88\x02\x03\xea", 4);
const std::string kForbidden("\xf3\x80\0\0\0\0", 6);

class PeerTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), 0);
    for (const int end : ends_) fcntl(end, F_SETFL, O_NONBLOCK);
  }
  void TearDown() override {
    for (const int end : ends_) close(end);
  }

  void ClientSends(const std::string& bytes) {
    ASSERT_EQ(send(ends_[1], bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }

  // What the library gets; "-": nothing now.
  std::string Received(Peer& peer) {
    std::vector<uint8_t> room(kRoom);
    const ssize_t got = peer.Receive(room, 0);
    if (got < 0) return errno == EAGAIN ? "-" : "?";
    return {room.begin(), room.begin() + got};
  }

  std::string ClientHears() {
    char bytes[64];
    const ssize_t got = recv(ends_[1], bytes, sizeof bytes, 0);
    return got < 0 ? "-" : std::string(bytes, got);
  }

  int ends_[2];
};

TEST_F(PeerTest, GivesHeadersOnceTheyAreWhole) {
  Peer peer(ends_[0], kRoom);
  ClientSends(kGood.substr(0, 5));
  EXPECT_EQ(Received(peer), "-");
  ClientSends(kGood.substr(5, 2));
  EXPECT_EQ(Received(peer), kGood.substr(0, 7));
  ClientSends(kGood.substr(7) + kGood.substr(0, 1));
  EXPECT_EQ(Received(peer), kGood.substr(7));
  ClientSends(kGood.substr(1));
  EXPECT_EQ(Received(peer), kGood);
  EXPECT_EQ(ClientHears(), "-");
}

TEST_F(PeerTest, GivesWhatWasGoodThenRefuses) {
  Peer peer(ends_[0], kRoom);
  ClientSends(kGood + kBare);
  EXPECT_EQ(Received(peer), kGood);
  EXPECT_EQ(ClientHears(), "-") << "what was good is answered first";
  EXPECT_EQ(Received(peer), kForbidden);
  EXPECT_EQ(ClientHears(), kClosing);
}

TEST_F(PeerTest, SaysNothingInTheMiddleOfAFrame) {
  Peer peer(ends_[0], kRoom);
  peer.Sent(10, 20);
  ClientSends(kBare);
  EXPECT_EQ(Received(peer), kForbidden);
  EXPECT_EQ(ClientHears(), "-");
}

TEST_F(PeerTest, TellsTheEndOfTheStream) {
  Peer peer(ends_[0], kRoom);
  ClientSends(kGood.substr(0, 3));
  EXPECT_EQ(Received(peer), "-");
  shutdown(ends_[1], SHUT_WR);
  EXPECT_EQ(Received(peer), "");
}

}  // namespace
}  // namespace trunkline::guard
