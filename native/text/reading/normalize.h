#pragma once

// Converts a customer's text to words that a voice can say: removes markup and writes numbers and names in
// full.

#include <string>
#include <string_view>

#include "text/reading/reader.h"

namespace trunkline::text {

std::string Normalize(std::string_view utf8, Lang lang);

}  // namespace trunkline::text
