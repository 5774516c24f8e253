// Words by which a listener shows that they listen ("mhm", "right") and does not ask for the turn.
#pragma once

#include <string_view>

namespace trunkline::text {

enum class Utterance { kNothing, kListening, kSaying };

// `language` is a code of two letters; another one knows the wordless signs alone. What stands in brackets or
// between asterisks describes a sound and is not said.
Utterance ListenTo(std::string_view text, std::string_view language);

}  // namespace trunkline::text
