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
    numbers.push_back(found->second);
    if (stressed != nullptr) stressed->push_back(stress);
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
    SkipTo(json, at, "0123456789}");
    int64_t number = 0;
    bool digits = false;
    for (; at < json.size() && json[at] >= '0' && json[at] <= '9' && number < 100'000; ++at) {
      number = number * 10 + (json[at] - '0');
      digits = true;
    }
    if (!digits) return bad;
    const std::vector<char32_t> codes = ToCodePoints(symbol);
    if (codes.size() == 1) table.Add(codes[0], number);
  }
  if (table.size() == 0) return bad;
  return table;
}

}  // namespace trunkline::text
