// Pinyin to the phonemes with which Kokoro learnt Chinese.
#pragma once

#include <string>
#include <string_view>

namespace trunkline::text {

// `syllable` has v for ü and its tone behind, 5 where it is neutral: "lve4" is "lɥe↘". Empty for what is no syllable.
std::string PinyinPhonemes(std::string_view syllable);

}  // namespace trunkline::text
