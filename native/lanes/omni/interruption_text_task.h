// What a caller who speaks under the agent's voice has said so far: a quick look for the barge judge.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "asr/asr.h"
#include "engine/engine.h"
#include "lanes/hear/hear.h"
#include "lanes/omni/barge_judge.h"
#include "lanes/omni/backchannel_model.h"

namespace trunkline::omni {

class InterruptionTextTask final : public engine::LaneTask {
 public:
  // Of a longer stretch the end is looked at.
  static constexpr size_t kMostSamples = 16000;

  InterruptionTextTask(std::shared_ptr<hear::HearModels> models, BackchannelNets listening, BargeJudge& judge);
  // Media thread; `samples` at 16 kHz are copied. With `confidence_margin` (0 to 1) only a clear answer is one: it
  // will be asked again.
  void Prepare(std::span<const float> samples, asr::Language language, uint32_t suspicion, float confidence_margin);
  Step Run() override;
  void Done(engine::LaneIo& io) override;

  // Media thread. The first moments of the sound that was last looked at sound so much like a sign of
  // listening that what is written of it afterwards doesn't count: of a hum recognizers write other words. Of
  // what left-out speakers mean to say one in thirty does, of signs of listening five in six.
  bool is_surely_backchannel() const { return is_surely_backchannel_; }

 private:
  enum class Stage : uint8_t { kFresh, kScored, kWriting };

  // Each is one step of a model; false: there is more to do. A failure leaves the words unclear.
  base::Result<bool> Score();
  // Whisper's rows of what is looked at; none where another model stands in the place of the one that was
  // learnt with.
  base::Result<std::span<const float>> HeardByWhisper();
  base::Result<bool> WriteScored();
  base::Result<bool> Write();
  base::Result<bool> WriteInWhisper();
  // Of the words that were written in the first moments, where the score was close to even.
  Words WeighWritten() const;
  bool SoundsLikeListening() const;
  // Whether the score was learnt from sounds like this one.
  bool scored() const;
  bool says() const;
  Words Judge(const std::string& text) const;
  Words Doubted() const;

  const std::shared_ptr<hear::HearModels> models_;
  const BackchannelNets listening_;
  BargeJudge& judge_;
  asr::MoonshinePass moonshine_;
  asr::WhisperRows whisper_rows_;
  std::unique_ptr<asr::Transcriber> whisper_;  // while it writes
  std::vector<float> samples_;
  asr::Language language_ = asr::Language::kEn;
  uint32_t suspicion_ = 0;
  float confidence_margin_ = 0;
  bool watching_ = false;  // it was let pass, and may turn out to be more
  Stage stage_ = Stage::kFresh;
  TextVerdict words_ = TextVerdict::kUnclear;
  bool sure_ = false;
  uint32_t scored_suspicion_ = 0;
  float scores_ = 0;
  int looks_ = 0;
  float evidence_ = 0;  // the scores so far, each look with half the weight of the next
  bool is_surely_backchannel_ = false;
};

}  // namespace trunkline::omni
