// Says whether words were lost or doubled where one text ends and the next begins.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "test/support/speech.h"

namespace trunkline::test {

// Aligns `expected` and `heard` at the least cost and returns the places in `heard` of extra words, and those
// before which a word is missing.
inline std::vector<size_t> Unpaired(const std::vector<std::string>& expected,
                                    const std::vector<std::string>& heard) {
  const size_t width = heard.size() + 1;
  std::vector<size_t> cost((expected.size() + 1) * width);
  const auto at = [&](size_t i, size_t j) -> size_t& { return cost[i * width + j]; };
  for (size_t i = 0; i <= expected.size(); ++i) {
    for (size_t j = 0; j < width; ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = i + j;
        continue;
      }
      at(i, j) = std::min(
          {at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (expected[i - 1] != heard[j - 1])});
    }
  }
  std::vector<size_t> places;
  for (size_t i = expected.size(), j = heard.size(); i > 0 || j > 0;) {
    if (i > 0 && j > 0 && at(i, j) == at(i - 1, j - 1) + (expected[i - 1] != heard[j - 1])) {
      --i, --j;
    } else if (j > 0 && at(i, j) == at(i, j - 1) + 1) {
      places.push_back(--j);
    } else {
      places.push_back(j);
      --i;
    }
  }
  return places;
}

// Words that were lost or doubled within three words of where one text ends and the next begins. A word heard
// as another is no fault of the seam.
inline size_t SeamFaults(const std::string& expected, const std::vector<std::string>& texts) {
  constexpr size_t kSearch = 3;
  std::vector<std::string> heard;
  std::vector<size_t> seams;
  for (const std::string& text : texts) {
    if (!heard.empty()) seams.push_back(heard.size());
    for (std::string& word : ScoredWords(text)) heard.push_back(std::move(word));
  }
  size_t faults = 0;
  for (const size_t at : Unpaired(ScoredWords(expected), heard)) {
    faults += std::any_of(seams.begin(), seams.end(),
                          [&](size_t seam) { return at + kSearch >= seam && at < seam + kSearch; });
  }
  return faults;
}

// Speech at 16 kHz in which nobody pauses: what is 35 dB under the louder parts for longer than 80 ms is left
// out.
inline std::vector<float> WithoutPauses(const std::vector<float>& samples) {
  constexpr size_t kFrame = 160, kMaxQuiet = 8;
  std::vector<float> levels;
  for (size_t at = 0; at + kFrame <= samples.size(); at += kFrame) {
    float power = 0;
    for (size_t i = at; i < at + kFrame; ++i) power += samples[i] * samples[i];
    levels.push_back(10 * std::log10(power / kFrame + 1e-12f));
  }
  if (levels.empty()) return samples;
  std::vector<float> sorted = levels;
  std::sort(sorted.begin(), sorted.end());
  const float least = sorted[sorted.size() * 95 / 100] - 35;
  std::vector<float> out;
  size_t quiet = 0;
  for (size_t frame = 0; frame < levels.size(); ++frame) {
    quiet = levels[frame] < least ? quiet + 1 : 0;
    const auto first = samples.begin() + static_cast<ptrdiff_t>(frame * kFrame);
    if (quiet <= kMaxQuiet) out.insert(out.end(), first, first + kFrame);
  }
  return out;
}

}  // namespace trunkline::test
