#include "engine/outbox.h"

#include <algorithm>

#include "engine/records.h"

namespace trunkline::engine {

using base::ByteView;
using base::Load;
using base::Store;

namespace {

// The layout in the ring: u16 type, u16 flags, u32 size, the bytes.
constexpr size_t kHeld = 8;

}  // namespace

PackedWriter::PackedWriter(base::MutableBytes buffer) : buffer_(buffer), used_(kDrainHeader) {}

uint8_t* PackedWriter::Reserve(LaneId id, uint16_t type, uint16_t flags, size_t size) {
  const size_t whole = kRecordHeader + base::AlignUp(size, kRecordAlignment);
  if (buffer_.size() < used_ + whole) return nullptr;
  uint8_t* at = buffer_.data() + used_;
  Store(at, id.slot);
  Store(at + 4, id.generation);
  Store(at + 8, type);
  Store(at + 10, flags);
  Store(at + 12, static_cast<uint32_t>(size));
  if (whole > kRecordHeader + size) std::fill(at + kRecordHeader + size, at + whole, uint8_t{0});
  used_ += whole;
  ++records_;
  return at + kRecordHeader;
}

bool PackedWriter::Append(LaneId id, uint16_t type, uint16_t flags, ByteView head, ByteView body) {
  uint8_t* at = Reserve(id, type, flags, head.size() + body.size());
  if (at == nullptr) return false;
  if (!head.empty()) std::memcpy(at, head.data(), head.size());
  if (!body.empty()) std::memcpy(at + head.size(), body.data(), body.size());
  return true;
}

size_t PackedWriter::Finish(bool more) {
  if (buffer_.size() < kDrainHeader) return 0;
  Store(buffer_.data(), static_cast<uint32_t>(used_));
  Store(buffer_.data() + 4, static_cast<uint32_t>(more));
  Store(buffer_.data() + 8, uint64_t{0});
  return records_ == 0 ? 0 : used_;
}

Outbox::Outbox(const OutboxShape& shape, base::BlockPool& memory)
    : ring_(shape.ring_bytes, memory), mailbox_bytes_(shape.mailbox_bytes) {
  for (size_t i = 0; i < shape.mailboxes; ++i) {
    auto mailbox = std::make_unique<Mailbox>();
    for (auto& buffer : mailbox->buffers) buffer.bytes = std::make_unique<uint8_t[]>(mailbox_bytes_);
    mailboxes_.push_back(std::move(mailbox));
  }
}

bool Outbox::Write(uint16_t type, uint16_t flags, ByteView head, ByteView body) {
  uint8_t header[kHeld];
  Store(header, type);
  Store(header + 2, flags);
  Store(header + 4, static_cast<uint32_t>(head.size() + body.size()));
  return ring_.Push(header, head, body);
}

bool Outbox::WriteLatest(size_t mailbox, uint16_t type, uint16_t flags, ByteView head, ByteView body) {
  if (mailbox >= mailboxes_.size() || head.size() + body.size() > mailbox_bytes_) return false;
  Mailbox& box = *mailboxes_[mailbox];
  auto& buffer = box.buffers[box.back];
  buffer.position = ring_.written();
  buffer.type = type;
  buffer.flags = flags;
  buffer.size = static_cast<uint32_t>(head.size() + body.size());
  if (!head.empty()) std::memcpy(buffer.bytes.get(), head.data(), head.size());
  if (!body.empty()) std::memcpy(buffer.bytes.get() + head.size(), body.data(), body.size());
  box.back = box.middle.exchange(box.back | kFresh, std::memory_order_acq_rel) & 3;
  return true;
}

void Outbox::TakeMailboxes() {
  for (auto& box : mailboxes_) {
    if ((box->middle.load(std::memory_order_acquire) & kFresh) == 0) continue;
    box->front = box->middle.exchange(box->front, std::memory_order_acq_rel) & 3;
    box->taken = true;
  }
}

Outbox::Mailbox* Outbox::NextMailbox(uint64_t limit) {
  Mailbox* next = nullptr;
  uint64_t earliest = limit;
  for (auto& box : mailboxes_) {
    if (!box->taken || box->buffers[box->front].position > earliest) continue;
    if (next != nullptr && box->buffers[box->front].position == earliest) continue;
    earliest = box->buffers[box->front].position;
    next = box.get();
  }
  return next;
}

bool Outbox::DrainTo(PackedWriter& writer, LaneId id) {
  // Mailboxes are read before the ring's end: a buffer taken here was written before everything beyond `end`,
  // and everything written to the ring before it is seen.
  TakeMailboxes();
  const uint64_t end = ring_.written();
  while (Mailbox* box = NextMailbox(end)) {
    const auto& buffer = box->buffers[box->front];
    if (!DrainRing(writer, id, buffer.position)) return false;
    if (!writer.Append(id, buffer.type, buffer.flags, {buffer.bytes.get(), buffer.size})) return false;
    box->taken = false;
  }
  return DrainRing(writer, id, end);
}

bool Outbox::DrainRing(PackedWriter& writer, LaneId id, uint64_t limit) {
  while (ring_.read() < limit) {
    if (!DrainOne(writer, id)) return false;
  }
  return true;
}

bool Outbox::DrainOne(PackedWriter& writer, LaneId id) {
  uint8_t header[kHeld];
  ring_.Peek(header);
  const size_t size = Load<uint32_t>(header + 4);
  uint8_t* at = writer.Reserve(id, Load<uint16_t>(header), Load<uint16_t>(header + 2), size);
  if (at == nullptr) return false;
  ring_.Peek({at, size}, kHeld);
  ring_.Skip(kHeld + size);
  return true;
}

}  // namespace trunkline::engine
