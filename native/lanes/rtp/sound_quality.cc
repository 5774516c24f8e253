#include "lanes/rtp/sound_quality.h"

#include <utility>

namespace trunkline::rtp {

SoundQuality::SoundQuality(int rate, std::shared_ptr<dsp::EchoFinder> finder)
    : finder_(std::move(finder)), echo_(rate, *finder_), silence_(static_cast<size_t>(rate) / 50) {}

void SoundQuality::Heard(std::span<const int16_t> piece, bool sound) {
  echo_.Heard(piece);
  if (sound) in_.Heard(piece);
}

void SoundQuality::Said(std::span<const int16_t> frame) {
  echo_.Sent(frame.empty() ? silence_ : frame);
  out_.Heard(frame);
}

}  // namespace trunkline::rtp
