#include "tts/voice_sample.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/speech_thresholds.h"
#include "tts/spectrum.h"

namespace trunkline::tts {

using base::Result;

namespace {

constexpr float kMinSeconds = 3, kMaxSeconds = 120;
// A recording with less speech than a word has no speaker to measure.
constexpr float kMinWord = 0.3F;
// A useful recording is voiced for a third of its speech and more; whistles and claps that the detector takes
// for speech are not.
constexpr float kMinVoiced = 0.15F;
// The ratio is measured during speech. Quiet rooms give 25 dB and more, a street 10.
constexpr float kMinSnrDb = 15;
constexpr float kFloorDb = -75, kSilentDb = -60;
// Pauses between words are not speech.
constexpr float kSampleRestDb = 25;
constexpr size_t kPiece = 3 * speaker::kRate;
// Pieces of 3 s of one speaker have a similarity of 0.8, of two of 0.3.
constexpr float kOneSpeaker = 0.5F;
constexpr float kMinSpokenShare = 0.15F;
// The voice detector's thresholds for the start and the end of speech, and its least length.
constexpr float kBegins = base::kSpeechStartProbability, kEnds = base::kSpeechHoldProbability;
constexpr size_t kMinRun = 8;

std::vector<float> FrameDb(std::span<const float> samples) {
  std::vector<float> db;
  for (size_t at = 0; at + kHeardFrame <= samples.size(); at += kHeardFrame) {
    float power = 0;
    for (size_t i = at; i < at + kHeardFrame; ++i)
      power += samples[i] * samples[i] / static_cast<float>(kHeardFrame);
    db.push_back(std::max(kFloorDb, 10 * std::log10(power + 1e-12F)));
  }
  return db;
}

std::vector<uint8_t> Speaking(std::span<const float> heard) {
  std::vector<uint8_t> speaking(heard.size(), 0);
  for (size_t at = 0; at < heard.size();) {
    if (heard[at] < kBegins) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < heard.size() && heard[end] >= kEnds) ++end;
    if (end - at >= kMinRun) std::fill_n(speaking.begin() + static_cast<std::ptrdiff_t>(at), end - at, 1);
    at = end;
  }
  return speaking;
}

float Percentile(std::vector<float> values, float share) {
  if (values.empty()) return kFloorDb;
  const auto at = static_cast<size_t>(share * static_cast<float>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

// Splits the pieces at the two most dissimilar, and returns the similarity of the halves.
float MinSimilarity(const std::vector<std::vector<float>>& pieces) {
  if (pieces.size() < 2) return 1;
  size_t one = 0, other = 1;
  float least = 2;
  for (size_t i = 0; i < pieces.size(); ++i) {
    for (size_t j = i + 1; j < pieces.size(); ++j) {
      const float similarity = speaker::Cosine(pieces[i], pieces[j]);
      if (similarity < least) least = similarity, one = i, other = j;
    }
  }
  std::vector<float> sums[2] = {std::vector<float>(pieces[0].size(), 0.0F),
                                std::vector<float>(pieces[0].size(), 0.0F)};
  size_t counts[2] = {0, 0};
  for (const auto& piece : pieces) {
    const size_t side = speaker::Cosine(piece, pieces[one]) >= speaker::Cosine(piece, pieces[other]) ? 0 : 1;
    for (size_t i = 0; i < piece.size(); ++i) sums[side][i] += piece[i];
    ++counts[side];
  }
  const auto smaller = static_cast<float>(std::min(counts[0], counts[1]));
  // One odd piece (a laugh, a cough) in a long recording is not a second speaker.
  if (smaller / static_cast<float>(pieces.size()) < kMinSpokenShare) return 1;
  return speaker::Cosine(sums[0], sums[1]);
}

}  // namespace

std::string_view SampleVerdictName(SampleVerdict verdict) {
  switch (verdict) {
    case SampleVerdict::kNoSpeech:
      return "no_speech";
    case SampleVerdict::kTooShort:
      return "too_short";
    case SampleVerdict::kTooLong:
      return "too_long";
    case SampleVerdict::kTooNoisy:
      return "too_noisy";
    case SampleVerdict::kSeveralSpeakers:
      return "several_speakers";
    case SampleVerdict::kGood:
      break;
  }
  return "good";
}

namespace {

void AppendPitches(std::span<const float> samples, int rate, std::vector<float>& pitches) {
  const auto size = static_cast<size_t>(rate / 25), step = static_cast<size_t>(rate / 50);
  float mean = 0;
  for (const float s : samples) mean += s * s / static_cast<float>(samples.size());
  const float least = std::min(1e-4F, 0.1F * mean);
  const auto shortest = static_cast<size_t>(rate / 400), longest = static_cast<size_t>(rate / 65);
  for (size_t at = 0; at + size + longest < samples.size(); at += step) {
    const auto frame = samples.subspan(at, size + longest);
    float energy = 0;
    for (size_t i = 0; i < size; ++i) energy += frame[i] * frame[i];
    if (energy / static_cast<float>(size) < least) continue;
    float best = 0;
    std::vector<float> similarity(longest + 1, 0.0F);
    for (size_t lag = shortest; lag <= longest; ++lag) {
      float dot = 0, shifted = 0;
      for (size_t i = 0; i < size; i += 2) {
        dot += frame[i] * frame[i + lag];
        shifted += frame[i + lag] * frame[i + lag];
      }
      similarity[lag] = dot / std::sqrt(std::max(energy / 2 * shifted, 1e-9F));
      best = std::max(best, similarity[lag]);
    }
    if (best < 0.6F) continue;
    // The shortest lag that is nearly as good, because twice the period correlates as well as the period.
    for (size_t lag = shortest; lag <= longest; ++lag) {
      if (similarity[lag] < 0.9F * best) continue;
      while (lag + 1 <= longest && similarity[lag + 1] > similarity[lag]) ++lag;
      pitches.push_back(static_cast<float>(rate) / static_cast<float>(lag));
      break;
    }
  }
}

float Median(const std::vector<float>& pitches) {
  return pitches.empty() ? 0 : Percentile(pitches, 0.5F);
}

}  // namespace

float MedianPitch(std::span<const float> samples, int rate) {
  std::vector<float> pitches;
  AppendPitches(samples, rate, pitches);
  return Median(pitches);
}

SampleReader::SampleReader(std::span<const float> samples, std::span<const float> heard) {
  const std::vector<float> db = FrameDb(samples);
  const std::vector<uint8_t> speaking = Speaking(heard.first(std::min(heard.size(), db.size())));
  const float level = Percentile(db, 0.9F);
  for (size_t i = 0; i < speaking.size(); ++i) {
    if (speaking[i] == 0 || db[i] < level - kSampleRestDb) continue;
    const auto frame = samples.subspan(i * kHeardFrame, kHeardFrame);
    speech_.insert(speech_.end(), frame.begin(), frame.end());
  }
  sample_.speech_seconds = static_cast<float>(speech_.size()) / speaker::kRate;
  if (level < kSilentDb || sample_.speech_seconds < kMinWord) {
    sample_.verdict = SampleVerdict::kNoSpeech;
  } else if (sample_.speech_seconds < kMinSeconds) {
    sample_.verdict = SampleVerdict::kTooShort;
  } else if (sample_.speech_seconds > kMaxSeconds) {
    sample_.verdict = SampleVerdict::kTooLong;
  }
}

Result<bool> SampleReader::Step(const speaker::Embedder& speakers, const onnx::RunOptions* run) {
  if (sample_.verdict != SampleVerdict::kGood) return true;
  const auto piece = std::span(speech_).subspan(next_, kPiece);
  TRUNKLINE_ASSIGN_OR_RETURN(auto vector, speakers.Of(piece, run));
  pieces_.push_back(std::move(vector));
  AppendPitches(piece, speaker::kRate, pitches_);
  const std::vector<float> power = mel_.Power(piece);
  power_.insert(power_.end(), power.begin(), power.end());
  next_ += kPiece;
  if (next_ + kPiece <= speech_.size()) return false;
  Finish();
  return true;
}

void SampleReader::Finish() {
  constexpr float kPitchFrame = speaker::kRate / 50;
  sample_.voiced_share = static_cast<float>(pitches_.size()) * kPitchFrame / static_cast<float>(next_);
  sample_.pitch_hz = Median(pitches_);
  sample_.snr_db = NoiseDistanceDb(power_);
  sample_.spectrum = MeanSpectrum(power_);
  sample_.min_similarity = MinSimilarity(pieces_);
  Judge();
  if (sample_.verdict != SampleVerdict::kGood) return;
  sample_.vector.assign(pieces_[0].size(), 0.0F);
  for (const auto& piece : pieces_) {
    for (size_t i = 0; i < piece.size(); ++i) sample_.vector[i] += piece[i];
  }
}

void SampleReader::Judge() {
  if (sample_.snr_db < kMinSnrDb) {
    sample_.verdict = SampleVerdict::kTooNoisy;
  } else if (sample_.voiced_share < kMinVoiced) {
    sample_.verdict = SampleVerdict::kNoSpeech;
  } else if (sample_.min_similarity < kOneSpeaker) {
    sample_.verdict = SampleVerdict::kSeveralSpeakers;
  }
}

}  // namespace trunkline::tts
