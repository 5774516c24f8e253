#include "binding/guard/client_frames.h"

#include <algorithm>
#include <cstring>

namespace trunkline::guard {
namespace {

constexpr uint8_t kFinal = 0x80;
constexpr uint8_t kContinuation = 0;
constexpr uint8_t kText = 1;
constexpr uint8_t kBinary = 2;
constexpr uint8_t kClose = 8;
constexpr uint8_t kPong = 10;
constexpr size_t kMaskBytes = 4;
constexpr uint8_t kMaxControlPayload = 125;

bool IsControl(uint8_t opcode) {
  return opcode >= kClose;
}

// Close codes that a peer may send: those of the protocol, of its registry, and an application's own.
bool MaySay(unsigned code) {
  if (code < 1000 || code >= 5000) return false;
  return code >= 3000 || (code <= 1014 && code != 1004 && code != 1005 && code != 1006);
}

// Checks the payload of a close frame, which is still masked.
bool IsGoodClose(std::span<const uint8_t> payload, const uint8_t* mask) {
  if (payload.empty()) return true;
  if (payload.size() == 1) return false;
  const auto plain = [&](size_t at) { return static_cast<uint8_t>(payload[at] ^ mask[at % kMaskBytes]); };
  Utf8 reason;
  for (size_t at = 2; at < payload.size(); ++at) reason.Take(plain(at));
  return MaySay(static_cast<unsigned>(plain(0)) << 8 | plain(1)) && reason.Whole();
}

}  // namespace

ClientFrames::Header ClientFrames::HeaderOf(std::span<const uint8_t> bytes) {
  Header header{};
  header.final = (bytes[0] & kFinal) != 0;
  header.opcode = bytes[0] & 0x0f;
  header.length = bytes[1] & 0x7f;
  size_t wide = 0;
  if (header.length == 126) wide = 2;
  if (header.length == 127) wide = 8;
  const size_t mask_at = 2 + wide;
  if (bytes.size() < mask_at + kMaskBytes) return header;
  if (wide > 0) header.length = 0;
  for (size_t at = 2; at < mask_at; ++at) header.length = header.length << 8 | bytes[at];
  std::memcpy(header.mask, &bytes[mask_at], kMaskBytes);
  header.bytes = mask_at + kMaskBytes;
  return header;
}

// The first two bytes of a frame show whether it is allowed here.
Fault ClientFrames::FaultOf(uint8_t first, uint8_t second) const {
  const uint8_t opcode = first & 0x0f;
  const bool is_final = (first & kFinal) != 0;
  const bool is_masked = (second & 0x80) != 0;
  if ((first & 0x70) != 0 || !is_masked) return Fault::kProtocol;
  if (IsControl(opcode))
    return opcode <= kPong && is_final && (second & 0x7f) <= kMaxControlPayload ? Fault::kNone
                                                                                : Fault::kProtocol;
  if (opcode > kBinary) return Fault::kProtocol;
  const bool continues = opcode == kContinuation;
  return continues == (message_ != Message::kNone) ? Fault::kNone : Fault::kProtocol;
}

Fault ClientFrames::Begin(const Header& header) {
  std::memcpy(mask_, header.mask, kMaskBytes);
  mask_at_ = 0;
  left_ = header.length;
  is_text_ = false;
  if (IsControl(header.opcode)) return Fault::kNone;
  if (header.opcode != kContinuation) {
    message_ = header.opcode == kText ? Message::kText : Message::kBinary;
    message_bytes_ = 0;
    text_ = Utf8();
  }
  is_text_ = message_ == Message::kText;
  final_ = header.final;
  if (header.length > most_ - message_bytes_) return Fault::kTooBig;
  message_bytes_ += header.length;
  if (final_) message_ = Message::kNone;
  return Fault::kNone;
}

size_t ClientFrames::Payload(std::span<const uint8_t> bytes) {
  const auto taken = static_cast<size_t>(std::min<uint64_t>(left_, bytes.size()));
  if (is_text_)
    for (size_t at = 0; at < taken; ++at) text_.Take(bytes[at] ^ mask_[(mask_at_ + at) % kMaskBytes]);
  mask_at_ = (mask_at_ + taken) % kMaskBytes;
  left_ -= taken;
  return taken;
}

Reading ClientFrames::Read(std::span<uint8_t> bytes) {
  size_t at = Payload(bytes);
  if (owes_end_ && left_ == 0) {
    owes_end_ = false;
    if (text_.Whole()) return {.good = at, .owes_end = true};
    return {.good = at, .fault = Fault::kNotText};
  }
  while (left_ == 0 && bytes.size() - at >= 2) {
    const std::span<uint8_t> rest = bytes.subspan(at);
    if (const Fault fault = FaultOf(rest[0], rest[1]); fault != Fault::kNone) return {at, fault};
    const Header header = HeaderOf(rest);
    if (header.bytes == 0) break;
    if (header.opcode == kClose) {
      if (rest.size() < header.bytes + header.length) break;
      if (!IsGoodClose(rest.subspan(header.bytes, header.length), header.mask)) return {at, Fault::kProtocol};
    }
    if (const Fault fault = Begin(header); fault != Fault::kNone) return {at, fault};
    const size_t taken = Payload(rest.subspan(header.bytes));
    if (EndsText() && left_ == 0 && !text_.Whole()) return {at, Fault::kNotText};
    if (EndsText() && left_ > 0) {
      rest[0] &= static_cast<uint8_t>(~kFinal);
      owes_end_ = true;
    }
    at += header.bytes + taken;
  }
  return {.good = at};
}

}  // namespace trunkline::guard
