// A Piper voice (VITS) in three parts: the text of a clause, its flow, and a decoder of any stretch. See
// models/recipes/piper and docs/decisions/073-piper-time-to-first-audio.md.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "onnx/onnx.h"
#include "text/phonemes/phonemes.h"

namespace trunkline::tts {

inline constexpr int kPiperRate = 22050;

struct PiperFiles {
  std::string decoder, table;
};

// The shape and the defaults of a voice, read from piper.conf: one `name value` a line. The defaults here
// are those of the stock voice, which has no such file.
struct PiperSettings {
  int rate = kPiperRate;
  size_t channels = 192;
  size_t frame_samples = 256;  // 11.6 ms at the stock voice's rate
  // An output frame depends on this many frames to each side, and on no others.
  size_t context = 12;
  // A frame of the flow depends on this many frames to each side.
  size_t flow_context = 32;
  int speakers = 1;
  // The variation of the sound and of the durations between repetitions, and the length of a clause, as published.
  float noise = 0.667F, duration_noise = 0.8F, length = 1;
  // The voice was trained on phonemes; otherwise on the characters of the text.
  bool phonemes = true;

  static base::Result<PiperSettings> Parse(std::string_view text);
};

struct PiperClause {
  size_t channels = 0;
  int64_t speaker = 0;
  std::vector<float> sounds;     // [channels, frames]
  std::vector<float> durations;  // frames of each sound and of each blank: "^ _ a _ b _ $"
  size_t frames = 0;
  // The frame where speech may begin after the initial silence.
  size_t speech_begins = 0;

  size_t FrameOf(size_t sound) const;
};

class PiperStream;

class Piper {
 public:
  static base::Result<std::unique_ptr<Piper>> Load(const onnx::SessionOpener& open, const PiperFiles& files,
                                                   const onnx::SessionOptions& options);
  // Loads a voice that the operator added, from the folder of its files.
  static base::Result<std::unique_ptr<Piper>> LoadFolder(const std::shared_ptr<onnx::Runtime>& runtime,
                                                         const std::string& folder,
                                                         const onnx::SessionOptions& options);

  const PiperSettings& settings() const { return settings_; }
  int rate() const { return settings_.rate; }
  // Returns the ids of the phonemes, or of the characters for a voice without phonemes.
  base::Result<std::vector<int64_t>> Pronounce(text::PhonemePool& phonemes, std::string_view text,
                                               const text::Accent& accent) const;
  std::vector<int64_t> Encode(std::string_view phonemes) const { return table_.Encode(phonemes); }
  int64_t space() const { return space_; }
  // An unvoiced consonant makes a joint before it inaudible.
  bool IsUnvoiced(int64_t sound) const;

  // The same seed gives the same clause, and the same variation to the same beginning of another.
  base::Result<PiperClause> Read(std::span<const int64_t> sounds, float speed, float range, uint64_t seed,
                                 const onnx::RunOptions* run, int speaker = 0) const;

  // Streams the clause's audio from where its speech may begin, or from its start.
  std::unique_ptr<PiperStream> Decode(PiperClause clause, bool from_start) const;

 private:
  friend class PiperStream;
  Piper() = default;
  base::Status Open(const onnx::SessionOpener& open, std::string_view stem, const std::string& table,
                    const onnx::SessionOptions& options);
  PiperSettings settings_;
  std::unique_ptr<onnx::Session> text_, flow_, decoder_;
  text::PhonemeTable table_;
  int64_t space_ = 0;
  std::vector<int64_t> unvoiced_;
};

// The audio of a clause whose end may not be read yet.
class PiperStream {
 public:
  // The model must outlive the stream.
  PiperStream(const Piper& piper, PiperClause clause, bool from_start)
      : piper_(piper),
        clause_(std::move(clause)),
        next_(from_start ? 0 : clause_.speech_begins),
        until_(clause_.frames) {}

  // Generates only what does not depend on frames from the sound on, until Continue brings the clause as
  // a whole. Called before the first step.
  void StopBefore(size_t sound);
  bool waits() const { return open_sound_ > 0 && next_ >= until_; }
  void Continue(const PiperClause& whole);

  // The first step makes no audio, nor does the first after Continue. Each other appends the samples of
  // `frames` more frames, or all that are left, as floats of full scale 1.
  base::Status Step(size_t frames, const onnx::RunOptions* run, std::vector<float>& out);
  bool done() const { return open_sound_ == 0 && next_ >= clause_.frames; }

 private:
  base::Status Flow(const onnx::RunOptions* run);
  // Runs one part of the voice. A voice of several speakers also gets the speaker.
  base::Status Run(const onnx::Session& part, std::span<const onnx::Input> inputs, const char* gives,
                   const onnx::RunOptions* run, onnx::Tensor& out) const;

  const Piper& piper_;
  PiperClause clause_;
  size_t next_, until_;
  size_t open_sound_ = 0;      // 0: the clause is whole
  std::vector<float> latent_;  // [channels, frames] of those that went through the flow
  size_t flowed_ = 0;          // frames whose latent is settled
  bool stale_ = true;
  std::vector<float> stretch_;
};

}  // namespace trunkline::tts
