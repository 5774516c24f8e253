#include "engine/media_loop.h"

#include <algorithm>

#include "engine/thread_name.h"
#include "engine/thread_rank.h"

namespace trunkline::engine {

using base::Code;

namespace {

// A thread without lanes looks this often whether JavaScript has taken what was written.
constexpr int64_t kIdleNanos = 1'000'000'000;

}  // namespace

MediaLoop::MediaLoop(const base::Clock& clock, SlotTable& slots, WakeGate& gate,
                     std::span<const std::shared_ptr<LaneKind>> kinds, int64_t overflow_nanos)
    : clock_(clock),
      started_(clock.Now()),
      overflow_nanos_(overflow_nanos),
      slots_(slots),
      gate_(gate),
      adopted_(slots.size()) {
  for (const auto& kind : kinds) {
    families_.push_back({kind->MakeGroup(), {}});
    families_.back().members.reserve(slots.size());
  }
  ending_.reserve(slots.size());
}

MediaLoop::~MediaLoop() {
  Stop();
}

void MediaLoop::Start(size_t index) {
  thread_ = std::thread([this, index] {
    NameThisThread("trunk-media-" + std::to_string(index));
    RankThisThread(ThreadRank::kMedia);
    Run();
  });
}

void MediaLoop::Stop() {
  stopping_.store(true);
  alarm_.Wake();
  if (thread_.joinable()) thread_.join();
}

void MediaLoop::Adopt(uint32_t slot) {
  adopted_.Push(slot);
  alarm_.Wake();
}

void MediaLoop::Complete(LaneTask& task) {
  completed_.Push(&task);
  alarm_.Wake();
}

void MediaLoop::Run() {
  int64_t next = started_ + kTickNanos;
  for (;;) {
    // An adopted lane is served from the next tick on, which may not have come when it wakes this thread.
    const bool is_idle = !HasLanes() && adopted_.empty();
    alarm_.WaitUntil(is_idle ? next + kIdleNanos : next);
    if (stopping_.load()) return;
    RunCompletions();
    const int64_t now = clock_.Now();
    // Ticks that nothing waited for were not missed: the next one is the last whose time has come.
    if (is_idle) next = std::max(next, started_ + (now - started_) / kTickNanos * kTickNanos);
    if (now < next) continue;
    Tick();
    const int64_t due = (clock_.Now() - next) / kTickNanos;  // whole ticks that have passed since
    if (due > 0) missed_.fetch_add(static_cast<uint64_t>(due), std::memory_order_relaxed);
    next += kTickNanos * (due + 1);
  }
}

bool MediaLoop::HasLanes() const {
  return !ending_.empty() || std::any_of(families_.begin(), families_.end(),
                                         [](const Family& family) { return !family.members.empty(); });
}

void MediaLoop::Tick() {
  const int64_t begun = clock_.Now();
  tick_ = static_cast<uint64_t>((begun - started_) / kTickNanos);
  TakeAdopted();
  for (Family& family : families_) {
    if (family.members.empty()) continue;
    Begin(family);
    Serve(family);
    Settle(family);
  }
  FreeEnded();
  // The check also covers what an earlier tick wrote and a throwing callback did not take; while
  // JavaScript is signalled, it is not signalled again.
  if (wrote_ || slots_.AnyReady()) gate_.Signal();
  wrote_ = false;
  const int64_t took = clock_.Now() - begun;
  ticks_.fetch_add(1, std::memory_order_relaxed);
  total_.fetch_add(took, std::memory_order_relaxed);
  if (took > longest_.load(std::memory_order_relaxed)) longest_.store(took, std::memory_order_relaxed);
}

void MediaLoop::TakeAdopted() {
  uint32_t index = 0;
  while (adopted_.Pop(index)) {
    Slot& slot = slots_.at(index);
    families_[slot.kind].members.push_back({slot.lane.get(), slot.io.get()});
  }
}

void MediaLoop::Begin(Family& family) {
  const int64_t now = clock_.Now();
  auto& members = family.members;
  for (size_t i = 0; i < members.size();) {
    LaneIo& io = *members[i].io;
    if (io.drop_.load(std::memory_order_acquire)) io.Finish(Code::kCancelled);
    if (io.finished_) {
      End(members[i]);
      members[i] = members.back();
      members.pop_back();
      continue;
    }
    io.now_ = now;
    io.tick_ = tick_;
    io.end_ = io.wanted_end_.load(std::memory_order_acquire);
    ++i;
  }
}

void MediaLoop::Serve(Family& family) {
  if (family.group) {
    family.group->Tick(family.members);
    return;
  }
  for (const auto& member : family.members) member.lane->Tick(*member.io);
}

void MediaLoop::Settle(Family& family) {
  auto& members = family.members;
  for (size_t i = 0; i < members.size();) {
    LaneIo& io = *members[i].io;
    io.ReleaseInput();
    if (io.wrote_) {
      io.wrote_ = false;
      wrote_ = true;
      slots_.MarkReady(io.id_.slot);
    }
    if (!io.blocked_) {
      io.blocked_since_ = -1;
    } else {
      io.blocked_ = false;
      if (io.blocked_since_ < 0) io.blocked_since_ = io.now_;
      if (io.now_ - io.blocked_since_ >= overflow_nanos_) io.Finish(Code::kOverflow);
    }
    if (io.finished_) {
      End(members[i]);
      members[i] = members.back();
      members.pop_back();
      continue;
    }
    ++i;
  }
}

void MediaLoop::End(LaneGroup::Member member) {
  member.lane->CancelTasks();
  ending_.push_back(member);
}

void MediaLoop::FreeEnded() {
  for (size_t i = 0; i < ending_.size();) {
    LaneIo& io = *ending_[i].io;
    if (io.in_flight_ > 0) {
      ++i;
      continue;
    }
    const uint32_t index = io.id_.slot;
    Slot& slot = slots_.at(index);
    slot.code = io.code_;
    // From here on the slot belongs to JavaScript, which may free the lane at once.
    slot.ended.store(true, std::memory_order_release);
    slots_.MarkReady(index);
    wrote_ = true;
    ending_[i] = ending_.back();
    ending_.pop_back();
  }
}

void MediaLoop::RunCompletions() {
  const int64_t now = clock_.Now();
  completed_.TakeAll([&](LaneTask* task) {
    LaneIo& io = *task->io_;
    task->io_ = nullptr;
    --io.in_flight_;
    io.now_ = now;
    task->Done(io);
    if (!io.wrote_) return;
    io.wrote_ = false;
    wrote_ = true;
    slots_.MarkReady(io.id_.slot);
  });
  if (wrote_) gate_.Signal();
  wrote_ = false;
}

MediaStats MediaLoop::stats() const {
  return {ticks_.load(std::memory_order_relaxed), missed_.load(std::memory_order_relaxed),
          longest_.load(std::memory_order_relaxed), total_.load(std::memory_order_relaxed)};
}

}  // namespace trunkline::engine
