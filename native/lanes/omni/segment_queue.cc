#include "lanes/omni/segment_queue.h"

#include <algorithm>

namespace trunkline::omni {

SegmentQueue::SegmentQueue(base::ByteView voice)
    : voice_bytes_(std::max(kMinVoiceBytes, voice.size())),
      text_(std::make_unique_for_overwrite<char[]>(kTextBytes)) {
  for (Voice& entry : voices_) entry.options.reserve(voice_bytes_);
  voices_[0].options.assign(voice.begin(), voice.end());
}

bool SegmentQueue::Add(const SegmentOrder& order) {
  Retire();
  size_t at = 0;
  if (count_ == kSegments || !Place(order.text.size(), at)) return false;
  std::copy(order.text.begin(), order.text.end(), text_.get() + at);
  Entry& entry = At(count_++);
  entry = {order, at, at + order.text.size(), current_, State::kWaiting};
  entry.order.text = {text_.get() + at, order.text.size()};
  ++voices_[current_].segments;
  return true;
}

// Texts lie in a ring, and none crosses its end. The newest text never ends where the oldest begins, so that
// a full ring differs from an empty one.
bool SegmentQueue::Place(size_t size, size_t& at) const {
  at = 0;
  if (count_ == 0) return size <= kTextBytes;
  const size_t oldest = At(0).begin, newest = At(count_ - 1).end;
  const bool wrapped = newest < oldest;
  if (size == 0 || (!wrapped && kTextBytes - newest >= size)) {
    at = newest;
    return true;
  }
  at = wrapped ? newest : 0;
  return oldest - at > size;
}

bool SegmentQueue::SetVoice(base::ByteView voice) {
  const base::ByteView fits = voice.first(std::min(voice.size(), voice_bytes_));
  // Speakers that take turns share one entry each.
  auto entry = std::find_if(voices_.begin(), voices_.end(),
                            [&](const Voice& known) { return std::ranges::equal(known.options, fits); });
  if (entry == voices_.end()) {
    entry =
        std::find_if(voices_.begin(), voices_.end(), [](const Voice& known) { return known.segments == 0; });
    if (entry == voices_.end()) return false;
    entry->options.assign(fits.begin(), fits.end());
  }
  current_ = static_cast<uint8_t>(entry - voices_.begin());
  return true;
}

const SegmentOrder* SegmentQueue::Front() {
  Retire();
  return count_ > 0 && At(0).state == State::kWaiting ? &At(0).order : nullptr;
}

void SegmentQueue::Take() {
  At(0).state = State::kTaken;
}

void SegmentQueue::Spoken() {
  Drop(At(0));
  Retire();
}

bool SegmentQueue::Waits(uint32_t speech) const {
  for (size_t i = 0; i < count_; ++i) {
    if (At(i).state == State::kWaiting && At(i).order.speech == speech) return true;
  }
  return false;
}

void SegmentQueue::Release(uint32_t speech) {
  for (size_t i = 0; i < count_; ++i) {
    if (At(i).order.speech == speech) At(i).order.held = false;
  }
}

void SegmentQueue::Drop(uint32_t speech) {
  for (size_t i = 0; i < count_; ++i) {
    if (At(i).state == State::kWaiting && At(i).order.speech == speech) Drop(At(i));
  }
}

void SegmentQueue::DropAll() {
  for (size_t i = 0; i < count_; ++i) {
    if (At(i).state == State::kWaiting) Drop(At(i));
  }
}

void SegmentQueue::Drop(Entry& entry) {
  entry.state = State::kDropped;
  --voices_[entry.voice].segments;
}

void SegmentQueue::Retire() {
  for (; count_ > 0 && At(0).state == State::kDropped; --count_) first_ = (first_ + 1) % kSegments;
}

}  // namespace trunkline::omni
