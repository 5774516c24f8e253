// Frames by chance, right and wrong, in pieces by chance: what the library gets, read by a plain parser of its own, is held
// against what the same parser of the whole makes of them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "binding/guard/peer.h"

namespace trunkline::guard {
namespace {

constexpr size_t kMax = 3000;

struct ParsedStream {
  // Opcode and payload of every message and control frame.
  std::vector<std::string> messages;
  unsigned code = 0;
  bool operator==(const ParsedStream&) const = default;
};

bool IsText(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0U; };
    const unsigned first = byte(at);
    const size_t more = first < 0x80 ? 0 : first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if ((first >= 0x80 && first < 0xc2) || first > 0xf4) return false;
    unsigned code = more == 0 ? first : first & (0x3fU >> more);
    for (size_t i = 1; i <= more; ++i) {
      if ((byte(at + i) & 0xc0U) != 0x80) return false;
      code = code << 6 | (byte(at + i) & 0x3fU);
    }
    if ((more == 2 && code < 0x800) || (more == 3 && code < 0x10000)) return false;
    if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) return false;
    at += more + 1;
  }
  return true;
}

bool IsCode(unsigned code) {
  if (code >= 3000 && code <= 4999) return true;
  return code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006;
}

// Parses the whole stream, up to its first fault or close frame.
ParsedStream Parsed(const std::string& bytes) {
  ParsedStream parsed;
  std::optional<std::string> message;
  const auto refuse = [&](unsigned code) {
    parsed.code = code;
    return parsed;
  };
  for (size_t at = 0; at + 2 <= bytes.size();) {
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(bytes[at + i]); };
    const unsigned opcode = byte(0) & 15U;
    const bool is_final = byte(0) >= 0x80;
    uint64_t length = byte(1) & 0x7fU;
    const bool is_control = opcode >= 8;
    if ((byte(0) & 0x70U) != 0 || byte(1) < 0x80 || (opcode > 2 && opcode < 8) || opcode > 10)
      return refuse(1002);
    if (is_control && (!is_final || length > 125)) return refuse(1002);
    if (!is_control && (opcode == 0) != message.has_value()) return refuse(1002);
    const size_t wide = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (at + 6 + wide > bytes.size()) break;
    if (wide > 0) length = 0;
    for (size_t i = 0; i < wide; ++i) length = length << 8 | byte(2 + i);
    if (!is_control && length > kMax - (message ? message->size() - 1 : 0)) return refuse(1009);
    if (at + 6 + wide + length > bytes.size()) break;
    std::string payload;
    for (size_t i = 0; i < length; ++i)
      payload += static_cast<char>(byte(6 + wide + i) ^ byte(2 + wide + i % 4));
    at += 6 + wide + length;
    if (opcode == 8) {
      if (payload.size() == 1) return refuse(1002);
      if (payload.empty()) return refuse(1005);
      const unsigned code = static_cast<uint8_t>(payload[0]) << 8 | static_cast<uint8_t>(payload[1]);
      return refuse(IsCode(code) && IsText(payload.substr(2)) ? code : 1002);
    }
    if (is_control) {
      parsed.messages.push_back(static_cast<char>(opcode) + payload);
      continue;
    }
    if (!message) message = std::string(1, static_cast<char>(opcode));
    *message += payload;
    if (!is_final) continue;
    if ((*message)[0] == 1 && !IsText(message->substr(1))) return refuse(1007);
    parsed.messages.push_back(*message);
    message.reset();
  }
  return parsed;
}

class Chance {
 public:
  explicit Chance(unsigned seed) : source_(seed) {}

  size_t Below(size_t most) { return source_() % most; }
  bool OneIn(size_t many) { return Below(many) == 0; }

