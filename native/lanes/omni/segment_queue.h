// The texts that the agent has to say, and their voices. The queue allocates when it is made; an Add that
// does not fit is retried. Media thread; no allocation.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace trunkline::omni {

struct SegmentOrder {
  uint32_t speech = 0;
  uint32_t segment = 0;
  bool held = false;
  bool yields = false;
  int fed_rate = 0;  // the rate of the sound that is fed for it; 0: the lane's voice speaks the text
  std::string_view text;
};

class SegmentQueue {
 public:
  // `voice` holds packed options that ReadVoice reads; it applies until the next SetVoice.
  explicit SegmentQueue(base::ByteView voice);

  // Copies the text. Returns false when the queue is full.
  bool Add(const SegmentOrder& order);
  // Returns false when too many voices still wait. A voice larger than voice_bytes() is truncated
  // and invalid: synthesis with it fails.
  bool SetVoice(base::ByteView voice);
  base::ByteView voice() const { return voices_[current_].options; }
  size_t voice_bytes() const { return voice_bytes_; }

  const SegmentOrder* Front();
  base::ByteView FrontVoice() const { return voices_[At(0).voice].options; }
  // Marks the oldest as being spoken: its text and voice stay until Spoken.
  void Take();
  void Spoken();

  // These act on one speech: Waits returns whether a segment waits, Release releases its held segments,
  // Drop drops all of them.
  bool Waits(uint32_t speech) const;
  void Release(uint32_t speech);
  void Drop(uint32_t speech);
  void DropAll();

  // The text of one input message fits when nothing waits.
  static constexpr size_t kTextBytes = 512 * 1024;
  static constexpr size_t kSegments = 1024;
  static constexpr size_t kVoices = 16;
  static constexpr size_t kMinVoiceBytes = 8 * 1024;

 private:
  enum class State : uint8_t { kWaiting, kTaken, kDropped };
  struct Entry {
    SegmentOrder order;
    size_t begin = 0, end = 0;
    uint8_t voice = 0;
    State state = State::kWaiting;
  };
  struct Voice {
    std::vector<uint8_t> options;
    uint32_t segments = 0;  // that are to be spoken with it
  };

  Entry& At(size_t index) { return entries_[(first_ + index) % kSegments]; }
  const Entry& At(size_t index) const { return entries_[(first_ + index) % kSegments]; }
  // Finds `size` contiguous bytes. Returns false when there are none.
  bool Place(size_t size, size_t& at) const;
  void Drop(Entry& entry);
  void Retire();

  const size_t voice_bytes_;
  std::unique_ptr<char[]> text_;
  std::array<Entry, kSegments> entries_;
  size_t first_ = 0, count_ = 0;
  std::array<Voice, kVoices> voices_;
  uint8_t current_ = 0;
};

}  // namespace trunkline::omni
