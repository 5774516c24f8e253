// Words by which a listener shows that they listen ("mhm", "right") and does not ask for the turn.
#pragma once

#include <cstddef>
#include <string_view>

namespace trunkline::text {

enum class Utterance { kNothing, kBackchannel, kTurn };

// `language` is a code of two letters; another one knows the wordless signs alone. What stands in brackets or
// between asterisks describes a sound and is not said. Realtime: no allocation after the first.
Utterance ClassifyUtterance(std::string_view text, std::string_view language);

// The same of the first moments of an utterance, as a quick recognizer writes them: it says again what it has
// said where it has heard too little, so that repeats tell nothing.
Utterance ClassifyUtteranceStart(std::string_view text, std::string_view language);
size_t DistinctWords(std::string_view text);

// Whether a recognizer that writes this as the first piece of a word may be about to write a sign of
// listening. Words that open as many statements ("I", "so") are none here.
bool OpensListening(std::string_view piece, std::string_view language);

}  // namespace trunkline::text
