#include "text/reading/markup.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

constexpr size_t kLongestTag = 2048;
constexpr size_t kLongestEntity = 12;

std::string AsciiLower(const Codes& codes, size_t from, size_t to) {
  std::string out;
  for (size_t i = from; i < to && i < codes.size(); ++i) {
    out.push_back(codes[i] < 0x80 ? static_cast<char>(ToLower(codes[i])) : '?');
  }
  return out;
}

bool TagStartsAt(const Codes& codes, size_t i) {
  if (codes[i] != '<' || i + 1 >= codes.size()) return false;
  const char32_t next = codes[i + 1];
  return (next < 0x80 && IsLetter(next)) || next == '/' || next == '!' || next == '?';
}

// The name in <name …> or </name>, in lower case.
std::string TagName(const Codes& codes, size_t open, size_t close) {
  size_t from = open + 1;
  if (from < close && codes[from] == '/') ++from;
  size_t to = from;
  while (to < close && codes[to] < 0x80 && (IsLetter(codes[to]) || IsDigit(codes[to]))) ++to;
  return AsciiLower(codes, from, to);
}

bool EndsALine(const std::string& name) {
  static constexpr std::array<std::string_view, 17> kNames = {"br", "p",  "div", "li",    "tr",   "h1",
                                                              "h2", "h3", "h4",  "h5",    "h6",   "break",
                                                              "s",  "ul", "ol",  "title", "table"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// A removed element loses its content too: <script> and <style> are not spoken.
size_t SkipElement(const Codes& codes, size_t after, const std::string& name) {
  const std::string closing = "</" + name;
  for (size_t i = after; i < codes.size(); ++i) {
    if (codes[i] == '<' && AsciiLower(codes, i, i + closing.size()) == closing) {
      while (i < codes.size() && codes[i] != '>') ++i;
      return i < codes.size() ? i + 1 : i;
    }
  }
  return codes.size();
}

Codes StripTags(const Codes& codes, bool& changed) {
  Codes out;
  out.reserve(codes.size());
  for (size_t i = 0; i < codes.size();) {
    if (!TagStartsAt(codes, i)) {
      out.push_back(codes[i++]);
      continue;
    }
    const size_t limit = std::min(codes.size(), i + kLongestTag);
    size_t close = i + 1;
    while (close < limit && codes[close] != '>') ++close;
    if (close == limit) {
      // Without a closing bracket only the bracket is dropped, because the words may be meant.
      ++i;
      changed = true;
      continue;
    }
    const std::string name = TagName(codes, i, close);
    const bool removed = (name == "script" || name == "style") && codes[i + 1] != '/';
    i = removed ? SkipElement(codes, close + 1, name) : close + 1;
    // A tag inside a word (<b>un</b>do) must not split it; one that ends a line must.
    if (EndsALine(name) || removed) out.insert(out.end(), 2, '\n');
    changed = true;
  }
  return out;
}

char32_t NamedEntity(const std::string& name) {
  static constexpr std::array<std::pair<std::string_view, char32_t>, 22> kEntities = {{
      {"amp", '&'},      {"lt", '<'},       {"gt", '>'},       {"quot", '"'},      {"apos", '\''},
      {"nbsp", ' '},     {"euro", 0x20AC},  {"pound", 0xA3},   {"yen", 0xA5},      {"cent", 0xA2},
      {"copy", 0xA9},    {"reg", 0xAE},     {"deg", 0xB0},     {"hellip", 0x2026}, {"mdash", 0x2014},
      {"ndash", 0x2013}, {"lsquo", 0x2018}, {"rsquo", 0x2019}, {"ldquo", 0x201C},  {"rdquo", 0x201D},
      {"laquo", 0xAB},   {"raquo", 0xBB},
  }};
  for (const auto& [known, code] : kEntities) {
    if (known == name) return code;
  }
  return 0;
}

char32_t NumericEntity(const std::string& digits) {
  const bool hex = digits.size() > 1 && digits[0] == 'x';
  uint32_t value = 0;
  for (size_t i = hex ? 1 : 0; i < digits.size(); ++i) {
    const char c = digits[i];
    int digit = -1;
    if (c >= '0' && c <= '9') digit = c - '0';
    if (hex && c >= 'a' && c <= 'f') digit = c - 'a' + 10;
    if (digit < 0 || value > 0x110000) return 0;
    value = value * (hex ? 16 : 10) + digit;
  }
  return value > 0 && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF) ? value : 0;
}

Codes DecodeEntities(const Codes& codes, bool& changed) {
  Codes out;
  out.reserve(codes.size());
  for (size_t i = 0; i < codes.size();) {
    size_t end = i + 1;
    while (codes[i] == '&' && end < codes.size() && end - i < kLongestEntity && codes[end] != ';') ++end;
    if (codes[i] == '&' && end < codes.size() && codes[end] == ';' && end > i + 1) {
      const std::string name = AsciiLower(codes, i + 1, end);
      const char32_t code = name[0] == '#' ? NumericEntity(name.substr(1)) : NamedEntity(name);
      if (code != 0) {
        out.push_back(code);
        i = end + 1;
        changed = true;
        continue;
      }
    }
    out.push_back(codes[i++]);
  }
  return out;
}

}  // namespace

Codes WithoutMarkup(Codes codes) {
  // Escaped markup is markup too; three rounds undo any accidental nesting.
  for (int round = 0; round < 3; ++round) {
    bool changed = false;
    codes = StripTags(codes, changed);
    codes = DecodeEntities(codes, changed);
    if (!changed) break;
  }
  return codes;
}

}  // namespace trunkline::text
