// What the agent is to say and what with, in the order in which it came, until it is spoken. Its memory is
// taken when it is made; what finds no room is asked for again. Media thread; no allocation.
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
  std::string_view text;
};

class SegmentQueue {
 public:
  // `voice`: packed options that ReadVoice reads, for what is added until the next SetVoice.
  explicit SegmentQueue(base::ByteView voice);

  // False: no room now. The text is copied.
  bool Add(const SegmentOrder& order);
  // False: so many voices are still to be spoken with that there is no room. One of more than VoiceBytes() is
  // cut off, and is then no voice: what is to be spoken with it fails.
  bool SetVoice(base::ByteView voice);
  base::ByteView voice() const { return voices_[current_].options; }
  // The most that the options of a voice take.
  size_t voice_bytes() const { return voice_bytes_; }

  // The oldest that waits; null where none does.
  const SegmentOrder* Front();
  base::ByteView FrontVoice() const { return voices_[At(0).voice].options; }
  // The oldest is being spoken: its text and voice stay until Spoken.
  void Take();
  void Spoken();

  // Of a speech: whether a segment waits, what is held no longer, what is not to be spoken.
  bool Waits(uint32_t speech) const;
  void Release(uint32_t speech);
  void Drop(uint32_t speech);
  void DropAll();

  // A text of one message of the lane's input fits when nothing waits.
  static constexpr size_t kTextBytes = 512 * 1024;
  static constexpr size_t kSegments = 1024;
  static constexpr size_t kVoices = 16;
  static constexpr size_t kLeastVoiceBytes = 8 * 1024;

 private:
  enum class State : uint8_t { kWaiting, kTaken, kDropped };
  struct Entry {
    SegmentOrder order;
    size_t begin = 0, end = 0;  // of its text
    uint8_t voice = 0;
    State state = State::kWaiting;
  };
  struct Voice {
    std::vector<uint8_t> options;
    uint32_t segments = 0;  // that are to be spoken with it
  };

  Entry& At(size_t index) { return entries_[(first_ + index) % kSegments]; }
  const Entry& At(size_t index) const { return entries_[(first_ + index) % kSegments]; }
  // Where so many bytes may lie in one piece; false: nowhere now.
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
