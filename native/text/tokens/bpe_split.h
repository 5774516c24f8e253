// Splits text before byte-level BPE joins bytes: words with the space before them, runs of digits, runs of
// punctuation.
#pragma once

#include <string_view>
#include <vector>

namespace trunkline::text {

// The pieces are consecutive and together are `utf8`.
std::vector<std::string_view> SplitForBpe(std::string_view utf8);

}  // namespace trunkline::text
