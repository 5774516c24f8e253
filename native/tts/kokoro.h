// Kokoro-82M in three parts: the prosody of a clause (durations, pitch, energy) from its phonemes, a decoder
// that turns stretches of it into acoustic features, and a generator that streams the audio. See
// models/recipes/kokoro and docs/decisions/070-streaming-speech.md.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "onnx/onnx.h"
#include "text/phonemes/phonemes.h"
#include "tts/front_device.h"
#include "tts/generator.h"
#include "tts/generator_device.h"

namespace trunkline::tts {

// A frame of a lower pitch is unvoiced.
inline constexpr float kKokoroVoicedHz = 10;

inline constexpr int kKokoroRate = 24000;
// A frame of the decoder's output: 12.5 ms.
inline constexpr size_t kFrameSamples = 300;
// Frames before a stretch that influence it: computed and not played.
inline constexpr size_t kContext = 8;
// The means over time that normalise the decoder's layers.
inline constexpr size_t kDecoderMeans = 18964;
inline constexpr size_t kMaxTokens = 508;
// The harmonics of the source.
inline constexpr size_t kSines = 9;

// The graphs' inputs and outputs, on the processor and on a GPU.
inline constexpr const char* kProsodyInputs[] = {"tokens", "style", "speed", "pitch", "range", "center"};
inline constexpr const char* kProsodyOutputs[] = {"sounds", "hertz", "energy", "durations", "f0"};
inline constexpr const char* kDecoderInputs[] = {"sounds", "hertz",      "energy", "style",
                                                 "phase",  "statistics", "measure"};
inline constexpr const char* kDecoderOutputs[] = {"x", "harmonics", "means"};

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

  bool HasStress() const;
};

// The prosody of a clause: enough to generate any part of its audio.
struct KokoroClause {
  std::vector<float> style;
  std::vector<float> sounds;         // [512, frames / 2]
  std::vector<float> hertz, energy;  // each frame's
  std::vector<float> f0;             // hertz a frame, before the prosody's changes
  std::vector<float> durations;      // frames of 25 ms a token, the silent ends included
  size_t frames = 0;
  std::vector<float> stress;  // the stress of each frame, 0 to 1; empty without stressed words

  // The frame where speech may begin after the initial silence.
  size_t speech_begins() const;
  // The frame where the token begins; token 0 is the initial silence.
  size_t FrameOf(size_t token) const;
  // Replaces everything from the token on by the part of `other`, another reading of the same tokens. The
  // pitch and the energy glide from one reading to the other, so neither steps.
  void Continue(const KokoroClause& other, size_t token);
};

class KokoroStream;

class Kokoro {
 public:
  static base::Result<std::unique_ptr<Kokoro>> Load(const onnx::SessionOpener& open, const KokoroFiles& files,
                                                    const onnx::SessionOptions& options);

  // Streams that begin from now on generate on the GPU; null: on the processor. Called before the model is shared.
  void GenerateOn(std::shared_ptr<GeneratorDevice> device) { device_ = std::move(device); }
  const std::shared_ptr<GeneratorDevice>& device() const { return device_; }
  // Clauses are read and decoded on the GPU from now on; null: on the processor. Called before the model is shared.
  void ReadOn(std::shared_ptr<FrontDevice> front) { front_ = std::move(front); }
  const std::shared_ptr<FrontDevice>& front() const { return front_; }
  const std::shared_ptr<const GeneratorWeights>& generator() const { return generator_; }

  const std::shared_ptr<onnx::Runtime>& runtime() const { return prosody_->shared_runtime(); }

  std::vector<int64_t> Encode(std::string_view phonemes, std::vector<bool>* stressed = nullptr) const {
    return table_.Encode(phonemes, stressed);
  }
  int64_t space() const { return space_; }

  base::Result<std::unique_ptr<KokoroClause>> Read(std::span<const int64_t> tokens,
                                                   std::span<const float> style, const Prosody& prosody,
                                                   const onnx::RunOptions* run) const;

  // Streams the clause's audio from frame `from` on, normalised by `statistics` (of size statistics_size()).
  // The samples of the first kContext frames, or fewer at the clause's start, must not be played.
  base::Result<std::unique_ptr<KokoroStream>> Generate(KokoroClause clause, size_t from,
                                                       std::span<const float> statistics) const;

