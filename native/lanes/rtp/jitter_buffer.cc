#include "lanes/rtp/jitter_buffer.h"

#include <cstring>

namespace trunkline::rtp {
namespace {

size_t SlotOf(int64_t number) {
  return static_cast<size_t>(static_cast<uint64_t>(number) % JitterBuffer::kSlots);
}

}  // namespace

JitterBuffer::JitterBuffer() : slots_(std::make_unique<Stored[]>(kSlots)) {}

void JitterBuffer::Reset() {
  for (int64_t i = 0; i < kSlots; ++i) slots_[static_cast<size_t>(i)].held = false;
  begun_ = false;
  held_ = 0;
}

JitterBuffer::Verdict JitterBuffer::Put(int64_t number, int64_t timestamp, const Packet& packet) {
  if (packet.payload.size() > kMaxPayload) return Verdict::kTooLarge;
  if (begun_ && number < next_) return Verdict::kLate;
  if (begun_ && number >= next_ + kSlots) Reset();
  if (!begun_) {
    begun_ = true;
    next_ = number;
  }
  Stored& slot = slots_[SlotOf(number)];
  if (slot.held) return Verdict::kTwice;
  slot.held = true;
  slot.number = number;
  slot.timestamp = timestamp;
  slot.payload_type = packet.header.payload_type;
  slot.size = static_cast<uint16_t>(packet.payload.size());
  if (slot.size > 0) std::memcpy(slot.bytes.data(), packet.payload.data(), slot.size);
  ++held_;
  return Verdict::kStored;
}

const JitterBuffer::Stored* JitterBuffer::At(int64_t number) const {
  const Stored& slot = slots_[SlotOf(number)];
  return begun_ && slot.held && slot.number == number ? &slot : nullptr;
}

const JitterBuffer::Stored* JitterBuffer::First() const {
  if (held_ == 0) return nullptr;
  for (int64_t number = next_; number < next_ + kSlots; ++number) {
    if (const Stored* stored = At(number)) return stored;
  }
  return nullptr;
}

void JitterBuffer::PlayFrom(int64_t number) {
  for (; next_ < number; ++next_) {
    Stored& slot = slots_[SlotOf(next_)];
    if (slot.held) --held_;
    slot.held = false;
  }
}

}  // namespace trunkline::rtp
