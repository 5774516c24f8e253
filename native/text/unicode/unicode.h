#pragma once

// UTF-8 by code point, and the few character properties that text normalisation needs. Never on the frame
// path.

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::text {

inline constexpr char32_t kBadCodePoint = 0xFFFD;
// Precedes a stressed word; from phonemes on, kStressEnd closes it.
inline constexpr char32_t kStress = 0xE000, kStressEnd = 0xE001;
inline constexpr std::string_view kStressText = "\uE000", kStressEndText = "\uE001";

// Decodes the code point at `at` and advances past it; an invalid byte gives kBadCodePoint and advances by
// one.
char32_t DecodeOne(std::string_view utf8, size_t& at);
void AppendUtf8(char32_t code, std::string& out);
std::vector<char32_t> ToCodePoints(std::string_view utf8);
size_t CountCodePoints(std::string_view utf8);

bool IsDigit(char32_t c);   // ASCII digits only; clean text has no others
bool IsLetter(char32_t c);  // letters and the marks that belong to them
bool IsUpper(char32_t c);
bool IsSpace(char32_t c);
char32_t ToLower(char32_t c);
std::string Lower(std::string_view utf8);

}  // namespace trunkline::text
