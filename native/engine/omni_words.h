// What a caller who speaks under the agent's voice has said so far: a quick look for the barge judge.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "asr/moonshine.h"
#include "asr/transcriber.h"
#include "engine/barge_judge.h"
#include "engine/hear_models.h"
#include "engine/lane.h"

namespace trunkline::engine {

class WordsTask final : public LaneTask {
 public:
  // Of a longer stretch the end is looked at.
  static constexpr size_t kMostSamples = 16000;

  WordsTask(std::shared_ptr<HearModels> models, BargeJudge& judge);
  // Media thread; `samples` at 16 kHz are copied.
  void Prepare(std::span<const float> samples, asr::Language language, uint32_t suspicion);
  Step Run() override;
  void Done(LaneIo& io) override;

 private:
  base::Result<std::string> Recognize();
  Words Judge(const std::string& text) const;
  Words Doubted() const;

  const std::shared_ptr<HearModels> models_;
  BargeJudge& judge_;
  asr::MoonshinePass moonshine_;
  std::vector<float> samples_;
  asr::Language language_ = asr::Language::kEn;
  uint32_t suspicion_ = 0;
  Words words_ = Words::kUnclear;
};

}  // namespace trunkline::engine
