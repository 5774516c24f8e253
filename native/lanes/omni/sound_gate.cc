#include "lanes/omni/sound_gate.h"

namespace trunkline::omni {

void SoundGate::Tick(float level_dbfs, bool speech) {
  const bool loud = levels_ && speech && level_dbfs >= levels_->loud_dbfs;
  const bool sure = levels_ && speech && level_dbfs >= levels_->sure_dbfs;
  speech_ = speech_ << 1 | static_cast<uint64_t>(speech);
  loud_ = loud_ << 1 | static_cast<uint64_t>(loud);
  sure_ = sure_ << 1 | static_cast<uint64_t>(sure);
  // Speech after a pause as long as the window is another sound.
  if ((speech_ & kWindow) == 0) voice_ = Voice::kUnknown;
}

bool SoundGate::holds_back() const {
  if (!levels_ || voice_ == Voice::kCallers) return false;
  return Ms(voice_ == Voice::kOthers ? sure_ : loud_) < kPassesMs;
}

}  // namespace trunkline::omni
