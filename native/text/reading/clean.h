#pragma once

// What a caller must never hear is taken out before anything reads the text: markup, control and format
// characters, emoji, invalid bytes. Pauses that markup stood for (a line of a list, a heading) become
// punctuation.

#include <string>
#include <string_view>

namespace trunkline::text {

std::string Clean(std::string_view utf8);

}  // namespace trunkline::text
