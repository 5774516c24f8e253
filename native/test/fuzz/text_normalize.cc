// Any bytes in, in any language: nothing crashes, no digit, markup or control character comes out, and the
// clauses hold what the text held.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "text/reading/clauses.h"
#include "text/reading/normalize.h"
#include "text/unicode/unicode.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trunkline::text;
  if (size == 0) return 0;
  const auto lang = static_cast<Lang>(data[0] % 9);
  const std::string said = Normalize({reinterpret_cast<const char*>(data + 1), size - 1}, lang);
  for (const char32_t c : ToCodePoints(said)) {
    if (IsDigit(c) || c == kBadCodePoint || c < ' ' || c == '<' || c == '>' || c == '[' || c == '{')
      std::abort();
  }
  size_t length = 0;
  for (const Clause& clause : SplitClauses(said, ClauseLimits{})) {
    if (clause.text.empty()) std::abort();
    length += clause.text.size();
  }
  if (length > said.size()) std::abort();
  return 0;
}