  struct Whole {
    std::vector<float> samples;
    std::vector<float> statistics;
  };
  // Generates the whole clause as published, with its own statistics, which it returns.
  base::Result<Whole> Measure(const KokoroClause& clause, const onnx::RunOptions* run) const;

  size_t statistics_size() const { return generator_->statistics + kDecoderMeans; }

 private:
  friend class KokoroStream;
  struct Features {
    onnx::Tensor x, harmonics, means;
    size_t frames = 0;
  };
  // A part runs here; kEither is the GPU, or the processor where that does not serve or refuses.
  enum class Place { kEither, kGpu, kProcessor };

  Kokoro() = default;
  base::Status Run(FrontDevice::Part part, Place place, std::span<const onnx::Input> inputs,
                   std::span<const onnx::Output> outputs, const onnx::RunOptions* run) const;
  // `speed` of each token, `pitch` of each frame, or one of either for all.
  base::Status Predict(std::span<const int64_t> ids, Place place, std::span<const float> speed,
                       std::span<const float> pitch, const Prosody& prosody, KokoroClause& clause,
                       const onnx::RunOptions* run) const;
  // Predicts twice, because the pitch of a stressed word needs the frames that the word has. Both are made in one
  // place: in another, the clause has another length.
  base::Status PredictStressed(std::span<const int64_t> ids, Place place, const Prosody& prosody,
                               KokoroClause& clause, const onnx::RunOptions* run) const;
  // Decodes the frames from `begin` to `end`, both even. Without `statistics`, the stretch's own
  // normalise it.
  base::Result<Features> Decode(const KokoroClause& clause, size_t begin, size_t end,
                                std::span<const float> statistics, const onnx::RunOptions* run) const;

  std::unique_ptr<onnx::Session> prosody_, decoder_;
  std::shared_ptr<const GeneratorWeights> generator_;
  std::shared_ptr<GeneratorDevice> device_;
  std::shared_ptr<FrontDevice> front_;
  text::PhonemeTable table_;
  int64_t space_ = 0;
};

// The audio of a clause whose end may not be read yet. On the processor, every split into steps gives the same
// samples. On a GPU, a step chooses a window, Submit() starts it together with those of other calls, and the next step
// takes its audio; a window that the GPU refuses, or fails to make, and all that follows it are made on the processor.
class KokoroStream {
 public:
  // The model must outlive the stream.
  KokoroStream(const Kokoro& kokoro, KokoroClause clause, size_t begin, std::span<const float> statistics);

  // Stops the stream before the token's frames, until Continue brings the clause as a whole. Called
  // before the first step.
  void StopBefore(size_t token);
  // Returns whether all frames before the token's were decoded, so that Continue is due.
  bool waits() const { return open_token_ > 0 && decoded_ == until_; }
  void Continue(const KokoroClause& whole);

  // Decodes a stretch, which makes no audio, or appends at least the samples of `frames` more frames, or all
  // that can be made.
  base::Status Step(size_t frames, const onnx::RunOptions* run, std::vector<float>& out);
  bool done() const { return there_ ? there_->done() : here_->done(); }
  const KokoroClause& clause() const { return clause_; }

  // Returns whether a window for the GPU was chosen and its audio is not taken.
  bool pending() const { return there_ && there_->pending(); }
  // Starts what is pending. `done` is called once, on any thread; until then nothing else may be called. A step whose
  // window was not submitted waits for it.
  void Submit(onnx::DeviceWork::Urgency urgency, std::function<void()> done);

 private:
  base::Status DecodeNext(const onnx::RunOptions* run);
  base::Status StepThere(std::vector<float>& out);
  base::Status StepHere(size_t frames, const onnx::RunOptions* run, std::vector<float>& out);
  bool Has(size_t frames) const;

  const Kokoro& kokoro_;
  KokoroClause clause_;
  const std::vector<float> means_;
  std::unique_ptr<GeneratorDeviceStream> there_;  // It is null on the processor.
  bool submitted_ = false;
  std::unique_ptr<GeneratorStream> here_;  // It is null on the GPU.
  size_t skip_ = 0;                        // samples of `here_` that the GPU has made
  size_t open_token_ = 0;                  // 0: the clause is whole
  size_t decoded_, until_;
  size_t stretch_;
};

}  // namespace trunkline::tts
