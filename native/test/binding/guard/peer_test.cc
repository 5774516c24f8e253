#include "binding/guard/peer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

namespace trunkline::guard {
namespace {

constexpr size_t kBufferSize = 4096;
const std::string kGood("\x82\x83\0\0\0\0one", 9);
const std::string kBare("\x82\x03two", 5);
// The close frame with the code that the library receives.
const std::string kRefused("\x88\x82\0\0\0\0\x03\xea", 8);
const std::string kNotText("\x88\x82\0\0\0\0\x03\xef", 8);
const std::string kEnd("\x80\x80\0\0\0\0", 6);

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

  // Returns what the library receives; "-": nothing now.
  std::string Received(Peer& peer, size_t size = kBufferSize) {
    std::vector<uint8_t> buffer(size);
    const ssize_t got = peer.Receive(buffer, 0);
    if (got < 0) return errno == EAGAIN ? "-" : "?";
    return {buffer.begin(), buffer.begin() + got};
  }

  std::string ClientHears() {
    char bytes[64];
    const ssize_t got = recv(ends_[1], bytes, sizeof bytes, 0);
    return got < 0 ? "-" : std::string(bytes, got);
  }

  int ends_[2];
};

TEST_F(PeerTest, GivesHeadersOnceTheyAreWhole) {
  Peer peer(ends_[0], kBufferSize);
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

TEST_F(PeerTest, GivesWhatWasGoodWithARefusalAndNothingAfterIt) {
  Peer peer(ends_[0], kBufferSize);
  ClientSends(kGood + kBare + kGood);
  EXPECT_EQ(Received(peer), kGood + kRefused);
  EXPECT_EQ(Received(peer), "-");
  ClientSends(kGood);
  EXPECT_EQ(Received(peer), "-") << "read and thrown away";
  EXPECT_EQ(ClientHears(), "-") << "the library answers, behind what it has to send";
  shutdown(ends_[1], SHUT_WR);
  EXPECT_EQ(Received(peer), "");
}

TEST_F(PeerTest, GivesATextThatComesInPiecesAsFragments) {
  Peer peer(ends_[0], kBufferSize);
  const std::string text("\x81\x83\0\0\0\0one", 9);
  ClientSends(text.substr(0, 8));
  EXPECT_EQ(Received(peer), "\x01" + text.substr(1, 7));
  ClientSends(text.substr(8) + text + kGood.substr(0, 3));
  EXPECT_EQ(Received(peer), text.substr(8) + kEnd + text);
  ClientSends(kGood.substr(3));
  EXPECT_EQ(Received(peer), kGood);
}

TEST_F(PeerTest, RefusesTextThatIsNoneInPlaceOfItOrOfItsEnd) {
  const std::string bad("\x81\x82\0\0\0\0\xc3\x28", 8);
  Peer whole(ends_[0], kBufferSize);
  ClientSends(kGood + bad + kGood);
  EXPECT_EQ(Received(whole), kGood + kNotText);
  Peer cut(ends_[0], kBufferSize);
  ClientSends(kGood + bad.substr(0, 7));
  EXPECT_EQ(Received(cut), kGood + "\x01" + bad.substr(1, 6));
  ClientSends(bad.substr(7) + kGood);
  EXPECT_EQ(Received(cut), bad.substr(7) + kNotText);
}

TEST_F(PeerTest, HasRoomForAnEndAndARefusalInAFullReading) {
  constexpr size_t kSmall = 200;
  const std::string text = std::string("\x81\xfe\x01\x6a\0\0\0\0", 8) + std::string(362, 'x');
  Peer peer(ends_[0], kBufferSize);
  // Two readings of 186 bytes: the second ends with the first two of the frame that is refused.
  ClientSends(text + kBare);
  std::string all;
  for (int i = 0; i < 2; ++i) all += Received(peer, kSmall);
  EXPECT_EQ(all, "\x01" + text.substr(1) + kEnd + kRefused);
}

TEST_F(PeerTest, TellsTheEndOfTheStream) {
  Peer peer(ends_[0], kBufferSize);
  ClientSends(kGood.substr(0, 3));
  EXPECT_EQ(Received(peer), "-");
  shutdown(ends_[1], SHUT_WR);
  EXPECT_EQ(Received(peer), "");
}

}  // namespace
}  // namespace trunkline::guard
