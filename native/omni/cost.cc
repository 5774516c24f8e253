#include "omni/cost.h"

#include <algorithm>

namespace trunkline::engine {
namespace {

constexpr const char* kClause = "Thank you for calling, how can I help you today?";
// Of the time of a call.
constexpr double kAgentSpeaks = 1.0 / 3;
// Until speech is measured: what four calls at once took of two cores in bench/omni.
constexpr uint32_t kAssumed = 400;

}  // namespace

base::Result<bool> OmniCost::MeasureNext(const OmniModels& models) {
  if (rounds_ == kRounds) return false;
  if (synthesis_ == nullptr) {
    tts::VoiceSpec voice;
    voice.styles = {{"af_heart", 1}};
    TRUNKLINE_ASSIGN_OR_RETURN(synthesis_, tts::Synthesis::Open(models.speech, voice, kClause, {}));
    sound_.clear();
    spent_ = 0;
  }
  const double began = ProcessorSeconds();
  TRUNKLINE_RETURN_IF_FAILED(synthesis_->Step(nullptr, sound_));
  // Its other threads work as long as this one.
  spent_ += (ProcessorSeconds() - began) * models.speech_threads;
  if (!synthesis_->done()) return true;
  const double said = static_cast<double>(sound_.size()) / synthesis_->rate();
  if (said > 0) least_.store(std::min(least_.load(), spent_ / said), std::memory_order_relaxed);
  synthesis_.reset();
  return ++rounds_ < kRounds;
}

uint32_t OmniCost::millicores(uint32_t hearing) const {
  const double speaking = least_.load(std::memory_order_relaxed);
  if (hearing == 0 || !std::isfinite(speaking)) return kAssumed;
  return hearing +
         static_cast<uint32_t>(std::lround(std::clamp(1000 * kAgentSpeaks * speaking, 1.0, 10'000.0)));
}

}  // namespace trunkline::engine
