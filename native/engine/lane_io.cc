#include "engine/lane_io.h"

#include <algorithm>

#include "engine/inference_pool.h"
#include "engine/media_loop.h"

namespace trunkline::engine {

using base::ByteView;
using base::Code;

LaneIo::LaneIo(LaneId id, const LaneShape& shape, base::BlockPool& memory, InferencePool& pool,
               MediaLoop& loop)
    : input_(shape.input_bytes, memory),
      outbox_(shape.outbox, memory),
      pool_(pool),
      loop_(loop),
      id_(id),
      unwrapped_(memory.Take(std::max(input_.capacity(), BridgeEnd::kRingBytes))) {}

float LaneIo::load() const {
  return pool_.load();
}

Code LaneIo::Push(InputKind kind, uint16_t verb, ByteView bytes) {
  uint8_t header[kInputHeader];
  base::Store(header, static_cast<uint16_t>(kind));
  base::Store(header + 2, verb);
  base::Store(header + 4, static_cast<uint32_t>(bytes.size()));
  const size_t reserve = kind == InputKind::kAudio ? kControlReserve : 0;
  if (kInputHeader + bytes.size() + reserve > input_.capacity()) return Code::kInvalidArgument;
  return input_.Push(header, bytes, {}, reserve) ? Code::kOk : Code::kFull;
}

bool LaneIo::Next(Input& input) {
  ReleaseInput();
  // Read before the ring, so that everything pushed before the close is seen.
  const bool close = close_.load(std::memory_order_acquire);
  if (input_.Available() > 0) {
    Give(input_, input);
  } else if (end_ != nullptr && end_->in().Available() > 0) {
    Give(end_->in(), input);
  } else {
    if (!close || close_given_) return false;
    close_given_ = true;
    input = {InputKind::kClose, 0, {}};
  }
  return true;
}

void LaneIo::Give(base::ByteRing& ring, Input& input) {
  uint8_t header[kInputHeader];
  ring.Peek(header);
  const size_t size = base::Load<uint32_t>(header + 4);
  ByteView bytes = ring.Contiguous(kInputHeader, size);
  if (bytes.size() != size) {
    ring.Peek({unwrapped_.get(), size}, kInputHeader);
    bytes = {unwrapped_.get(), size};
  }
  giving_ = &ring;
  taken_ = kInputHeader + size;
  input = {static_cast<InputKind>(base::Load<uint16_t>(header)), base::Load<uint16_t>(header + 2), bytes};
}

void LaneIo::Unread() {
  if (taken_ == 0) close_given_ = false;
  taken_ = 0;
}

void LaneIo::ReleaseInput() {
  if (taken_ > 0) giving_->Skip(taken_);
  taken_ = 0;
}

void LaneIo::ClearAudio() {
  if (end_ != nullptr) end_->Write(InputKind::kClear, {}, {});
}

bool LaneIo::Write(uint16_t type, ByteView head, ByteView body, uint16_t flags) {
  if (type == kAudioEvent && end_ != nullptr && !end_->observed()) {
    end_->Write(InputKind::kAudio, head, body);
    return true;
  }
  if (!outbox_.Write(type, flags, head, body)) {
    blocked_ = true;
    return false;
  }
  if (type == kAudioEvent && end_ != nullptr) end_->Write(InputKind::kAudio, head, body);
  return wrote_ = true;
}

bool LaneIo::WriteSparing(uint16_t type, ByteView bytes, size_t reserve) {
  if (FreeBytes() >= bytes.size() + reserve) return Write(type, bytes);
  blocked_ = true;
  return false;
}

bool LaneIo::WriteLatest(size_t mailbox, uint16_t type, ByteView head, ByteView body, uint16_t flags) {
  if (!outbox_.WriteLatest(mailbox, type, flags, head, body)) return false;
  return wrote_ = true;
}

size_t LaneIo::FreeBytes() {
  const size_t free = outbox_.FreeBytes();
  return free > kInputHeader ? free - kInputHeader : 0;
}

bool LaneIo::Submit(LaneTask& task, Priority priority, int64_t deadline) {
  if (task.io_ != nullptr || finished_) return false;
  task.ResetCancel();
  task.WorkFor(tenant_);
  task.Schedule(priority, deadline);
  task.io_ = this;
  ++in_flight_;
  if (pool_.Submit(task)) return true;
  task.io_ = nullptr;
  --in_flight_;
  return false;
}

void LaneIo::Finish(Code code) {
  if (finished_) return;
  finished_ = true;
  code_ = code;
}

void LaneTask::Finished() {
  io_->loop_.Complete(*this);
}

}  // namespace trunkline::engine
