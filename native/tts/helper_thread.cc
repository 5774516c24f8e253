#include "tts/helper_thread.h"

namespace trunkline::tts {
namespace {

// Spins of a few nanoseconds each: longer than the gap between two rounds of a layer, shorter than a time
// slice.
constexpr int kSpins = 4000;

inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

HelperThread::HelperThread() : thread_([this] { Work(); }) {}

HelperThread::~HelperThread() {
  stopping_.store(true);
  Wake();
  thread_.join();
}

bool HelperThread::TryAcquire() {
  return !taken_.exchange(true, std::memory_order_acquire);
}

void HelperThread::Release() {
  taken_.store(false, std::memory_order_release);
}

void HelperThread::Run(size_t count, Call call, const void* made) {
  // No thread is in the previous round, because all its pieces were done.
  call_ = call;
  with_ = made;
  made_.store(0, std::memory_order_relaxed);
  const uint64_t round = state_.load(std::memory_order_relaxed) / kRound + 1;
  state_.store(round * kRound + count);
  // Either this thread sees the sleep, or the helper sees the new pieces before it sleeps.
  if (asleep_.load()) Wake();
  while (MakeOne()) {
  }
  const auto all = static_cast<uint32_t>(count);
  for (int spin = 0; spin < kSpins; ++spin) {
    if (made_.load(std::memory_order_acquire) == all) return;
    Pause();
  }
  for (uint32_t now = made_.load(std::memory_order_acquire); now != all;
       now = made_.load(std::memory_order_acquire)) {
    made_.wait(now, std::memory_order_acquire);
  }
}

bool HelperThread::MakeOne() {
  uint64_t state = state_.load();
  size_t piece;
  do {
    piece = state % kRound / kPiece;
    if (piece >= state % kPiece) return false;
  } while (!state_.compare_exchange_weak(state, state + kPiece, std::memory_order_acq_rel));
  // The round does not change until this piece is done.
  call_(with_, piece);
  made_.fetch_add(1, std::memory_order_acq_rel);
  made_.notify_one();
  return true;
}

void HelperThread::Wake() {
  signal_.fetch_add(1);
  signal_.notify_one();
}

void HelperThread::Work() {
  while (!stopping_.load()) {
    const uint32_t seen = signal_.load();
    asleep_.store(false);
    for (int idle = 0; idle < kSpins && taken_.load(std::memory_order_relaxed); ++idle) {
      if (MakeOne()) idle = 0;
      Pause();
    }
    asleep_.store(true);
    if (MakeOne() || stopping_.load()) continue;
    signal_.wait(seen);
  }
}

}  // namespace trunkline::tts
