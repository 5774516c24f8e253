// ClientFrames: the frames of one WebSocket client, held against RFC 6455 as their bytes come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "binding/guard/utf8.h"

namespace trunkline::guard {

// A close frame of the greatest length with its header: what has to be there whole before it is judged.
constexpr size_t kMostHeld = 131;

// The codes that a fault is told with.
enum class Fault : uint16_t { kNone = 0, kProtocol = 1002, kNotText = 1007, kTooBig = 1009 };

struct Reading {
  // How many of the bytes are good; those behind them are part of a header, or of what is at fault.
  size_t good = 0;
  Fault fault = Fault::kNone;
  // The good bytes end with a text that was given as a fragment: its end is to be put here, then more may be read.
  bool owes_end = false;
};

class ClientFrames {
 public:
  // No message may be longer than `most`.
  explicit ClientFrames(uint64_t most) : most_(most) {}

  // Reads on behind the good bytes of the last reading. Text that does not come in one piece is made a fragment in its
  // header, for nobody knows yet whether it is text. The good bytes before a fault end with a frame. Nothing is read after
  // a fault.
  Reading Read(std::span<uint8_t> bytes);

 private:
  enum class Message : uint8_t { kNone, kText, kBinary };
  struct Header {
    bool final;
    uint8_t opcode;
    uint8_t mask[4];
    uint64_t length;
    // Of the header itself, 0: it is not whole.
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
