#include "lanes/cast/timeline.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trunkline::cast {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr size_t kMaxClips = 100'000;
// Sixteen days at 24 kHz, so that no sum of two overflows.
constexpr uint64_t kMaxSamples = uint64_t{1} << 35;
// Adjacent noise samples that are summed, because room tone has little high frequency.
constexpr int64_t kToneTaps = 6;

float Fade(uint64_t at, uint64_t length) {
  const double share = (static_cast<double>(at) + 1) / (static_cast<double>(length) + 1);
  return static_cast<float>(0.5 - 0.5 * std::cos(std::numbers::pi * share));
}

// Noise that depends on the position alone, -1 to 1.
float NoiseAt(uint32_t seed, int64_t place) {
  uint64_t x = static_cast<uint64_t>(place) * 0x9E3779B97F4A7C15ULL + seed;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  x ^= x >> 31;
  return static_cast<float>(static_cast<double>(x >> 40) / (1 << 23) - 1);
}

Clip ReadClip(base::ByteReader& reader) {
  Clip clip;
  clip.at = reader.Read<uint64_t>();
  clip.start = reader.Read<uint64_t>();
  clip.samples = reader.Read<uint32_t>();
  clip.fade_in = reader.Read<uint32_t>();
  clip.fade_out = reader.Read<uint32_t>();
  clip.gain = reader.Read<float>();
  clip.seed = reader.Read<uint32_t>();
  return clip;
}

}  // namespace

Result<std::unique_ptr<Timeline>> Timeline::Open(const std::string& file, base::ByteView plan,
                                                 float room_tone) {
  base::ByteReader reader(plan);
  std::unique_ptr<Timeline> timeline(new Timeline());
  timeline->samples_ = reader.Read<uint64_t>();
  const auto count = reader.Read<uint32_t>();
  if (!reader.ok() || count > kMaxClips || timeline->samples_ > kMaxSamples)
    return Status(Code::kInvalidArgument, "the plan has too many samples or clips");
  for (uint32_t i = 0; i < count; ++i) {
    const Clip clip = ReadClip(reader);
    const bool rises = timeline->clips_.empty() || clip.start >= timeline->clips_.back().start;
    if (!reader.ok() || !rises || clip.start > kMaxSamples || clip.at > kMaxSamples ||
        !std::isfinite(clip.gain)) {
      return Status(Code::kInvalidArgument, "the plan has invalid clips");
    }
    timeline->longest_ = std::max<uint64_t>(timeline->longest_, clip.samples);
    timeline->clips_.push_back(clip);
  }
  timeline->room_tone_ = room_tone;
  timeline->file_.reset(std::fopen(file.c_str(), "rbe"));
  if (timeline->file_ == nullptr && count > 0)
    return Status(Code::kNotFound, "the clips' file does not exist");
  return timeline;
}

Status Timeline::Read(int64_t from, float gain, std::span<float> out) const {
  std::ranges::fill(out, 0.0F);
  const int64_t end = from + static_cast<int64_t>(out.size());
  const auto early = static_cast<uint64_t>(std::max<int64_t>(0, from - static_cast<int64_t>(longest_)));
  auto clip = std::ranges::lower_bound(clips_, early, {}, &Clip::start);
  for (; clip != clips_.end() && static_cast<int64_t>(clip->start) < end; ++clip)
    TRUNKLINE_RETURN_IF_FAILED(AddClip(*clip, from, gain, out));
  if (room_tone_ > 0) AddRoomTone(from, out);
  return base::Ok();
}

Status Timeline::AddClip(const Clip& clip, int64_t from, float gain, std::span<float> out) const {
  const auto start = static_cast<int64_t>(clip.start);
  const int64_t first = std::max(from, start);
  const int64_t last =
      std::min(from + static_cast<int64_t>(out.size()), start + static_cast<int64_t>(clip.samples));
  if (first >= last) return base::Ok();
  std::vector<int16_t> pcm(static_cast<size_t>(last - first));
  const auto offset = static_cast<int64_t>(clip.at) + (first - start);
  const auto wanted = static_cast<ssize_t>(pcm.size() * sizeof(int16_t));
  if (pread(fileno(file_.get()), pcm.data(), static_cast<size_t>(wanted), offset * 2) != wanted)
    return Status(Code::kBadAudio, "the clips' file is shorter than the plan says");
  for (size_t i = 0; i < pcm.size(); ++i) {
    const auto at = static_cast<uint64_t>(first - start) + i;
    const uint64_t left = clip.samples - 1 - at;
    float sample = static_cast<float>(pcm[i]) / 32768 * clip.gain * gain;
    if (at < clip.fade_in) sample *= Fade(at, clip.fade_in);
    if (left < clip.fade_out) sample *= Fade(left, clip.fade_out);
    out[static_cast<size_t>(first - from) + i] += sample;
  }
  return base::Ok();
}

void Timeline::AddRoomTone(int64_t from, std::span<float> out) const {
  const auto all = static_cast<int64_t>(samples_);
  // Uniform noise has a third of its peak's power, and a sum of n has n times that.
  const float scale = room_tone_ * std::sqrt(3.0F / static_cast<float>(kToneTaps));
  size_t next = 0;
  while (next < clips_.size() && static_cast<int64_t>(clips_[next].start) <= from) ++next;
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t at = from + static_cast<int64_t>(i);
    if (at < 0 || at >= all) continue;
    while (next < clips_.size() && static_cast<int64_t>(clips_[next].start) <= at) ++next;
    const Clip none;
    const Clip& clip = next > 0 ? clips_[next - 1] : none;
    const int64_t place = at - static_cast<int64_t>(clip.start);
    float sum = 0;
    for (int64_t tap = 0; tap < kToneTaps; ++tap) sum += NoiseAt(clip.seed, place - tap);
    out[i] += sum * scale;
  }
}

}  // namespace trunkline::cast
