#include "lanes/rtp/telephone_event.h"

#include <algorithm>

#include "lanes/rtp/network_order.h"

namespace trunkline::rtp {
namespace {

constexpr std::string_view kKeys = "0123456789*#ABCD";
constexpr uint8_t kVolume = 10;  // dB below full
// Steps of 20 ms: the key lasts 100 ms, its end is sent three times, and 80 ms are silent.
constexpr uint32_t kTone = 5, kEnds = 3, kPause = 4;

}  // namespace

bool IsKey(char key) {
  return kKeys.find(key) != std::string_view::npos;
}

std::optional<TelephoneEvent> ReadEvent(base::ByteView payload) {
  if (payload.size() < 4 || payload[0] >= kKeys.size()) return std::nullopt;
  return TelephoneEvent{
      .key = kKeys[payload[0]], .ended = (payload[1] & 0x80) != 0, .duration = Read16(payload.data() + 2)};
}

size_t WriteEvent(const TelephoneEvent& event, base::MutableBytes out) {
  const size_t number = kKeys.find(event.key);
  if (number == std::string_view::npos || out.size() < 4) return 0;
  out[0] = static_cast<uint8_t>(number);
  out[1] = static_cast<uint8_t>((event.ended ? 0x80 : 0) | kVolume);
  Write16(out.data() + 2, static_cast<uint16_t>(std::min<uint32_t>(event.duration, 0xffff)));
  return 4;
}

std::optional<char> KeyReader::Take(base::ByteView payload, uint32_t timestamp) {
  const auto event = ReadEvent(payload);
  // A key's packets share their first timestamp; a late packet of the previous key must not press it again.
  if (!event || (last_ && static_cast<int32_t>(timestamp - *last_) <= 0)) return std::nullopt;
  last_ = timestamp;
  return event->key;
}

bool KeyPress::Press(std::string_view keys) {
  if (keys.size() > kMaxKeys - count_ || !std::all_of(keys.begin(), keys.end(), IsKey)) return false;
  for (const char key : keys) keys_[(first_ + count_++) % kMaxKeys] = key;
  return true;
}

KeyPress::Step KeyPress::Next(int clock) {
  Step step;
  const uint32_t unit = static_cast<uint32_t>(clock) / 50;
  if (step_ < kTone + kEnds - 1) {
    step.first = step_ == 0;
    step.event = {
        .key = keys_[first_], .ended = step_ + 1 >= kTone, .duration = unit * std::min(step_ + 1, kTone)};
  }
  if (++step_ == kTone + kEnds - 1 + kPause) {
    step_ = 0;
    first_ = (first_ + 1) % kMaxKeys;
    --count_;
  }
  return step;
}

}  // namespace trunkline::rtp
