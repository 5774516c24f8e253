// Reads a Chinese text: numbers, dates, times, money, units and telephone numbers in Chinese characters, words in Latin letters as
// English reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::text {

// `utf8` is a customer's text, not yet cleaned. No space stands between Chinese characters.
std::string ReadChinese(std::string_view utf8);

// "一百零二". Before a measure word, and before 千, 万 and 亿 at its head, two is 两.
std::string ChineseCardinal(uint64_t value, bool counted = false);

}  // namespace trunkline::text
