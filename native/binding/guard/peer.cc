#include "binding/guard/peer.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace trunkline::guard {
namespace {

// The end of a text that was turned into a fragment: a final frame without payload, masked with zeros.
constexpr std::array<uint8_t, 6> kEnd = {0x80, 0x80, 0, 0, 0, 0};

std::array<uint8_t, 8> CloseOf(Fault fault) {
  const auto code = static_cast<uint16_t>(fault);
  return {0x88, 0x82, 0, 0, 0, 0, static_cast<uint8_t>(code >> 8), static_cast<uint8_t>(code)};
}

// The most that is inserted into one read: the end of a text, and a close frame.
constexpr size_t kSpare = kEnd.size() + 8;

ssize_t NothingNow() {
  errno = EAGAIN;
  return -1;
}

}  // namespace

ssize_t Peer::Receive(std::span<uint8_t> room, int flags) {
  if (is_refused_) return Discard(room, flags);
  if (room.size() <= kMaxHeld + kSpare) return recv(fd_, room.data(), room.size(), flags);
  const std::span<uint8_t> fresh = room.subspan(holds_, room.size() - holds_ - kSpare);
  const ssize_t got = recv(fd_, fresh.data(), fresh.size(), flags);
  if (got <= 0) return got;
  std::memcpy(room.data(), held_.data(), holds_);
  return Judge(room, holds_ + static_cast<size_t>(got));
}

ssize_t Peer::Judge(std::span<uint8_t> room, size_t filled) {
  Reading reading = frames_.Read(room.first(filled));
  if (reading.owes_end) {
    const size_t ended = reading.good + kEnd.size();
    std::memmove(&room[ended], &room[reading.good], filled - reading.good);
    std::ranges::copy(kEnd, &room[reading.good]);
    filled += kEnd.size();
    reading = frames_.Read(room.subspan(ended, filled - ended));
    reading.good += ended;
  }
  if (reading.fault != Fault::kNone) return Refuse(room, reading.good, reading.fault);
  holds_ = filled - reading.good;
  std::memcpy(held_.data(), &room[reading.good], holds_);
  return reading.good > 0 ? static_cast<ssize_t>(reading.good) : NothingNow();
}

ssize_t Peer::Refuse(std::span<uint8_t> room, size_t good, Fault fault) {
  is_refused_ = true;
  const auto close = CloseOf(fault);
  std::ranges::copy(close, &room[good]);
  return static_cast<ssize_t>(good + close.size());
}

ssize_t Peer::Discard(std::span<uint8_t> room, int flags) const {
  const ssize_t got = recv(fd_, room.data(), room.size(), flags);
  return got <= 0 ? got : NothingNow();
}

}  // namespace trunkline::guard
