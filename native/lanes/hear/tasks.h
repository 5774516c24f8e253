// The inference tasks of a stream. Each task copies its input into memory that is reserved when the lane
// opens, so that the lane goes on meanwhile.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "asr/asr.h"
#include "engine/engine.h"
#include "lanes/hear/models.h"
#include "vad/vad.h"

namespace trunkline::hear {

// The longest input of a task: the cap of an utterance, its lead, and some frames.
inline constexpr size_t kTaskSamples = 17 * 16000;
inline constexpr size_t kTaskFrames = kTaskSamples / asr::kHeardSamples + 1;
inline constexpr size_t kPrefixBytes = 4096;
inline constexpr size_t kFinalWidth = 5;

class HearStream;

class TurnTask final : public engine::LaneTask {
 public:
  TurnTask(HearStream& stream, HearModels& models);
  void Prepare(std::span<const float> samples, uint32_t pause);
  Step Run() override;
  void Wait(std::function<void()> resume) override;
  void Done(engine::LaneIo& io) override;

 private:
  HearStream& stream_;
  HearModels& models_;
  vad::TurnWork on_gpu_;
  bool submitted_ = false;
  std::vector<float> samples_;
  uint32_t pause_ = 0;
  std::optional<float> probability_;
};

// Recognizes the words of an utterance that goes on.
class PartialTask final : public engine::LaneTask {
 public:
  // `quick` makes the partials of English.
  PartialTask(HearStream& stream, HearModels& models, const QuickRecognizer& quick);

  // `samples` are the utterance's from `start_s` to `end_s`. Without `language`, the pass identifies it. `agrees`:
  // later passes take as given the words on which this one and the last agree, to decode fewer; passes in quick
  // succession agree too easily.
  void Prepare(std::span<const float> samples, uint32_t utterance, std::optional<asr::Language> language,
               double start_s, double end_s, bool agrees, std::shared_ptr<const asr::Vocabulary> vocabulary,
               int64_t now);
  Step Run() override;
  void Wait(std::function<void()> resume) override {
    whisper_ ? whisper_->Submit(std::move(resume)) : moonshine_.Submit(std::move(resume));
  }
  void Done(engine::LaneIo& io) override;

  uint32_t utterance() const { return utterance_; }
  double start_s() const { return start_s_; }
  double end_s() const { return end_s_; }
  const std::string& text() const { return text_; }
  std::optional<asr::Language> language() const { return language_; }
  int64_t submitted_at() const { return submitted_at_; }

 private:
  Step RunMoonshine();
  Step RunWhisper();
  // Returns whether later passes are given more words.
  bool Take(const std::string& text);

  HearStream& stream_;
  HearModels& models_;
  asr::MoonshinePass moonshine_;
  std::unique_ptr<asr::Transcriber> whisper_;
  asr::StablePrefix prefix_;
  std::vector<int32_t> given_tokens_;
  std::string given_;
  std::vector<float> samples_;
  bool agrees_ = true;
  std::shared_ptr<const asr::Vocabulary> vocabulary_;
  uint32_t utterance_ = 0;
  std::optional<asr::Language> language_;
  double start_s_ = 0, end_s_ = 0;
  int64_t submitted_at_ = 0;
  bool begun_ = false;
  std::string text_;
};

// Recognizes the text of an utterance. It begins as an eager final when speech pauses and becomes final if the
// pause is the end, or it begins as a split before the utterance grows too long and is cut between two
// words. A text whose words become stable is cut the same way: the utterance goes on, and begins with its words.
class FinalTask final : public engine::LaneTask {
 public:
  enum class State {
    kFree,
    kEager,       // running, or done, for an utterance that is still open
    kSecondPass,  // the same; it heard more of the silence, and replaces the eager final
    kStabilize,   // the same; its words before the cut become stable
    kSplit,       // the same; the utterance is split within it
    kVoid,        // running, but discarded: speech went on
    kUtterance,   // the utterance has ended; not written yet
  };

  FinalTask(HearStream& stream, HearModels& models);

  void Prepare(std::span<const float> samples, double start_s, std::span<const asr::Span> speech,
               const std::string& prefix, const asr::TranscribeOptions& options,
               const std::shared_ptr<Recognizer>& recognizer, int64_t now);
  // Called after Prepare when the text will be cut; the level of each frame is known.
  void PrepareSplit(double first_s);
  std::vector<asr::SpeechFrame>& frames() { return frames_; }
  // An empty text, which needs no model.
  void PrepareEmpty(double at_s);
  Step Run() override;
  void Wait(std::function<void()> resume) override { transcriber_->Submit(std::move(resume)); }
  void Done(engine::LaneIo& io) override;

  State state = State::kFree;
  uint32_t utterance_number = 0;
  vad::Utterance utterance;
  bool reported = false;  // its speech_final has been written
  std::string shown;

  // Returns whether the words are there. After a failure they never are.
  bool ready() const { return ready_; }
  const base::Status& status() const { return status_; }
  const asr::Transcript& transcript() const { return transcript_; }
  // The second of the stream at which the audio of the text ends; for a text that is cut, at the cut.
  double end_s() const { return end_s_; }
  // The words before the cut that no later audio changes, and where their audio ends in the stream. Words followed them,
  // so they are whole, and nothing is spelled there. Empty where there are none.
  const std::string& stable_text() const { return stable_text_; }
  double stable_to_s() const { return stable_to_s_; }
  // The seconds from its order to its result.
  double latency_s() const { return latency_s_; }

 private:
  void SplitText();
  void GiveBack();

  HearStream& stream_;
  HearModels& models_;
  std::shared_ptr<Recognizer> recognizer_;
  std::unique_ptr<asr::Transcriber> transcriber_;
  std::vector<float> samples_;
  std::vector<asr::Span> speech_;
  asr::TranscribeOptions options_;
  std::vector<asr::SpeechFrame> frames_;
  double first_frame_s_ = 0;
  bool splits_ = false;
  std::string stable_text_;
  double stable_to_s_ = 0;
  double start_s_ = 0, end_s_ = 0;
  int64_t submitted_at_ = 0;
  double latency_s_ = 0;
  bool begun_ = false;
  bool ready_ = false;
  base::Status status_;
  asr::Transcript transcript_;
};

}  // namespace trunkline::hear
