#include "text/normalize.h"

#include "text/clean.h"
#include "text/grammar.h"

namespace trunkline::text {

std::string Normalize(std::string_view utf8, Lang lang) {
  const std::string cleaned = Clean(utf8);
  return Grammar(cleaned, ReaderFor(lang)).Read();
}

}  // namespace trunkline::text
