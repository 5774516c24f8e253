#include "engine/preparation.h"

#include "base/heap.h"

namespace trunkline::engine {

using base::Code;
using base::Status;

Task::Step Engine::Preparation::Run() {
  status_ = prepare_();
  return Step::kDone;
}

void Engine::Preparation::Finished() {
  if (cancelled()) status_ = Status(Code::kCancelled, name_ + ": the engine was stopped");
  if (faulted()) status_ = Status(Code::kInternal, name_ + " could not be prepared");
  std::string bytes(6, '\0');
  base::Store(reinterpret_cast<uint8_t*>(bytes.data()), static_cast<int32_t>(status_.code()));
  base::Store(reinterpret_cast<uint8_t*>(bytes.data()) + 4, static_cast<uint16_t>(name_.size()));
  bytes.append(name_).append(status_.message());
  readiness_.store(status_.ok() ? Readiness::kReady : Readiness::kFailed, std::memory_order_release);
  notices_.Add({kEngineSlot, 0}, kKindEvent, base::AsBytes(bytes));
  gate_.Signal();
  ended_();
}

Status Engine::Preparation::status() const {
  if (readiness() == Readiness::kPreparing) return Status(Code::kNotReady, name_ + " is being prepared");
  return status_;
}

Task::Step Engine::Settling::Run() {
  if (kind_.Settle()) return Step::kAgain;
  // Opened models leave their parsed files and the weights of before the packing behind.
  base::ReturnFreeMemory();
  return Step::kDone;
}

}  // namespace trunkline::engine
