// Phonetic keys across the languages of recognition: two spellings of one sound share a key.
#pragma once

#include <string>
#include <string_view>

namespace trunkline::text {

// Latin: consonants by class, vowels by openness, no doubles, no silent h. Devanagari: without signs of
// length and aspiration. Punctuation and spaces are ignored.
std::string SoundKey(std::string_view utf8);

// 0..1: one minus the edits between two keys over the longer one's length; a vowel for a vowel is half an
// edit.
double SoundSimilarity(std::string_view a, std::string_view b);

}  // namespace trunkline::text
