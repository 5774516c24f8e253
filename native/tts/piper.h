// A Piper voice (VITS) in three parts: the text of a clause, its flow, and a decoder of any stretch. See
// models/recipes/piper and docs/decisions/073-piper-time-to-first-audio.md.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "onnx/onnx.h"
#include "text/phonemes/phonemes.h"

namespace trunkline::tts {

inline constexpr int kPiperRate = 22050;
// A frame of a clause: 11.6 ms.
inline constexpr size_t kPiperFrameSamples = 256;

struct PiperFiles {
  std::string decoder, table;
};

// A clause after the encoder: enough to generate its audio.
struct PiperClause {
  std::vector<float> sounds;  // [channels, frames]
  size_t frames = 0;
  // The frame where speech may begin after the initial silence.
  size_t speech_begins = 0;
};

class PiperStream;

class Piper {
 public:
  static base::Result<std::unique_ptr<Piper>> Load(const onnx::SessionOpener& open, const PiperFiles& files,
                                                   const onnx::SessionOptions& options);

  // The same seed gives the same clause.
  base::Result<PiperClause> Read(std::string_view phonemes, float speed, float range, uint64_t seed,
                                 const onnx::RunOptions* run) const;

  // Streams the clause's audio from where its speech may begin, or from its start.
  std::unique_ptr<PiperStream> Decode(PiperClause clause, bool from_start) const;

 private:
  friend class PiperStream;
  Piper() = default;
  std::unique_ptr<onnx::Session> text_, flow_, decoder_;
  text::PhonemeTable table_;
};

class PiperStream {
 public:
  // The model must outlive the stream.
  PiperStream(const Piper& piper, PiperClause clause, bool from_start)
      : piper_(piper), clause_(std::move(clause)), next_(from_start ? 0 : clause_.speech_begins) {}

  // The first step makes no audio. Each other appends the samples of `frames` more frames, or all that are
  // left, as floats of full scale 1.
  base::Status Step(size_t frames, const onnx::RunOptions* run, std::vector<float>& out);
  bool done() const { return next_ >= clause_.frames; }

 private:
  base::Status Flow(const onnx::RunOptions* run);

  const Piper& piper_;
  PiperClause clause_;
  size_t next_;
  onnx::Tensor latent_;  // [1, channels, frames]; empty before the first step
  std::vector<float> stretch_;
};

}  // namespace trunkline::tts
