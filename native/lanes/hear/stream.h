// One stream of speech: its audio, its utterances, and the inference that they need. Every lane with
// recognition uses it. Media thread; it allocates when it is made.
//
//   while audio comes   Push(pcm)
//   for each 32 ms      Frame(item) → voice activity, all lanes in one run → Heard(io, probability)
//   once a tick         Work(io): orders partials and reports results to the listener
//
// Nothing that was pushed is lost: when recognition is behind, ready() is false, the input fills, and the
// pusher sees back-pressure.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "lanes/hear/audio.h"
#include "lanes/hear/listener.h"
#include "lanes/hear/partials.h"
#include "lanes/hear/tasks.h"
#include "vad/vad.h"

namespace trunkline::hear {

class HearStream {
 public:
  HearStream(const HearOptions& options, std::shared_ptr<HearModels> models, HearListener& listener);

  HearAudio& audio() { return audio_; }
  const HearAudio& audio() const { return audio_; }
  // Takes PCM16 at the stream's rate. Returns false when recognition is too far behind.
  bool Push(std::span<const int16_t> pcm) { return audio_.Push(pcm); }
  // Returns whether a frame waits and may be processed: HearAudio::Frame, then Heard.
  bool ready() const;
  void Heard(engine::LaneIo& io, float probability);
  // Once an utterance has had speech above this level, quieter speech does not hold its end back. Nothing: all speech
  // counts.
  void SetSpeechFloor(std::optional<float> dbfs) { floor_dbfs_ = dbfs; }
  void Work(engine::LaneIo& io);

  bool can_commit() const;
  bool speaking() const { return endpointer_.open(); }
  // Ends the open utterance; without one, an empty final still answers a commit. Requires can_commit().
  void Commit(engine::LaneIo& io, vad::EndReason reason);
  bool reported() const;
  // The newest audio at 16 kHz; valid until the stream is used again.
  std::span<const float> Recent(double for_s) {
    return audio_.Range(audio_.seconds() - for_s, audio_.seconds());
  }
  // The language may change from the next utterance on, and the terms from the next text on.
  HearOptions& options() { return options_; }
  void CancelTasks();

  // Results of the tasks, on the media thread.
  void OnEndOfTurn(engine::LaneIo& io, uint32_t pause, std::optional<float> probability);
  void OnPartial(engine::LaneIo& io);
  void OnText(engine::LaneIo& io) {
    TakeSecondPass();
    ReportEagerFinal(io);
    ReportFinals(io);
  }

 private:
  static constexpr size_t kFinals = 6;

  bool HasSpareFinal() const;
  FinalTask* FinalIn(FinalTask::State state) const;
  FinalTask* FreeFinal() const { return FinalIn(FinalTask::State::kFree); }
  FinalTask* EagerFinal() const { return FinalIn(FinalTask::State::kEager); }
  FinalTask* SecondPass() const { return FinalIn(FinalTask::State::kSecondPass); }
  FinalTask* StabilizingFinal() const { return FinalIn(FinalTask::State::kStabilize); }
  FinalTask* SplitFinal() const { return FinalIn(FinalTask::State::kSplit); }
  float AboveFloor(float probability);
  void Follow(engine::LaneIo& io, const vad::EndpointEvents& events);
  void Started(engine::LaneIo& io);
  void StartEagerFinal(engine::LaneIo& io);
  void StartSecondPass(engine::LaneIo& io);
  void TakeSecondPass();
  void ForgetPause();
  void Paused(engine::LaneIo& io);
  void Resumed(engine::LaneIo& io);
  static void Forget(FinalTask* task);
  void Ended(engine::LaneIo& io);
  void Close(FinalTask& task);
  void CloseEmpty(FinalTask& task, uint32_t number, const vad::Utterance& span);
  void EndQuiet();
  void Submit(engine::LaneIo& io, FinalTask& task, double start_s, double end_s);
  void Prepare(engine::LaneIo& io, FinalTask& task, double start_s, double end_s);
  void StartSplitText(engine::LaneIo& io);
  void StabilizeWords();
  void SplitAtSplitPoint(engine::LaneIo& io);
  void ReportEagerFinal(engine::LaneIo& io);
  void ReportFinals(engine::LaneIo& io);

  HearOptions options_;
  const std::shared_ptr<HearModels> models_;
  HearListener& listener_;
  HearAudio audio_;
  vad::Endpointer endpointer_;

  OpenUtterance utterance_;
  uint32_t ended_count_ = 0, reported_count_ = 0;
  // Identifies the silence before the open utterance while a final of it may still come; 0: none may.
  uint32_t quiet_number_ = 0;
  // The second up to which the open utterance was heard when its words were last to become stable.
  double stabilized_at_s_ = 0;
  // Finals cover the stream up to this second.
  double final_s_ = 0;
  std::optional<float> floor_dbfs_;
  double loud_s_ = -1;  // the last speech above the floor
  bool is_eager_reported_ = false;
  bool second_pass_started_ = false;

  TurnTask turn_;
  HearPartials partials_;
  std::array<std::unique_ptr<FinalTask>, kFinals> finals_;
};

}  // namespace trunkline::hear
