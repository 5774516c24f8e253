// Measures what a stream costs on this machine, for admission.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "base/status.h"
#include "lanes/hear/models.h"

namespace trunkline::hear {

// The processor time of the calling thread.
double ProcessorSeconds();

// Returns the thousandths of a core that a stream's finals take when each takes `seconds`, which may be a difference.
int64_t FinalMillicores(double seconds);

// The same of a stream's partials, with as few of them as under load.
int64_t PartialMillicores(double seconds);

// The processor seconds of a final of three seconds, the quickest of several runs.
base::Result<double> FinalSeconds(const Recognizer& recognizer);
// The processor's part of such a final on the GPU; 0 where the recognizer is not there.
base::Result<double> GpuFinalSeconds(const Recognizer& recognizer);
// The processor seconds of a partial, the quickest of several runs.
base::Result<double> PartialSeconds(const QuickRecognizer& quick);

// Each model runs on three seconds of audio, a partial's without decoding, and the thread's processor time
// counts, so that other work on the machine does not. Because caches are shared, the quickest of several runs
// counts. For one thread at a time.
class HearCost {
 public:
  // Runs each model once: about a quarter of a second.
  base::Status Measure(HearModels& models);
  // Runs the next model once more. Returns true while the round goes on.
  base::Result<bool> MeasureNext(HearModels& models);

  // The cost in thousandths of a core of a stream whose caller speaks continuously, with as few partials as
  // under load, or with none. Valid after Measure.
  // `final_seconds` of an added recognizer, or of the GPU; 0: the stock one writes the finals on the processor.
  // `partial_seconds` of an added quick recognizer; 0: the stock one makes the partials.
  uint32_t millicores(bool partials, double final_seconds = 0, double partial_seconds = 0) const;
  // The processor's part of a final on the GPU; 0 without one. Valid after Measure.
  double gpu_final_seconds() const { return on_gpu_; }

 private:
  static constexpr size_t kParts = 4;
  // Seconds; infinite until measured.
  std::array<double, kParts> least_ = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
  size_t next_ = 0;
  double on_gpu_ = 0;
};

}  // namespace trunkline::hear
