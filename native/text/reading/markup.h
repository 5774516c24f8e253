// Takes tags and entities out of a text that is to be read aloud.
#pragma once

#include <vector>

namespace trunkline::text {

// Code points.
using Codes = std::vector<char32_t>;

// What stands between tags, with every entity as the character that it names.
Codes WithoutMarkup(Codes codes);

}  // namespace trunkline::text
