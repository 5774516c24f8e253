#include "text/phonemes/phoneme_table.h"

#include "text/unicode/unicode.h"

namespace trunkline::text {

using base::Code;
using base::Result;
using base::Status;

std::vector<int64_t> PhonemeTable::Encode(std::string_view phonemes, std::vector<bool>* stressed) const {
  std::vector<int64_t> numbers;
  bool stress = false;
  for (size_t at = 0; at < phonemes.size();) {
    const char32_t c = DecodeOne(phonemes, at);
    if (c == kStress || c == kStressEnd) stress = c == kStress;
    const auto found = numbers_.find(c);
    if (found == numbers_.end()) continue;
    numbers.insert(numbers.end(), found->second.begin(), found->second.end());
    if (stressed != nullptr) stressed->resize(numbers.size(), stress);
  }
  return numbers;
}

namespace {

// Reads the JSON string at `at` (on its opening quote) and moves past it.
bool ReadJsonString(std::string_view json, size_t& at, std::string& out) {
  if (at >= json.size() || json[at] != '"') return false;
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    if (json[at] != '\\') {
      out.push_back(json[at]);
      continue;
    }
    if (++at >= json.size()) return false;
    if (json[at] != 'u') {
      out.push_back(json[at] == 'n' ? '\n' : json[at] == 't' ? '\t' : json[at]);
      continue;
    }
    if (at + 4 >= json.size()) return false;
    char32_t code = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = json[++at];
      const int digit = c >= '0' && c <= '9'                 ? c - '0'
                        : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                             : -1;
      if (digit < 0) return false;
      code = code * 16 + static_cast<char32_t>(digit);
    }
    AppendUtf8(code, out);
  }
  return at++ < json.size();
}

bool IsAsciiDigit(char c) {
  return c >= '0' && c <= '9';
}

void SkipTo(std::string_view json, size_t& at, std::string_view stops) {
  while (at < json.size() && stops.find(json[at]) == std::string_view::npos) ++at;
}

}  // namespace

Result<PhonemeTable> ReadPhonemeTable(std::string_view json, std::string_view member) {
  const Status bad(Code::kBadModel, "the phoneme table has no member " + std::string(member));
  std::string key("\"");
  key.append(member).append("\"");
  size_t at = json.find(key);
  if (at == std::string_view::npos) return bad;
  at = json.find('{', at);
  if (at == std::string_view::npos) return bad;
  ++at;
  PhonemeTable table;
  while (true) {
    SkipTo(json, at, "\"}");
    if (at >= json.size()) return bad;
    if (json[at] == '}') break;
    std::string symbol;
    if (!ReadJsonString(json, at, symbol)) return bad;
    SkipTo(json, at, "0123456789[}");
    const bool list = at < json.size() && json[at] == '[';
    std::vector<int64_t> numbers;
    do {
      SkipTo(json, at, list ? "0123456789]}" : "0123456789}");
      if (at >= json.size() || json[at] == ']' || json[at] == '}') break;
      numbers.push_back(0);
      for (; at < json.size() && IsAsciiDigit(json[at]) && numbers.back() < 100'000; ++at)
        numbers.back() = numbers.back() * 10 + (json[at] - '0');
    } while (list);
    if (numbers.empty()) return bad;
    const std::vector<char32_t> codes = ToCodePoints(symbol);
    if (codes.size() == 1) table.Add(codes[0], std::move(numbers));
  }
  if (table.size() == 0) return bad;
  return table;
}

}  // namespace trunkline::text
