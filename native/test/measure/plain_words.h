// Words as bench/hear/words.ts compares them: without marks and case, English numbers as single digits, and spelled
// letters as the word that they spell, so that a text is right however it writes a number.
#pragma once

#include <algorithm>
#include <cctype>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "test/support/speech.h"

namespace trunkline::test {

inline int ValueOf(std::string_view word, std::span<const std::string_view> names) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (word == names[i]) return static_cast<int>(i);
  }
  return -1;
}

inline void AddDigits(int value, std::vector<std::string>& out) {
  for (const char digit : std::to_string(value)) out.emplace_back(1, digit);
}

inline std::vector<std::string> NumbersAsDigits(const std::vector<std::string>& words) {
  static constexpr std::string_view kUnits[] = {"zero",    "one",     "two",       "three",    "four",
                                                "five",    "six",     "seven",     "eight",    "nine",
                                                "ten",     "eleven",  "twelve",    "thirteen", "fourteen",
                                                "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
  static constexpr std::string_view kTens[] = {"",      "",      "twenty",  "thirty", "forty",
                                               "fifty", "sixty", "seventy", "eighty", "ninety"};
  std::vector<std::string> out;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const int tens = ValueOf(word, kTens);
    const int unit = ValueOf(word.ends_with("teenth") ? word.substr(0, word.size() - 2) : word, kUnits);
    const int next = i + 1 < words.size() ? ValueOf(words[i + 1], kUnits) : -1;
    if (tens > 0 && next > 0 && next < 10) {
      AddDigits(10 * tens + next, out);
      ++i;
    } else if (tens > 0) {
      AddDigits(10 * tens, out);
    } else if (unit >= 0) {
      AddDigits(unit, out);
    } else if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
      // "15th" is fifteen.
      for (const char c : word) {
        if (std::isdigit(static_cast<unsigned char>(c)) != 0) out.emplace_back(1, c);
      }
    } else {
      out.push_back(word == "okay" ? "ok" : word == "mr" ? "mister" : word == "mrs" ? "missus" : word);
    }
  }
  return out;
}

inline std::vector<std::string> LettersJoined(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  bool spelled = false;
  for (const std::string& word : words) {
    const bool letter = word.size() == 1 && std::isalpha(static_cast<unsigned char>(word[0])) != 0;
    if (letter && spelled) {
      out.back() += word;
    } else {
      out.push_back(word);
    }
    spelled = letter;
  }
  return out;
}

inline std::vector<std::string> PlainWords(std::string_view text, std::string_view language) {
  const auto words = ScoredWords(text);
  return language == "en" ? LettersJoined(NumbersAsDigits(words)) : words;
}

// The first word; of letters that are spelled and written as one word, the first letter.
inline std::string FirstPlainWord(std::string_view text, std::string_view language) {
  const auto words = ScoredWords(text);
  if (words.empty()) return "";
  const size_t first = text.find_first_not_of(" \"'");
  const std::string_view shown = text.substr(first, text.find_first_of(" -,.?!", first) - first);
  const bool capitals = shown.size() > 1 && std::all_of(shown.begin(), shown.end(), [](char c) {
                          return std::isupper(static_cast<unsigned char>(c)) != 0;
                        });
  if (capitals && words[0].size() == shown.size()) return words[0].substr(0, 1);
  return language == "en" ? NumbersAsDigits(words)[0] : words[0];
}

}  // namespace trunkline::test
