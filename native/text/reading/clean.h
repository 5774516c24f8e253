#pragma once

// Removes what must not be spoken before anything reads the text: markup, control and format characters,
// emoji, invalid bytes. Pauses of markup (a list item, a heading) become punctuation.

#include <string>
#include <string_view>

namespace trunkline::text {

std::string Clean(std::string_view utf8);

}  // namespace trunkline::text
