// What a call costs on this machine, for admission.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "omni/models.h"

namespace trunkline::engine {

// A call hears as a stream does, and its agent speaks a third of the time. A clause is spoken a few times, and
// of the runs the quickest counts: the first one also makes the models' memory.
class OmniCost {
 public:
  // The next step of speaking the clause. True while there is more to be measured. For one thread at a time.
  base::Result<bool> MeasureNext(const OmniModels& models);

  // Thousandths of a core that a call needs whose caller's stream needs `hearing`. Any thread.
  uint32_t millicores(uint32_t hearing) const;

 private:
  static constexpr int kRounds = 3;

  std::unique_ptr<tts::Synthesis> synthesis_;
  std::vector<float> sound_;
  double spent_ = 0;  // seconds of the processor, in this round
  int rounds_ = 0;
  // Seconds of the processor for a second of speech; infinite until measured.
  std::atomic<double> least_ = HUGE_VAL;
};

}  // namespace trunkline::engine
