// Checks the frames of one WebSocket client against RFC 6455 as their bytes come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "binding/guard/utf8.h"

namespace trunkline::guard {

// The largest close frame with its header, which must be complete before it is checked.
constexpr size_t kMaxHeld = 131;

enum class Fault : uint16_t { kNone = 0, kProtocol = 1002, kNotText = 1007, kTooBig = 1009 };

struct Reading {
  // This many of the bytes are valid; the bytes after them are part of a header, or of the fault.
  size_t good = 0;
  Fault fault = Fault::kNone;
  // The valid bytes end with a text that was turned into a fragment: its end must be inserted before more is
  // read.
  bool owes_end = false;
};

class ClientFrames {
 public:
  // A message longer than `most` is a fault.
  explicit ClientFrames(uint64_t most) : most_(most) {}

  // Continues after the valid bytes of the last call. A text that does not come in one piece is turned into a
  // fragment in its header, because it is not known yet whether it is valid UTF-8. The valid bytes before a
  // fault end with a frame. Nothing is read after a fault.
  Reading Read(std::span<uint8_t> bytes);

 private:
  enum class Message : uint8_t { kNone, kText, kBinary };
  struct Header {
    bool final;
    uint8_t opcode;
    uint8_t mask[4];
    uint64_t length;
    // The size of the header; 0: it is incomplete.
    size_t bytes;
  };

  static Header HeaderOf(std::span<const uint8_t> bytes);
  Fault FaultOf(uint8_t first, uint8_t second) const;
  Fault Begin(const Header& header);
  size_t Payload(std::span<const uint8_t> bytes);
  bool EndsText() const { return is_text_ && final_; }

  const uint64_t most_;
  Message message_ = Message::kNone;
  uint64_t message_bytes_ = 0;
  Utf8 text_;
  bool is_text_ = false;
  bool final_ = true;
  bool owes_end_ = false;
  uint8_t mask_[4] = {};
  size_t mask_at_ = 0;
  uint64_t left_ = 0;
};

}  // namespace trunkline::guard
