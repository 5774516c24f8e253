#include "guard/peer.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#if !defined(MSG_NOSIGNAL)
#define MSG_NOSIGNAL 0
#endif

namespace trunkline::guard {
namespace {

// A frame with every reserved bit and an opcode that there is none of: the library cuts whoever sends it.
constexpr std::array<uint8_t, 6> kForbidden = {0xf3, 0x80, 0, 0, 0, 0};

}  // namespace

ssize_t Peer::Receive(std::span<uint8_t> room, int flags) {
  if (state_ == State::kDoomed) return GiveRest(room);
  if (state_ == State::kRefused || room.size() <= kMostHeld)
    return recv(fd_, room.data(), room.size(), flags);
  std::memcpy(room.data(), held_.data(), holds_);
  const ssize_t got = recv(fd_, room.data() + holds_, room.size() - holds_, flags);
  return got <= 0 ? got : Judge(room, holds_ + static_cast<size_t>(got));
}

ssize_t Peer::Judge(std::span<uint8_t> room, size_t filled) {
  const auto [good, fault] = frames_.Read(room.first(filled));
  const std::span<const uint8_t> rest = room.subspan(good, filled - good);
  holds_ = 0;
  if (fault == Fault::kNotText) {
    // The library finds it in the same bytes.
    Refuse(fault);
    state_ = State::kRefused;
    return static_cast<ssize_t>(filled);
  }
  if (fault != Fault::kNone) {
    Doom(fault, rest);
    if (good == 0) return GiveRest(room);
    // What came before is answered first; the end of the stream brings the library back here.
    shutdown(fd_, SHUT_RD);
  } else {
    std::memcpy(held_.data(), rest.data(), rest.size());
    holds_ = rest.size();
  }
  if (good > 0) return static_cast<ssize_t>(good);
  errno = EAGAIN;
  return -1;
}

void Peer::Doom(Fault fault, std::span<const uint8_t> rest) {
  const std::span<const uint8_t> told =
      fault == Fault::kProtocol ? std::span<const uint8_t>(kForbidden) : rest;
  holds_ = std::min(told.size(), held_.size());
  std::memcpy(held_.data(), told.data(), holds_);
  fault_ = fault;
  state_ = State::kDoomed;
}

ssize_t Peer::GiveRest(std::span<uint8_t> room) {
  Refuse(fault_);
  state_ = State::kRefused;
  const size_t given = std::min(holds_, room.size());
  std::memcpy(room.data(), held_.data(), given);
  return static_cast<ssize_t>(given);
}

void Peer::Refuse(Fault fault) const {
  if (behind_) return;
  const auto code = static_cast<uint16_t>(fault);
  const std::array<uint8_t, 4> close = {0x88, 2, static_cast<uint8_t>(code >> 8), static_cast<uint8_t>(code)};
  // A peer that is gone needs no words.
  static_cast<void>(send(fd_, close.data(), close.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
}

}  // namespace trunkline::guard
