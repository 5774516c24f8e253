#include "lanes/amd/signal_analyzer.h"

#include <algorithm>

namespace trunkline::amd {

const FrameEvents& SignalAnalyzer::Frame(std::span<const float> samples, float speech) {
  const double start_s = heard_s();
  ++frames_;
  events_ = {};
  Levels(samples, speech >= SpeechSegments::kLoud);
  events_.segment = segments_.Frame(speech, start_s);
  if (events_.segment.kind == SegmentEvent::Kind::kSpeech) {
    spoken_ = true;
  } else if (events_.segment.kind == SegmentEvent::Kind::kQuiet) {
    events_.level_dbfs = dsp::ToDbfs(speech_frames_ > 0 ? speech_power_ / speech_frames_ : 0);
    events_.floor_dbfs = floor_dbfs_;
    speech_power_ = 0;
    speech_frames_ = 0;
  }
  events_.tone_count = tones_.Process(samples, events_.tones);
  const dsp::MusicFrame pitches = pitches_.Frame(samples);
  events_.music = music_.Frame(pitches, speech, heard_s());
  events_.music_at_s = music_.at_s();
  if (spoken_ && !fingerprint_.full()) {
    fingerprint_.Frame(samples);
    events_.fingerprint = fingerprint_.full();
  }
  return events_;
}

void SignalAnalyzer::Levels(std::span<const float> samples, bool speech) {
  if (speech) {
    double square = 0;
    for (const float sample : samples) square += static_cast<double>(sample) * sample;
    speech_power_ += square / static_cast<double>(samples.size());
    ++speech_frames_;
  }
  std::array<dsp::LevelReading, 8> readings;
  const size_t count = level_.Process(samples, readings);
  if (count > 0) floor_dbfs_ = readings[count - 1].floor_dbfs;
}

}  // namespace trunkline::amd
