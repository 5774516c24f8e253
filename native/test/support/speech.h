// The recordings that tests read: WAV files of real voices beside the checkout, and how to score words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "test/support/files.h"

namespace trunkline::test {

// TRUNKLINE_SPEECH, or the folder beside the checkout.
inline std::string Recording(const std::string& name) {
  return Environment("TRUNKLINE_SPEECH", std::string(TRUNKLINE_ROOT) + "/../shared/speech") + "/" + name;
}

struct Recorded {
  int rate = 0;
  std::vector<float> samples;
};

// PCM16 mono WAV; anything else gives no samples.
Recorded ReadWav(const std::string& path);

// At 16 kHz, by plain windowed-sinc interpolation: tests only.
std::vector<float> At16k(const Recorded& recorded);

// Lower case, marks removed, split at spaces.
std::vector<std::string> Words(std::string_view text);

// Substitutions, insertions and deletions that turn one into the other.
size_t WordErrors(const std::vector<std::string>& expected, const std::vector<std::string>& heard);

}  // namespace trunkline::test
