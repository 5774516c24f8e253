// One stream of speech in work: its audio, where utterances begin and end, and the inference that each asks
// for. Used by every lane that hears. Media thread; what it needs is reserved when it is made.
//
//   while audio comes   Push(pcm)
//   for each 32 ms      Frame(item) → voice activity, all lanes in one run → Heard(io, probability)
//   once a tick         Work(io): partials are ordered, what is known is told to the listener
//
// Nothing that was pushed is lost: when recognition is behind, the stream takes no more frames (ready() is
// false), its input fills, and the pusher is told.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "dsp/resampler.h"
#include "engine/hear_tasks.h"
#include "vad/endpointer.h"
#include "vad/silero.h"

namespace trunkline::engine {

struct HearOptions {
  int rate = 16000;
  // Empty: found anew for each utterance.
  std::optional<asr::Language> language;
  double endpointing_s = 0.5;
  // How far the endpointer moves that: see vad::EndpointerOptions.
  double least_wait = 0.9, most_wait = 1.5, undecided = 0.5;
  bool partials = true;
  // The text of a pause is begun with its first frame, not when it is sure to be one: sooner there, and more
  // often in vain.
  bool eager = false;
  // The words' own times are told.
  bool word_times = true;
  float temperature = 0;
  uint64_t seed = 0;
  std::shared_ptr<const asr::Vocabulary> vocabulary;
};

// What a stream tells its lane. False: no room to say it now; it is said again on the next tick.
class HearListener {
 public:
  virtual ~HearListener() = default;
  virtual void Started(LaneIo&, uint32_t /*utterance*/, double /*start_s*/) {}
  // Speech has paused, and this is what a final would say if the pause were the end.
  virtual void Guessed(LaneIo&, uint32_t /*utterance*/, double /*start_s*/, double /*speech_end_s*/,
                       const std::string& /*text*/) {}
  // The pause was not the end: what was guessed is void.
  virtual void Resumed(LaneIo&, uint32_t /*utterance*/) {}
  // Only the latest counts: these may be lost.
  virtual void Partial(LaneIo& io, uint32_t utterance, double start_s, double end_s,
                       const std::string& text) = 0;
  virtual bool Stable(LaneIo& io, uint32_t utterance, double start_s, double end_s,
                      const std::string& text) = 0;
  // The moment of the endpoint, with the words as they are known then. `known`: there will be no more.
  virtual bool SpeechFinal(LaneIo& io, uint32_t utterance, const vad::Utterance& span,
                           const std::string& text, bool known) = 0;
  virtual bool Final(LaneIo& io, uint32_t utterance, const vad::Utterance& span,
                     const asr::Transcript& transcript) = 0;
  // In the place of Final: the words are lost.
  virtual bool Failed(LaneIo& io, uint32_t utterance, const vad::Utterance& span,
                      const base::Status& status) = 0;
};

class HearStream {
 public:
  HearStream(const HearOptions& options, std::shared_ptr<HearModels> models, HearListener& listener);

  // PCM16 at the stream's rate. False when recognition is too far behind to take it.
  bool Push(std::span<const int16_t> pcm);
  bool takes() const { return pending_.size() - pending_first_ <= kMostPending; }
  vad::VadRate vad_rate() const { return vad_rate_; }
  // A frame waits and can be taken.
  bool ready() const;
  // Points `item` at the oldest frame. Heard() follows before the next.
  void Frame(vad::VadItem& item);
  void Heard(LaneIo& io, float probability);
  void Work(LaneIo& io);

