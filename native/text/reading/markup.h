// Removes tags and entities from a text that is to be spoken.
#pragma once

#include <vector>

namespace trunkline::text {

using Codes = std::vector<char32_t>;

// The text between tags, with every entity as the character that it names.
Codes WithoutMarkup(Codes codes);

}  // namespace trunkline::text
