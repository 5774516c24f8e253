// Reads a Japanese text: numbers, dates, times, prices, counters and telephone numbers. What it reads is written in characters, with
// its kana behind it (text/dictionaries/japanese.h), so that the dictionary sees the words around it in their context.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::text {

// `utf8` is a customer's text, not yet cleaned.
std::string ReadJapanese(std::string_view utf8);

// In katakana, as it is said: "ニジューゴ".
std::string JapaneseCardinal(uint64_t value);
// The longest counter with which `text` begins, or nothing.
std::string_view JapaneseCounterAt(std::string_view text);
// Reads a number with its counter: 三本 is "サンボン", 一人 "ヒトリ". Returns nothing for a counter that is not known.
std::string JapaneseCounted(uint64_t value, std::string_view counter);

}  // namespace trunkline::text
