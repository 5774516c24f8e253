#include "text/reading/normalize.h"

#include "text/reading/chinese.h"
#include "text/reading/clean.h"
#include "text/reading/grammar.h"
#include "text/reading/japanese.h"

namespace trunkline::text {

std::string Normalize(std::string_view utf8, Lang lang) {
  if (lang == Lang::kZh) return ReadChinese(utf8);
  if (lang == Lang::kJa) return ReadJapanese(utf8);
  const std::string cleaned = Clean(utf8);
  if (lang == Lang::kOther) return cleaned;
  return Grammar(cleaned, ReaderFor(lang)).Read();
}

}  // namespace trunkline::text
