#include "lanes/omni/hold_music_detector.h"

#include <algorithm>

#include "base/speech_thresholds.h"

namespace trunkline::omni {
namespace {

constexpr int kLineRate = 8000;
// A voice must stand out of music by this much, for a quarter of a second in all.
constexpr float kOverDb = 9;
constexpr int kOverFrames = 8;
// Smoothing of the level: about one second, and two for music.
constexpr float kFollow = 1.0F / 24, kFollowMusic = 1.0F / 64;

}  // namespace

HoldMusicDetector::HoldMusicDetector()
    : narrow_(*dsp::Resampler::Create(static_cast<int>(hear::HearAudio::kRate), kLineRate,
                                      dsp::Grade::kSpeech)) {}

std::optional<HoldMusicDetector::Change> HoldMusicDetector::Next(hear::HearAudio& audio) {
  while (frames_ < audio.frames()) {
    const double start_s = static_cast<double>(frames_) * vad::kFrameSeconds;
    const double end_s = start_s + vad::kFrameSeconds;
    ++frames_;
    const std::optional<Change> change =
        Frame(audio.Range(start_s, end_s), audio.probability(frames_), end_s);
    if (change) return change;
  }
  return std::nullopt;
}

std::optional<HoldMusicDetector::Change> HoldMusicDetector::Frame(std::span<const float> sound, float speech,
                                                                  double end_s) {
  narrow_.Process(sound, std::span<float>(hop_));
  const dsp::MusicFrame frame = pitches_.Frame(hop_);
  const dsp::MusicWatch::Change change = music_.Frame(frame, speech, end_s);
  const bool over = SpokenOver(frame.level_dbfs, speech);
  if (change != dsp::MusicWatch::Change::kNone) {
    over_ = 0;
    return Change{music_.playing(), music_.at_s()};
  }
  if (!over || !music_.playing()) return std::nullopt;
  music_.End(end_s - kOverFrames * vad::kFrameSeconds);
  over_ = 0;
  return Change{false, music_.at_s()};
}

bool HoldMusicDetector::SpokenOver(float level_dbfs, float speech) {
  if (level_dbfs > level_dbfs_ + kOverDb && speech >= base::kSpeechStartProbability)
    return ++over_ >= kOverFrames;
  over_ = std::max(0, over_ - 1);
  level_dbfs_ += (music_.playing() ? kFollowMusic : kFollow) * (level_dbfs - level_dbfs_);
  return false;
}

}  // namespace trunkline::omni
