// Any bytes as a table of Japanese words, then any bytes as a text in both its forms: a table is refused or whole, and what is read
// holds no bytes that are no text.

#include <cstdlib>
#include <string>

#include "test/fuzz/word_table.h"
#include "text/dictionaries/japanese.h"
#include "text/dictionaries/kana.h"
#include "text/reading/japanese.h"
#include "text/unicode/unicode.h"

namespace {

using namespace trunkline;
using test::Number;
using test::Words;

// One context, two words, and one kind of characters, of which runs are words.
std::shared_ptr<const text::Japanese> Small() {
  std::string file = "TLJA";
  Number(file, 1, 4);
  Number(file, 1, 2);
  Number(file, 1, 2);
  Number(file, 0, 2);
  Words(file, {"は", "私"});
  for (const uint32_t begin : {0U, 1U, 2U}) Number(file, begin, 4);
  Number(file, 2, 4);
  for (int i = 0; i < 6; ++i) Number(file, 0, 2);
  for (const uint32_t begin : {0U, 1U, 2U}) Number(file, begin, 4);
  file += "\x4F\x4F";
  Words(file, {"私は"});
  Number(file, 1, 4);
  Number(file, 3, 1);
  Number(file, 2, 1);
  Number(file, 1, 4);
  for (int i = 0; i < 3; ++i) Number(file, 0, 2);
  Number(file, 1, 4);
  Number(file, 0, 4);
  Number(file, 1, 4);
  Number(file, 0, 4);
  auto parsed = text::Japanese::Parse(base::AsBytes(file));
  if (!parsed.ok()) std::abort();
  return *parsed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto table = Small();
  const std::string_view said(reinterpret_cast<const char*>(data), size);
  if (const auto parsed = text::Japanese::Parse({data, size}); parsed.ok())
    (*parsed)->SeparateWords("私は三本");
  text::KanaPhonemes(said);
  table->SeparateWords(said);
  for (const char32_t c : text::ToCodePoints(table->SeparateWords(text::ReadJapanese(said)))) {
    if (text::IsDigit(c) || c == text::kBadCodePoint || c < ' ' ||
        (c >= text::kReadAs && c <= text::kReadEnd))
      std::abort();
  }
  return 0;
}
