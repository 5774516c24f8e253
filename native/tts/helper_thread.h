// A second thread for arithmetic that falls into equal pieces of a tenth of a millisecond and more. Whoever
// has taken it shares its pieces with it; the pieces are handed out one by one, so a hand that is late, or
// that the system does not run, costs nothing: the caller makes what it leaves.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

namespace trunkline::tts {

class HelperThread {
 public:
  HelperThread();
  ~HelperThread();
  HelperThread(const HelperThread&) = delete;
  HelperThread& operator=(const HelperThread&) = delete;

  // False: somebody else has it. While it is taken it waits for pieces by spinning, for a moment.
  bool TryAcquire();
  void Release();

  // Only by whom it was taken. Calls `make(piece)` for each of `count` pieces, in any order, on two threads;
  // all are made when it returns.
  template <class Make>
  void Each(size_t count, const Make& make) {
    Run(
        count, [](const void* made, size_t piece) { (*static_cast<const Make*>(made))(piece); }, &make);
  }

 private:
  using Call = void (*)(const void* made, size_t piece);
  // A round of pieces: its number, the next piece, and how many there are, in one word.
  static constexpr uint64_t kPiece = 1U << 16, kRound = 1ULL << 32;

  void Run(size_t count, Call call, const void* made);
  // False: no piece of this round is left.
  bool MakeOne();
  void Wake();
  void Work();

  std::atomic<uint64_t> state_{0};
  std::atomic<uint32_t> made_{0};  // pieces of the round
  Call call_ = nullptr;
  const void* with_ = nullptr;
  std::atomic<bool> taken_{false};
  std::atomic<uint32_t> signal_{0};  // the hand sleeps on it
  std::atomic<bool> asleep_{false};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

// A hand for as long as it lives, where nobody else has it.
class HelperLease {
 public:
  explicit HelperLease(HelperThread* helper) : helper_(helper != nullptr && helper->TryAcquire() ? hand : nullptr) {}
  ~HelperLease() {
    if (helper_ != nullptr) helper_->Release();
  }
  HelperLease(const HelperLease&) = delete;
  HelperLease& operator=(const HelperLease&) = delete;
  HelperThread* get() const { return helper_; }

 private:
  HelperThread* const helper_;
};

}  // namespace trunkline::tts
