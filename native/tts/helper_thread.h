// A helper thread for arithmetic in equal pieces of a tenth of a millisecond or more. Pieces are taken one by
// one, so a helper that the system schedules late costs nothing: the caller computes the rest.
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

  // Returns false when another caller has the helper. An acquired helper spins for new pieces for
  // a moment.
  bool TryAcquire();
  void Release();

  // Requires a successful TryAcquire. Calls `make(piece)` for each of `count` pieces, in any order, on two
  // threads; returns when all are done.
  template <class Make>
  void Each(size_t count, const Make& make) {
    Run(
        count, [](const void* made, size_t piece) { (*static_cast<const Make*>(made))(piece); }, &make);
  }

 private:
  using Call = void (*)(const void* made, size_t piece);
  // The round's number, the next piece, and their count, in one word.
  static constexpr uint64_t kPiece = 1U << 16, kRound = 1ULL << 32;

  void Run(size_t count, Call call, const void* made);
  bool MakeOne();
  void Wake();
  void Work();

  std::atomic<uint64_t> state_{0};
  std::atomic<uint32_t> made_{0};  // pieces of the round
  Call call_ = nullptr;
  const void* with_ = nullptr;
  std::atomic<bool> taken_{false};
  std::atomic<uint32_t> signal_{0};  // the helper sleeps on it
  std::atomic<bool> asleep_{false};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

// Holds the helper for its lifetime if it was free.
class HelperLease {
 public:
  explicit HelperLease(HelperThread* helper)
      : helper_(helper != nullptr && helper->TryAcquire() ? helper : nullptr) {}
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
