#include "text/reading/grammar.h"
#include "text/unicode/unicode.h"

namespace trunkline::text {

// A sign or code of a currency; signs may be of several tokens ("US$", "Rs.").
size_t Grammar::FindCurrency(size_t at, const Currency** currency) const {
  if (at >= tokens_.size()) return 0;
  size_t best = 0;
  for (const Currency& known : words_.currencies) {
    for (const std::string_view written : {known.sign, known.iso}) {
      if (written.empty()) continue;
      size_t i = at;
      size_t matched = 0;
      while (i < tokens_.size() && matched < written.size() && !IsSpace(i) && !IsNumber(i) &&
             written.substr(matched).starts_with(tokens_[i].text)) {
        matched += tokens_[i].text.size();
        ++i;
      }
      if (matched == written.size() && i - at > best) {
        best = i - at;
        *currency = &known;
      }
    }
  }
  return best;
}

// "million" as a word, or the letter in "$5M".
size_t Grammar::FindScale(size_t at, const Noun** scale) const {
  const size_t word = SkipSpace(at);
  if (!IsWord(word)) return 0;
  const Currency* currency = nullptr;
  const bool close = word == at || tokens_[word].text.size() > 1 || FindCurrency(word + 1, &currency) != 0;
  for (const Expansion& letter : words_.scaleLetters) {
    if (!close || letter.written != tokens_[word].text) continue;
    for (const Noun& noun : words_.scales) {
      if (noun.one == letter.said) {
        *scale = &noun;
        return word + 1 - at;
      }
    }
  }
  if (word == at) return 0;
  const std::string lower = Lower(tokens_[word].text);
  for (const Noun& noun : words_.scales) {
    if (lower == Lower(noun.one) || lower == Lower(noun.many)) {
      *scale = &noun;
      return word + 1 - at;
    }
  }
  return 0;
}

std::string Grammar::SayAmount(const Literal& literal, const Currency& currency, const Noun* scale) const {
  std::string said;
  if (scale != nullptr) {
    const bool one = literal.value == 1 && !literal.hasFraction;
    said = literal.hasFraction ? reader_.Decimal(literal.value, literal.fraction)
                               : reader_.Cardinal(literal.value, scale->gender);
    Say(said, one ? scale->one : scale->many);
    Say(said, reader_.OfMillions(currency.unit.many));
    return said;
  }
  const bool cents = literal.hasFraction && literal.fraction.size() <= 2 && !currency.cent.one.empty();
  if (literal.tooLong || (literal.hasFraction && !cents)) {
    said = SayLiteral(literal, currency.unit.gender);
    Say(said, currency.unit.many);
    return said;
  }
  uint64_t hundredths = 0;
  if (cents) {
    hundredths = static_cast<uint64_t>(literal.fraction[0] - '0') * 10;
    if (literal.fraction.size() == 2) hundredths += static_cast<uint64_t>(literal.fraction[1] - '0');
  }
  return reader_.CurrencyAmount(literal.value, hundredths, currency);
}

// Reads "/month" after a price.
size_t Grammar::PerAfter(size_t at, std::string& said) const {
  if (!IsMark(at, '/') || !IsWord(at + 1)) return 0;
  Say(said, words_.per);
  const Unit* unit = nullptr;
  if (const size_t taken = FindUnit(at + 1, &unit); taken != 0) {
    Say(said, unit->noun.one);
    return 1 + taken;
  }
  std::string word = Lower(tokens_[at + 1].text);
  size_t taken = 2;
  for (const Expansion& known : words_.abbreviations) {
    if (known.written.substr(0, known.written.size() - 1) == word) {
      word = std::string(known.said);
      taken += IsMark(at + 2, '.') && !EndsSentence(at + 3) ? 1 : 0;
      break;
    }
  }
  Say(said, word);
  return taken;
}

size_t Grammar::Amount(size_t at) {
  if (!StartsHere(at) && !IsMark(at - 1, '-') && !IsMark(at - 1, 0x2013) && !IsMark(at - 1, '/')) return 0;
  size_t i = at;
  std::string said;
  const bool minus = IsMark(i, '-') && StartsHere(i);
  if (minus) ++i;
  const Currency* currency = nullptr;
  size_t sign = FindCurrency(i, &currency);
  if (sign != 0) i = SkipSpace(i + sign);
  if (sign != 0 && IsMark(i, '-')) {
    said = words_.minus;
    ++i;
  }
  if (minus) said = words_.minus;
  Literal literal;
  if (!ParseNumber(i, literal)) return 0;
  i += literal.taken;
  const Noun* scale = nullptr;
  i += FindScale(i, &scale);
  if (sign == 0) {
    // "millones de euros" and "Millionen Euro": words between the number and the currency are left to the
    // words.
    const size_t from = SkipSpace(i);
    sign = FindCurrency(from, &currency);
    if (sign == 0) return 0;
    i = from + sign;
  }
  if (IsWord(i)) return 0;
  Say(said, SayAmount(literal, *currency, scale));
  i += PerAfter(i, said);
  PutWord(said);
  const size_t dash = SkipSpace(i);
  if ((IsMark(dash, '-') || IsMark(dash, 0x2013)) && dash == i) {
    const Currency* second = nullptr;
    if (IsNumber(dash + 1) || FindCurrency(dash + 1, &second) != 0) {
      PutWord(words_.to);
      return dash + 1 - at;
    }
  }
  return i - at;
}

}  // namespace trunkline::text