  // Whether an utterance could be ended now.
  bool can_commit() const;
  // No whole frame waits.
  bool heard_all() const { return pending_.size() - pending_first_ < vad::FrameSamples(vad_rate_); }
  // An utterance is open.
  bool speaking() const { return endpointer_.open(); }
  // Ends the utterance that is open; with none open, an empty final still answers a commit. can_commit()
  // holds.
  void Commit(LaneIo& io, vad::EndReason reason);
  // All that was said has been told.
  bool told() const;
  double seconds() const { return static_cast<double>(total_) / kRate; }
  // Of voice activity: frames heard so far, and the answer of the last of so many, which was not long ago.
  uint64_t frames() const { return frames_; }
  float probability(uint64_t frames) const {
    return frames == 0 ? 0 : heard_[(frames - 1) % kHistory].speech;
  }
  double heard_s() const { return static_cast<double>(frames_) * vad::kFrameSeconds; }
  // The newest audio at 16 kHz; valid until the stream is used again.
  std::span<const float> Recent(double for_s) { return Range(seconds() - for_s, seconds()); }
  // From the next utterance on.
  void SetLanguage(std::optional<asr::Language> language) { options_.language = language; }
  void CancelTasks();

  // From the tasks, on the media thread.
  void TurnKnown(uint32_t pause, float probability) { endpointer_.Finished(pause, probability); }
  void PartialKnown(LaneIo& io);
  void TextKnown(LaneIo& io) {
    TellGuess(io);
    TellFinals(io);
  }

 private:
  static constexpr double kRate = 16000;
  static constexpr size_t kRing = 1 << 19;  // 32 s
  static constexpr size_t kFinals = 4;
  static constexpr size_t kMostPending = 3 * 16000;
  static constexpr size_t kHistory = 1024;  // frames: as long as the ring

  std::span<const float> Range(double start_s, double end_s);
  FinalTask* FinalIn(FinalTask::State state) const;
  FinalTask* FreeFinal() const { return FinalIn(FinalTask::State::kFree); }
  FinalTask* Guess() const { return FinalIn(FinalTask::State::kGuess); }
  FinalTask* Seam() const { return FinalIn(FinalTask::State::kSeam); }
  void Follow(LaneIo& io, const vad::EndpointEvents& events);
  void Started(LaneIo& io);
  void BeginGuess(LaneIo& io);
  void Paused(LaneIo& io);
  void Resumed(LaneIo& io);
  static void Forget(FinalTask* task);
  void Ended(LaneIo& io);
  void Close(FinalTask& task);
  void Submit(LaneIo& io, FinalTask& task, double start_s, double end_s);
  void Prepare(FinalTask& task, double start_s, double end_s);
  void OrderSeam(LaneIo& io);
  void CutAtSeam(LaneIo& io);
  void NoteSpeech(float probability, double end_s);
  void OrderPartial(LaneIo& io);
  bool Sure(std::string_view text);
  void TellGuess(LaneIo& io);
  void TellFinals(LaneIo& io);

  HearOptions options_;
  const std::shared_ptr<HearModels> models_;
  HearListener& listener_;
  const vad::VadRate vad_rate_;
  std::optional<dsp::Resampler> resampler_;
  vad::VadState vad_state_;
  vad::Endpointer endpointer_;

  std::vector<float> ring_;  // 16 kHz
  uint64_t total_ = 0;
  std::vector<float> pending_;  // at the rate of voice activity, not heard yet
  size_t pending_first_ = 0;
  std::vector<float> scratch_, resampled_, range_;
  uint64_t frames_ = 0;
  std::vector<asr::Heard> heard_;  // of the last frames, by frame number

  uint32_t utterance_ = 0;
  uint32_t ended_count_ = 0, told_count_ = 0;
  std::vector<asr::Span> speech_;
  std::optional<asr::Language> utterance_language_;
  std::string settled_;
  std::string partial_text_;
  bool stable_waits_ = false;
  double stable_end_s_ = 0;
  double partial_at_s_ = 0;
  double partial_cost_s_ = 0;
  std::string first_word_;  // of the last pass, while no partial has been told
  bool sure_ = false;
  bool guess_told_ = false;

  TurnTask turn_;
  PartialTask partial_;
  std::array<std::unique_ptr<FinalTask>, kFinals> finals_;
};

}  // namespace trunkline::engine
