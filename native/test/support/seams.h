// Whether words were lost or doubled where one text ends and the next begins.
#pragma once

#include "test/support/speech.h"

namespace trunkline::test {

// Of the cheapest way from `expected` to `heard`: the places in `heard` of words that are too many, and those
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
  constexpr size_t kReach = 3;
  std::vector<std::string> heard;
  std::vector<size_t> seams;
  for (const std::string& text : texts) {
    if (!heard.empty()) seams.push_back(heard.size());
    for (std::string& word : ScoredWords(text)) heard.push_back(std::move(word));
  }
  size_t faults = 0;
  for (const size_t at : Unpaired(ScoredWords(expected), heard)) {
    faults += std::any_of(seams.begin(), seams.end(),
                          [&](size_t seam) { return at + kReach >= seam && at < seam + kReach; });
  }
  return faults;
}

}  // namespace trunkline::test
