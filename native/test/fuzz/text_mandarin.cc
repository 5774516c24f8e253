// Any bytes as a table of Chinese words, then any bytes as a text: a table is refused or whole, and a text that is divided into
// words has the characters that it had.

#include <cstdlib>
#include <string>

#include "test/fuzz/word_table.h"
#include "text/dictionaries/mandarin.h"
#include "text/dictionaries/pinyin.h"
#include "text/unicode/unicode.h"

namespace {

using namespace trunkline;
using test::Number;
using test::Words;

// A table of two words and a phrase, whose model knows no character.
std::shared_ptr<const text::Mandarin> Small() {
  std::string file = "TLZH";
  Number(file, 1, 4);
  Number(file, 2, 4);
  for (const std::string_view syllable : {"zhong1", "guo2"}) {
    Number(file, syllable.size(), 1);
    file += syllable;
  }
  Number(file, 2, 4);
  for (const uint32_t code : {0x4E2DU, 0x56FDU}) Number(file, code, 4);
  for (const uint16_t id : {0, 1}) Number(file, id, 2);
  Words(file, {"中", "中国"});
  for (const uint32_t frequency : {5U, 7U}) Number(file, frequency, 4);
  Number(file, 12, 8);
  Words(file, {"中国"});
  for (const uint32_t begin : {0U, 2U, 2U}) Number(file, begin, 4);
  for (const uint16_t id : {0, 1}) Number(file, id, 2);
  for (size_t i = 0; i < 20; ++i) Number(file, 0, 8);
  Number(file, 0, 4);
  auto parsed = text::Mandarin::Parse(base::AsBytes(file));
  if (!parsed.ok()) std::abort();
  return *parsed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto table = Small();
  const std::string_view said(reinterpret_cast<const char*>(data), size);
  if (const auto parsed = text::Mandarin::Parse({data, size}); parsed.ok())
    (*parsed)->SeparateWords("中国人很多");
  text::PinyinPhonemes(said);
  table->Pronounce(said);
  std::string before, after;
  for (const char c : said) {
    if (c != ' ') before.push_back(c);
  }
  for (const char c : table->SeparateWords(said)) {
    if (c != ' ') after.push_back(c);
  }
  if (before != after) std::abort();
  return 0;
}
