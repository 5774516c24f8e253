// The synthesis of one text, a step at a time: a step is a clause's front or one window of audio, so that
// more urgent work can run in between, and the synthesis can stop at any step.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "text/reading/reading.h"
#include "tts/finisher.h"
#include "tts/opening.h"
#include "tts/speech_models.h"
#include "tts/voice.h"
#include "tts/voice_learner.h"

namespace trunkline::tts {

struct SynthesisOptions {
  uint64_t seed = 0;
  // Frames (of 12.5 ms, Piper's of 11.6) in the first window and in the largest; a window grows as long as
  // one step stays short. The samples do not depend on the windows.
  size_t first_window = 16;
  size_t largest_window = 64;
  // Generates everything at once, normalised by its own means: the reference for streaming.
  bool whole = false;
  // A long clause starts to play before all of it is read; off for comparison.
  bool openings = true;
};

class Synthesis {
 public:
  // Reads no dictionary and does not read the text: the first step does both.
  // text::kStress before a word of `text` stresses it, in voices of Kokoro; others ignore it.
  static base::Result<std::unique_ptr<Synthesis>> Open(std::shared_ptr<SpeechModels> models, VoiceSpec voice,
                                                       std::string_view text,
                                                       const SynthesisOptions& options);

  // Appends the next samples, at rate(); a step may append none. kCancelled when `run` was terminated.
  base::Status Step(const onnx::RunOptions* run, std::vector<float>& out);
  bool done() const { return stage_ == Stage::kDone; }
  // Returns whether the next step takes a window from the GPU: see KokoroStream.
  bool pending() const { return stream_ != nullptr && stream_->pending(); }
  void Submit(onnx::DeviceWork::Urgency urgency, std::function<void()> done) {
    stream_->Submit(urgency, std::move(done));
  }
  // Returns whether any sound was output; until then the work has the priority of first audio.
  bool sounded() const { return finisher_ != nullptr && finisher_->sounded(); }
  int rate() const {
    if (voice_.is_added()) return voice_.rate;
    return voice_.model == VoiceModel::kPiper ? kPiperRate : kKokoroRate;
  }
  // The result is in milliseconds.
  int PauseAfter() const { return PauseBehind(clauses_.size()); }
  // Phonemes that were read so far, those of an opening twice.
  size_t tokens_read() const { return tokens_read_; }
  // The starts are samples of the output.
  const std::vector<size_t>& clause_starts() const { return starts_; }

 private:
  // A longer step makes windows shrink, because other lanes wait.
  static constexpr double kStepMs = 40;
  enum class Stage { kText, kCalibrate, kFront, kWindow, kDone };

  Synthesis(std::shared_ptr<SpeechModels> models, VoiceSpec voice, std::string_view text,
            const SynthesisOptions& options)
      : models_(std::move(models)), voice_(std::move(voice)), options_(options), text_(text) {}
  base::Status ReadText();
  base::Status Learn(const onnx::RunOptions* run);
  base::Status BeginClause(const onnx::RunOptions* run, std::vector<float>& out);
  base::Status BeginPiper(const onnx::RunOptions* run);
  base::Status BeginHibari(const onnx::RunOptions* run);
  base::Status BeginGraph(const onnx::RunOptions* run);
  base::Status BeginKokoro(const onnx::RunOptions* run);
  Opening Plan(int64_t space, const OpeningLimits& limits) const;
  base::Result<PiperClause> ReadPiper(size_t tokens, const onnx::RunOptions* run);
  base::Status ReadRest(const onnx::RunOptions* run);
  void ExpectLoudness(size_t frames);
  void Lift(const KokoroClause& clause, size_t from);
  base::Status Window(const onnx::RunOptions* run, std::vector<float>& out);
  bool WaitsForRest() const;
  bool ClauseDone() const;
  base::Status Whole(const onnx::RunOptions* run, std::vector<float>& out);
  base::Status MakeSound(const onnx::RunOptions* run, std::vector<float>& made);
  void PlanWindow(double milliseconds);
  void EndClause(std::vector<float>& out);
  int PauseBehind(size_t count) const;
  std::string EndedText() const;

  std::shared_ptr<SpeechModels> models_;
  VoiceSpec voice_;
  SynthesisOptions options_;
  std::string text_;  // It is empty once it is read.
  text::Accent accent_;
  std::vector<text::Clause> clauses_;
  size_t next_ = 0;  // the clause that is being spoken
  Stage stage_ = Stage::kText;
  std::shared_ptr<const Calibration> calibration_;
  std::shared_ptr<const StyleTable> style_;
  std::unique_ptr<Finisher> finisher_;
  std::unique_ptr<KokoroClause> clause_;  // only with the option `whole`
  std::vector<int64_t> tokens_;           // tokens of the clause
  Prosody prosody_;
  std::unique_ptr<VoiceLearner> learner_;
  std::unique_ptr<KokoroStream> stream_;
  std::shared_ptr<const Piper> piper_;  // outlives its stream
  std::unique_ptr<PiperStream> piper_stream_;
  std::unique_ptr<HibariStream> hibari_stream_;
  std::unique_ptr<MadeSound> made_sound_;  // holds a clause of a Kokoro that the operator added
  size_t unheard_ = 0;                     // samples of the stream before the clause's first sound
  size_t window_ = 0;
  size_t given_ = 0, tokens_read_ = 0;
  std::vector<size_t> starts_;
};

}  // namespace trunkline::tts
