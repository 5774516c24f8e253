// Scheduling priorities of the engine's threads. Media threads hold every call's clock and work for less than
// a millisecond at a time; inference uses what is left. Without permission to raise a thread's priority it
// stays unchanged.
#pragma once

#if defined(__linux__)
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace trunkline::engine {

enum class ThreadRank { kMedia, kInference };

inline void RankThisThread(ThreadRank rank) {
#if defined(__linux__)
  const int policy = sched_getscheduler(0);
  const bool realtime = policy == SCHED_RR || policy == SCHED_FIFO;
  sched_param param{};
  sched_getparam(0, &param);
  const auto thread = static_cast<id_t>(syscall(SYS_gettid));
  if (rank == ThreadRank::kMedia) {
    param.sched_priority = realtime ? param.sched_priority + 1 : 1;
    if (sched_setscheduler(0, realtime ? policy : SCHED_RR, &param) == 0) return;
    (void)setpriority(PRIO_PROCESS, thread, -10);
  } else if (realtime && param.sched_priority > 1) {
    param.sched_priority -= 1;
    (void)sched_setscheduler(0, policy, &param);
  } else if (!realtime) {
    // Below the JavaScript thread, which carries every call's frames.
    (void)setpriority(PRIO_PROCESS, thread, getpriority(PRIO_PROCESS, thread) + 4);
  }
#else
  (void)rank;
#endif
}

}  // namespace trunkline::engine