  std::string Frame() {
    static constexpr uint8_t kOpcodes[] = {1, 1, 2, 2, 9, 10};
    uint8_t opcode = is_open_ ? (OneIn(4) ? 9 : 0) : kOpcodes[Below(std::size(kOpcodes))];
    if (OneIn(40)) opcode = static_cast<uint8_t>(Below(16));
    if (OneIn(100)) opcode = 8;
    if (opcode == 0 && !is_open_) opcode = 2;
    const bool is_control = opcode >= 8;
    const bool is_final = is_control || !OneIn(3);
    if (!is_control) is_open_ = !is_final;
    std::string payload = Payload(is_control ? Below(126) : OneIn(5) ? Below(2000) : Below(140));
    if (opcode == 8)
      payload = std::string("\x03", 1) + static_cast<char>(0xe8 + Below(20)) + payload.substr(0, 99);
    std::string frame(1, static_cast<char>((is_final ? 0x80 : 0) | opcode | (OneIn(60) ? 0x40 : 0)));
    const int bare = OneIn(60) ? 0 : 0x80;
    if (payload.size() < 126) {
      frame += static_cast<char>(bare | payload.size());
    } else {
      frame += static_cast<char>(bare | 126);
      frame += {static_cast<char>(payload.size() >> 8), static_cast<char>(payload.size())};
    }
    std::string mask;
    for (int i = 0; i < 4; ++i) mask += static_cast<char>(Below(256));
    frame += mask;
    for (size_t at = 0; at < payload.size(); ++at) frame += static_cast<char>(payload[at] ^ mask[at % 4]);
    return frame;
  }

 private:
  std::string Payload(size_t least) {
    static constexpr const char* kCharacters[] = {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    std::string payload;
    while (payload.size() + 4 <= least) payload += kCharacters[Below(4)];
    if (OneIn(40)) payload += "\xff";
    return payload;
  }

  std::mt19937 source_;
  bool is_open_ = false;
};

// Returns what the library receives of the stream, in pieces of less than `most` bytes.
std::string Given(const std::string& bytes, size_t most, size_t size, Chance& chance) {
  int ends[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  for (const int end : ends) fcntl(end, F_SETFL, O_NONBLOCK);
  Peer peer(ends[0], kMax);
  std::vector<uint8_t> buffer(size);
  std::string given;
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t sent = send(ends[1], &bytes[at], std::min(bytes.size() - at, 1 + chance.Below(most)), 0);
    EXPECT_GT(sent, 0);
    at += static_cast<size_t>(sent);
    // The loop reads as often as a poll would report data.
    for (char next; recv(ends[0], &next, 1, MSG_PEEK) == 1;) {
      const ssize_t got = peer.Receive(buffer, 0);
      if (got > 0) given.append(buffer.begin(), buffer.begin() + got);
      if (got < 0) EXPECT_EQ(errno, EAGAIN);
    }
  }
  for (const int end : ends) close(end);
  return given;
}

TEST(RandomPieces, SayTheSameAsTheWhole) {
  size_t codes[4] = {};
  for (unsigned seed = 0; seed < 300; ++seed) {
    Chance chance(seed);
    std::string bytes;
    for (size_t left = 1 + chance.Below(30); left > 0; --left) bytes += chance.Frame();
    const ParsedStream parsed = Parsed(bytes);
    for (const size_t most : {size_t{3}, size_t{100}, size_t{5000}}) {
      const size_t size = chance.OneIn(2) ? 200 : 8192;
      ASSERT_EQ(Parsed(Given(bytes, most, size, chance)), parsed)
          << "seed " << seed << ", pieces of " << most;
    }
    ++codes[parsed.code == 0 ? 0 : parsed.code == 1002 ? 1 : parsed.code == 1007 ? 2 : 3];
  }
  EXPECT_GT(*std::ranges::min_element(codes), 5U)
      << codes[0] << " " << codes[1] << " " << codes[2] << " " << codes[3];
}

TEST(RandomPieces, SayTheSameCutAtEveryByteOnce) {
  Chance chance(18);
  for (int round = 0; round < 20; ++round) {
    std::string bytes;
    for (size_t left = 1 + chance.Below(5); left > 0; --left) bytes += chance.Frame();
    const ParsedStream parsed = Parsed(bytes);
    for (size_t cut = 1; cut < bytes.size(); ++cut) {
      int ends[2];
      ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
      for (const int end : ends) fcntl(end, F_SETFL, O_NONBLOCK);
      Peer peer(ends[0], kMax);
      std::vector<uint8_t> buffer(64 * 1024);
      std::string given;
      for (const std::string& piece : {bytes.substr(0, cut), bytes.substr(cut)}) {
        ASSERT_EQ(send(ends[1], piece.data(), piece.size(), 0), static_cast<ssize_t>(piece.size()));
        if (const ssize_t got = peer.Receive(buffer, 0); got > 0)
          given.append(buffer.begin(), buffer.begin() + got);
      }
      for (const int end : ends) close(end);
      ASSERT_EQ(Parsed(given), parsed) << "round " << round << ", cut at " << cut;
    }
  }
}

}  // namespace
}  // namespace trunkline::guard
