// What a stream of speech costs on this machine, for admission.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "base/status.h"
#include "lanes/hear/models.h"

namespace trunkline::hear {

// Of the calling thread.
double ProcessorSeconds();

// Each model is run on three seconds of sound, a partial's without the words that it writes, and this thread's
// processor time counted: whatever else the machine does now is not the stream's. It shares the caches, though, so
// of several runs the quickest counts.
// For one thread at a time.
class HearCost {
 public:
  // Each model once: a quarter of a second or so.
  base::Status Measure(HearModels& models);
  // The next model once more. True while the round that it belongs to has more.
  base::Result<bool> MeasureNext(HearModels& models);

  // Thousandths of a core that a stream needs whose caller speaks without rest, with as few partials as it
  // may be given under load, or with none. After Measure.
  uint32_t millicores(bool partials) const;

 private:
  static constexpr size_t kParts = 4;
  // Seconds; infinite until measured.
  std::array<double, kParts> least_ = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
  size_t next_ = 0;
};

}  // namespace trunkline::hear
