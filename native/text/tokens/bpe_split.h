// How byte-level BPE cuts text before it joins bytes: words with the space before them, runs of digits, runs
// of marks.
#pragma once

#include <string_view>
#include <vector>

namespace trunkline::text {

// The pieces follow one another and together are `utf8`.
std::vector<std::string_view> SplitForBpe(std::string_view utf8);

}  // namespace trunkline::text
