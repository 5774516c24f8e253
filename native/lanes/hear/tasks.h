// The inference that a stream of speech asks for. Each task holds its own copy of what it reads, so that the
// lane goes on meanwhile; the copies live in memory reserved when the lane opens.
#pragma once

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

// The longest stretch that a task is given: the cap of an utterance, its lead, and some frames.
inline constexpr size_t kTaskSamples = 17 * 16000;
inline constexpr size_t kTaskFrames = kTaskSamples / asr::kHeardSamples + 1;
inline constexpr size_t kPrefixBytes = 4096;
// Texts that a final's beam follows.
inline constexpr size_t kFinalWidth = 5;

class HearStream;

// Whether the speaker has finished.
class TurnTask final : public engine::LaneTask {
 public:
  TurnTask(HearStream& stream, HearModels& models);
  void Prepare(std::span<const float> samples, uint32_t pause);
  Step Run() override;
  void Done(engine::LaneIo& io) override;

 private:
  HearStream& stream_;
  HearModels& models_;
  std::vector<float> samples_;
  uint32_t pause_ = 0;
  std::optional<float> probability_;
};

// The words of an utterance that goes on.
class PartialTask final : public engine::LaneTask {
 public:
  // `promises`: settled words are told, so that only those count of which the model was sure.
  PartialTask(HearStream& stream, HearModels& models, bool promises);

  // `language` empty: the pass finds it. `settles`: what it says counts for which words are settled; passes
  // that follow each other at once agree too easily.
  // Words that sound like a term of `vocabulary` (null: none) are not settled: the final may mend them.
  void Prepare(std::span<const float> samples, uint32_t utterance, std::optional<asr::Language> language,
               double end_s, bool settles, std::shared_ptr<const asr::Vocabulary> vocabulary, int64_t now);
  Step Run() override;
  void Done(engine::LaneIo& io) override;

  uint32_t utterance() const { return utterance_; }
  double end_s() const { return end_s_; }
  const std::string& text() const { return text_; }
  const std::string& settled() const { return settled_; }
  bool settled_more() const { return settled_more_; }
  std::optional<asr::Language> language() const { return language_; }
  int64_t submitted_at() const { return submitted_at_; }

 private:
  Step RunMoonshine();
  Step RunWhisper();
  // Of the words, the first `sure` may be settled.
  void Take(const std::string& text, size_t sure);

  HearStream& stream_;
  HearModels& models_;
  asr::MoonshinePass moonshine_;
  std::unique_ptr<asr::Transcriber> whisper_;
  asr::StablePrefix prefix_;
  std::vector<int32_t> settled_tokens_;
  std::vector<float> samples_;
  bool settles_ = true;
  std::shared_ptr<const asr::Vocabulary> vocabulary_;
  uint32_t utterance_ = 0;
  std::optional<asr::Language> language_;
  double end_s_ = 0;
  int64_t submitted_at_ = 0;
  bool begun_ = false;
  bool settled_more_ = false;
  std::string text_;
  std::string settled_;
};

// The one text of an utterance. Begun as a guess when speech pauses, and kept if the pause turns out to be
// the end; or begun as a split before the utterance grows too long, and cut between two words.
class FinalTask final : public engine::LaneTask {
 public:
  enum class State {
    kFree,
    kGuess,      // running, or done, for an utterance that is still open
    kSplit,       // the same, to be cut there
    kVoid,       // running for nothing: speech went on
    kUtterance,  // the utterance has ended; not written yet
  };

  FinalTask(HearStream& stream, HearModels& models);

  void Prepare(std::span<const float> samples, double start_s, std::span<const asr::Span> speech,
               const std::string& prefix, const asr::TranscribeOptions& options);
  // After Prepare: the text will be cut, as it is known of each frame how loud it was.
  void PrepareSplit(double first_s);
  std::vector<asr::Heard>& frames() { return frames_; }
  // A text that needs no model: none.
  void PrepareEmpty(double at_s);
  Step Run() override;
  void Done(engine::LaneIo& io) override;

  State state = State::kFree;
  uint32_t utterance_number = 0;
  vad::Utterance utterance;
  bool told = false;  // its speech_final has been written
  std::string shown;  // what had been shown of it when it ended

  // The words are there. With a failure they are not, and will not be.
  bool ready() const { return ready_; }
  const base::Status& status() const { return status_; }
  const asr::Transcript& transcript() const { return transcript_; }
  // Where the audio of the text ends, in seconds of the stream: of a split, once it is ready, at the split.
  double end_s() const { return end_s_; }

 private:
  void CutText();

  HearStream& stream_;
  HearModels& models_;
  std::unique_ptr<asr::Transcriber> transcriber_;
  std::vector<float> samples_;
  std::vector<asr::Span> speech_;
  asr::TranscribeOptions options_;
  std::vector<asr::Heard> frames_;
  double first_frame_s_ = 0;
  bool cuts_ = false;
  double start_s_ = 0, end_s_ = 0;
  bool begun_ = false;
  bool ready_ = false;
  base::Status status_;
  asr::Transcript transcript_;
};

}  // namespace trunkline::hear
