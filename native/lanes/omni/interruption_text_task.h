// Recognizes the caller's words so far under the agent's voice: a quick result for the barge-in
// detector.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "asr/asr.h"
#include "engine/engine.h"
#include "lanes/hear/hear.h"
#include "lanes/omni/backchannel_model.h"
#include "lanes/omni/barge_in_detector.h"

namespace trunkline::omni {

class InterruptionTextTask final : public engine::LaneTask {
 public:
  // Only the end of a longer sound is recognized.
  static constexpr size_t kMaxSamples = 16000;

  InterruptionTextTask(std::shared_ptr<hear::HearModels> models, BackchannelNets listening,
                       BargeInDetector& detector);
  // Media thread. Copies `samples` (16 kHz). `confidence_margin` (0 to 1) is how far from even odds the score
  // must be; an unclear answer is asked for again.
  void Prepare(std::span<const float> samples, asr::Language language, uint32_t suspicion,
               float confidence_margin);
  Step Run() override;
  void Done(engine::LaneIo& io) override;

  // Media thread. Whether the first moments of the sound are so much like a backchannel that its later text
  // does not count, because recognizers turn a hum into other words. This holds for one in thirty turns of
  // held-out speakers and for five in six backchannels.
  bool is_surely_backchannel() const { return is_surely_backchannel_; }

 private:
  enum class Stage : uint8_t { kFresh, kScored, kWriting };

  // Each is one step of a model and returns false while there is more to do. A failure leaves the answer
  // unclear.
  base::Result<bool> Score();
  // Returns Whisper's encoder rows, or none when the model differs from the one the nets were trained with.
  base::Result<std::span<const float>> ReadWhisperFeatures();
  base::Result<bool> WriteScored();
  base::Result<bool> Write();
  base::Result<bool> WriteInWhisper();
  // Weighs the decoded text where the score was close to even odds.
  TextVerdict WeighWritten() const;
  bool SoundsLikeBackchannel() const;
  // Returns whether the score was trained on sounds like this one.
  bool scored() const;
  bool says() const;
  TextVerdict Judge(const std::string& text) const;
  TextVerdict VerdictOfFirstWord() const;

  const std::shared_ptr<hear::HearModels> models_;
  const BackchannelNets listening_;
  BargeInDetector& detector_;
  asr::MoonshinePass moonshine_;
  asr::WhisperFeatures whisper_features_;
  std::unique_ptr<asr::Transcriber> whisper_;
  std::vector<float> samples_;
  asr::Language language_ = asr::Language::kEn;
  uint32_t suspicion_ = 0;
  float confidence_margin_ = 0;
  bool watching_ = false;  // the sound was judged a backchannel, and may turn out to be more
  Stage stage_ = Stage::kFresh;
  TextVerdict words_ = TextVerdict::kUnclear;
  bool sure_ = false;
  uint32_t scored_suspicion_ = 0;
  float scores_ = 0;
  int score_count_ = 0;
  float evidence_ = 0;  // the scores so far, each with half the weight of the next
  bool is_surely_backchannel_ = false;
};

}  // namespace trunkline::omni
