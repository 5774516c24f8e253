#include "engine/notices.h"

namespace trunkline::engine {

void Notices::Add(LaneId from, uint16_t type, base::ByteView bytes, bool replace) {
  std::lock_guard lock(mutex_);
  if (replace && !waiting_.empty() && waiting_.back().from == from && waiting_.back().type == type) {
    waiting_.back().bytes.assign(base::AsText(bytes));
    return;
  }
  waiting_.push_back({from, type, std::string(base::AsText(bytes))});
}

bool Notices::DrainTo(PackedWriter& writer) {
  std::lock_guard lock(mutex_);
  while (!waiting_.empty()) {
    const Notice& notice = waiting_.front();
    if (!writer.Append(notice.from, notice.type, 0, base::AsBytes(notice.bytes))) return false;
    waiting_.pop_front();
  }
  return true;
}

}  // namespace trunkline::engine
