// The speech spans of the last utterances, for the words' times. Media thread; it allocates when it is made.
#pragma once

#include <span>
#include <vector>

#include "asr/asr.h"

namespace trunkline::hear {

class SpeechSpans {
 public:
  SpeechSpans();

  // Adds the frame of voice activity that ends at this second of the stream.
  void Note(float probability, double end_s);
  std::span<const asr::Span> Since(double start_s) const;

 private:
  std::vector<asr::Span> spans_;
};

}  // namespace trunkline::hear
