// Runs voice activity for all lanes of one kind and media thread, in one model run for each rate.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "lanes/hear/stream.h"
#include "vad/vad.h"

namespace trunkline::hear {

// Frames of one lane in one tick: audio that comes faster than real time is processed at up to 25 times it.
inline constexpr int kHeardPerTick = 8;
// A HearingLane has stream(), voice_activity(), TakeInput(io) before its frames are processed and Finish(io)
// after.
template <typename HearingLane>
class HearGroup final : public engine::LaneGroup {
 public:
  void Tick(std::span<const Member> members) override {
    // The group is made before the models are open, so it takes them from its first lane.
    if (!silero_ && !members.empty()) silero_.emplace(Of(members[0]).voice_activity());
    for (const Member& member : members) Of(member).TakeInput(*member.io);
    for (int round = 0; round < kHeardPerTick; ++round) {
      const bool any = Hear(vad::VadRate::k16k, members) | Hear(vad::VadRate::k8k, members);
      if (!any) break;
    }
    for (const Member& member : members) Of(member).Finish(*member.io);
  }

 private:
  static HearingLane& Of(const Member& member) { return static_cast<HearingLane&>(*member.lane); }

  bool Hear(vad::VadRate rate, std::span<const Member> members) {
    items_.clear();
    heard_.clear();
    for (const Member& member : members) {
      HearStream& stream = Of(member).stream();
      if (stream.audio().vad_rate() != rate || !stream.ready()) continue;
      stream.audio().Frame(items_.emplace_back());
      heard_.push_back(&member);
    }
    if (items_.empty()) return false;
    // Without voice activity a stream would never end an utterance, so each lane closes with the error.
    const bool ok = silero_->Run(rate, items_).ok();
    for (size_t i = 0; i < heard_.size(); ++i) {
      if (ok) {
        Of(*heard_[i]).stream().Heard(*heard_[i]->io, items_[i].probability);
      } else {
        heard_[i]->io->Finish(base::Code::kInference);
      }
    }
    return ok;
  }

  std::optional<vad::Silero> silero_;
  std::vector<vad::VadItem> items_;
  std::vector<const Member*> heard_;
};

}  // namespace trunkline::hear
