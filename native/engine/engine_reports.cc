#include <algorithm>

#include "base/heap.h"
#include "base/pages.h"
#include "engine/engine.h"
#include "engine/preparation.h"

namespace trunkline::engine {

EngineStats Engine::stats() const {
  EngineStats stats;
  stats.slots = slots_.size();
  stats.lanes = slots_.live();
  stats.jobs = static_cast<uint32_t>(jobs_.live());
  stats.memory = {jobs_.memory(), base::Pages::held(), onnx::Session::open_bytes(), memory_.held(),
                  base::HeapNow()};
  stats.capacity = Limit();
  stats.used = admission_.used();
  stats.traffic = traffic_;
  stats.wakes = gate_.wakes();
  for (const auto& loop : loops_) {
    const MediaStats media = loop->stats();
    stats.media.ticks += media.ticks;
    stats.media.missed += media.missed;
    stats.media.total_nanos += media.total_nanos;
    stats.media.longest_nanos = std::max(stats.media.longest_nanos, media.longest_nanos);
  }
  stats.pool = pool_.stats();
  return stats;
}

std::vector<KindReport> Engine::kinds() const {
  std::vector<KindReport> reports;
  for (size_t i = 0; i < preparations_.size(); ++i) {
    const bool lane = i < kinds_.lanes().size();
    const Preparation& preparation = *preparations_[i];
    reports.push_back(
        {preparation.name(), lane, preparation.readiness(), preparation.status(),
         lane ? kinds_.lanes()[i]->cost() : 0, lane ? live_by_kind_[i] : 0,
         lane ? kinds_.lanes()[i]->counts() : std::vector<Count>(),
         lane && preparation.readiness() == Readiness::kReady && kinds_.lanes()[i]->IsGpuFull()});
  }
  return reports;
}

}  // namespace trunkline::engine
