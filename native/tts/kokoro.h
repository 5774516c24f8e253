// Kokoro-82M in two parts: a front that reads phonemes and predicts durations and pitch, and a generator that
// streams the audio. See models/recipes/kokoro and docs/decisions/070-streaming-speech.md.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "onnx/onnx.h"
#include "text/phonemes/phonemes.h"
#include "tts/generator.h"

namespace trunkline::tts {

inline constexpr int kKokoroRate = 24000;
// A frame of the front's output: 12.5 ms.
inline constexpr size_t kFrameSamples = 300;
// Frames before a stretch that influence it: computed and not played.
inline constexpr size_t kContext = 8;
// The most tokens of a clause.
inline constexpr size_t kMostTokens = 508;

struct KokoroFiles {
  std::string generator, vocabulary;
};

struct Prosody {
  float speed = 1;
  float pitch = 1;
  float range = 1;
  float center_hz = 180;
  // For each token, whether its word is stressed: longer, higher and louder. Empty: none is.
  std::vector<bool> stressed;
};

// A clause after the front: enough to generate any part of its audio.
struct KokoroClause {
  std::vector<float> style;
  onnx::Tensor x, harmonics;
  std::vector<float> f0;         // hertz a frame, before the prosody's changes
  std::vector<float> durations;  // frames of 25 ms a token, the silent ends included
  size_t frames = 0;
  std::vector<float> stress;  // the stress of each frame, 0 to 1; empty without stressed words

  // The frame where speech may begin after the initial silence.
  size_t speech_begins() const;
};

class Kokoro {
 public:
  static base::Result<std::unique_ptr<Kokoro>> Load(const onnx::SessionOpener& open, const KokoroFiles& files,
                                                    const onnx::SessionOptions& options);

  const std::shared_ptr<onnx::Runtime>& runtime() const { return front_->shared_runtime(); }

  std::vector<int64_t> Encode(std::string_view phonemes, std::vector<bool>* stressed = nullptr) const {
    return table_.Encode(phonemes, stressed);
  }

  base::Result<std::unique_ptr<KokoroClause>> Front(std::span<const int64_t> tokens,
                                                    std::span<const float> style, const Prosody& prosody,
                                                    const onnx::RunOptions* run) const;

  // Streams the clause's audio from frame `from` on, normalised by `statistics` (of size statistics_size()).
  // The samples of the first kContext frames, or fewer at the clause's start, must not be played.
  base::Result<std::unique_ptr<GeneratorStream>> Generate(const KokoroClause& clause, size_t from,
                                                          std::span<const float> statistics) const;

  struct Whole {
    std::vector<float> samples;
    std::vector<float> statistics;
  };
  // The whole clause as published, with its own statistics, which it returns.
  base::Result<Whole> Measure(const KokoroClause& clause, const onnx::RunOptions* run) const;

  size_t statistics_size() const { return generator_->statistics; }

 private:
  Kokoro() = default;
  // `speed` of each token, `pitch` of each frame, or one of either for all.
  base::Status Read(std::span<const int64_t> ids, std::span<const float> speed, std::span<const float> pitch,
                    const Prosody& prosody, KokoroClause& clause, const onnx::RunOptions* run) const;

  std::unique_ptr<onnx::Session> front_;
  std::shared_ptr<const GeneratorWeights> generator_;
  text::PhonemeTable table_;
};

}  // namespace trunkline::tts
