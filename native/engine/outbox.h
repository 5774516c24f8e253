// A lane's events until JavaScript takes them.
//
// Finals, audio and everything else that counts go into a bounded ring, in order, and are never dropped:
// Write returns false when it is full, and the lane tries again on a later tick. The latest state of
// something (a partial) goes into a mailbox, where the newer replaces the older and keeps its place in the
// order.
//
// The media thread writes, the JavaScript thread takes; neither waits or allocates.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/spsc_ring.h"
#include "engine/lane_id.h"

namespace trunkline::engine {

struct OutboxShape {
  size_t ring_bytes = 16 * 1024;
  // The number of mailboxes, one for each kind of replaceable event, and the size of the largest
  // event.
  size_t mailboxes = 0;
  size_t mailbox_bytes = 2048;
};

class PackedWriter {
 public:
  explicit PackedWriter(base::MutableBytes buffer);
  // Reserves a record of `size` bytes, with its header written and its padding zeroed; null when it does not
  // fit.
  uint8_t* Reserve(LaneId id, uint16_t type, uint16_t flags, size_t size);
  bool Append(LaneId id, uint16_t type, uint16_t flags, base::ByteView head, base::ByteView body = {});
  // Writes the header. Returns the bytes used, 0 when there was no record.
  size_t Finish(bool more);
  size_t records() const { return records_; }

 private:
  base::MutableBytes buffer_;
  size_t used_;
  size_t records_ = 0;
};

class Outbox {
 public:
  Outbox(const OutboxShape& shape, base::BlockPool& memory);

  // Media thread.
  bool Write(uint16_t type, uint16_t flags, base::ByteView head, base::ByteView body);
  bool WriteLatest(size_t mailbox, uint16_t type, uint16_t flags, base::ByteView head, base::ByteView body);
  size_t FreeBytes() { return ring_.FreeBytes(); }
  size_t capacity() const { return ring_.capacity(); }

  // JavaScript thread. Returns false when `writer` is full and something is left.
  bool DrainTo(PackedWriter& writer, LaneId id);

 private:
  // A triple buffer: each side owns one, and the third is exchanged.
  struct Mailbox {
    struct Buffer {
      uint64_t position = 0;  // the ring position that it follows
      uint16_t type = 0;
      uint16_t flags = 0;
      uint32_t size = 0;
      std::unique_ptr<uint8_t[]> bytes;
    };
    Buffer buffers[3];
    std::atomic<uint8_t> middle{1};  // index, with kFresh when it has not been taken
    uint8_t back = 0;
    uint8_t front = 2;
    bool taken = false;  // the front buffer has not been put into a packed buffer yet
  };
  static constexpr uint8_t kFresh = 4;

  void TakeMailboxes();
  // Returns the next buffer if it precedes position `limit` of the ring.
  Mailbox* NextMailbox(uint64_t limit);
  bool DrainRing(PackedWriter& writer, LaneId id, uint64_t limit);
  bool DrainOne(PackedWriter& writer, LaneId id);

  base::ByteRing ring_;
  size_t mailbox_bytes_;
  std::vector<std::unique_ptr<Mailbox>> mailboxes_;
};

}  // namespace trunkline::engine
