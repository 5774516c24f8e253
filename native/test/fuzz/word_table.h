// Writes the parts that the tables of Chinese and Japanese words share.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace trunkline::test {

inline void Number(std::string& file, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) file.push_back(static_cast<char>(value >> (8 * i)));
}

inline void Words(std::string& file, std::initializer_list<std::string_view> words) {
  Number(file, words.size(), 4);
  size_t at = 0;
  Number(file, at, 4);
  for (const std::string_view word : words) Number(file, at += word.size(), 4);
  for (const std::string_view word : words) file += word;
}

}  // namespace trunkline::test
