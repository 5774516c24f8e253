#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

struct Lead {
  int length;
  char32_t bits;
  char32_t least;  // a smaller value in this many bytes is an overlong form
};

Lead ReadLead(unsigned char byte) {
  if (byte < 0x80) return {1, byte, 0};
  if (byte >= 0xC2 && byte < 0xE0) return {2, static_cast<char32_t>(byte & 0x1F), 0x80};
  if (byte >= 0xE0 && byte < 0xF0) return {3, static_cast<char32_t>(byte & 0x0F), 0x800};
  if (byte >= 0xF0 && byte < 0xF5) return {4, static_cast<char32_t>(byte & 0x07), 0x10000};
  return {0, 0, 0};
}

}  // namespace

char32_t DecodeOne(std::string_view utf8, size_t& at) {
  const Lead lead = ReadLead(static_cast<unsigned char>(utf8[at]));
  if (lead.length == 0 || at + lead.length > utf8.size()) {
    ++at;
    return kBadCodePoint;
  }
  char32_t code = lead.bits;
  for (int i = 1; i < lead.length; ++i) {
    const auto byte = static_cast<unsigned char>(utf8[at + i]);
    if ((byte & 0xC0) != 0x80) {
      ++at;
      return kBadCodePoint;
    }
    code = (code << 6) | (byte & 0x3F);
  }
  if (code < lead.least || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
    ++at;
    return kBadCodePoint;
  }
  at += lead.length;
  return code;
}

void AppendUtf8(char32_t code, std::string& out) {
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xC0 | (code >> 6)));
    out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | (code >> 12)));
    out.push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else {
    out.push_back(static_cast<char>(0xF0 | (code >> 18)));
    out.push_back(static_cast<char>(0x80 | ((code >> 12) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  }
}

std::vector<char32_t> ToCodePoints(std::string_view utf8) {
  std::vector<char32_t> codes;
  codes.reserve(utf8.size());
  for (size_t at = 0; at < utf8.size();) codes.push_back(DecodeOne(utf8, at));
  return codes;
}

size_t CountCodePoints(std::string_view utf8) {
  size_t count = 0;
  for (size_t at = 0; at < utf8.size(); ++count) DecodeOne(utf8, at);
  return count;
}

bool IsDigit(char32_t c) {
  return c >= '0' && c <= '9';
}

bool IsLetter(char32_t c) {
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  if (c == 0xAA || c == 0xBA || c == 0xB2 || c == 0xB3 || c == 0xB5) return true;  // ordinal signs, m², µ
  if (c < 0xC0 || c == 0xD7 || c == 0xF7) return false;
  if (c < 0x2000) return c != 0x964 && c != 0x965 && c != 0x37E && c != 0x387;
  return (c >= 0x3040 && c < 0xD7A4) || (c >= 0xF900 && c < 0xFB00) || (c >= 0x20000 && c < 0x32000);
}

bool IsUpper(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z';
  if (c >= 0xC0 && c <= 0xDE) return c != 0xD7;
  return c >= 0x100 && c < 0x180 && ToLower(c) != c;
}

bool IsSpace(char32_t c) {
  return c == ' ' || (c >= 9 && c <= 13) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

char32_t ToLower(char32_t c) {
  if (c >= 'A' && c <= 'Z') return c + 32;
  if (c >= 0xC0 && c <= 0xDE && c != 0xD7) return c + 32;
  if (c == 0x178) return 0xFF;
  if ((c >= 0x100 && c <= 0x137) || (c >= 0x14A && c <= 0x177)) return c | 1;
  if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E)) return (c & 1) != 0 ? c + 1 : c;
  return c;
}

std::string Lower(std::string_view utf8) {
  std::string out;
  out.reserve(utf8.size());
  for (size_t at = 0; at < utf8.size();) AppendUtf8(ToLower(DecodeOne(utf8, at)), out);
  return out;
}

}  // namespace trunkline::text
