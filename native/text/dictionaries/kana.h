// Katakana to the phonemes with which Kokoro learnt Japanese, as misaki spells them.
#pragma once

#include <string>
#include <string_view>

namespace trunkline::text {

bool IsKatakana(char32_t c);
bool IsHiragana(char32_t c);
std::string ToKatakana(std::string_view text);

// `word` is in katakana as it is said: "キョーワ" is "kʲoːβa". Other characters are silent.
std::string KanaPhonemes(std::string_view word);

}  // namespace trunkline::text
