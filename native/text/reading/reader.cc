#include "text/reading/reader.h"

#include "text/unicode/unicode.h"

namespace trunkline::text {

bool ParseLang(std::string_view code, Lang& lang) {
  static constexpr struct {
    std::string_view code;
    Lang lang;
  } kCodes[] = {{"en", Lang::kEn}, {"es", Lang::kEs}, {"fr", Lang::kFr}, {"de", Lang::kDe}, {"hi", Lang::kHi},
                {"it", Lang::kIt}, {"pt", Lang::kPt}, {"zh", Lang::kZh}, {"ja", Lang::kJa}};
  for (const auto& known : kCodes) {
    if (known.code == code) {
      lang = known.lang;
      return true;
    }
  }
  return false;
}

const Reader& ReaderFor(Lang lang) {
  switch (lang) {
    case Lang::kEs:
      return SpanishReader();
    case Lang::kFr:
      return FrenchReader();
    case Lang::kDe:
      return GermanReader();
    case Lang::kHi:
      return HindiReader();
    case Lang::kIt:
      return ItalianReader();
    case Lang::kPt:
      return PortugueseReader();
    case Lang::kEn:
    case Lang::kZh:
    case Lang::kJa:
    case Lang::kOther:
      break;
  }
  return EnglishReader();
}

void Say(std::string& out, std::string_view words) {
  if (words.empty()) return;
  if (!out.empty() && out.back() != ' ') out.push_back(' ');
  out.append(words);
}

std::string Reader::Digits(std::string_view digits) const {
  std::string out;
  for (const char c : digits) {
    if (c >= '0' && c <= '9') Say(out, words_.digits[c - '0']);
  }
  return out;
}

std::string Reader::Letter(char32_t letter) const {
  const char32_t upper = letter >= 'a' && letter <= 'z' ? letter - 32 : letter;
  if (upper >= 'A' && upper <= 'Z' && !words_.letters[upper - 'A'].empty()) {
    return std::string(words_.letters[upper - 'A']);
  }
  std::string out;
  AppendUtf8(upper, out);
  return out;
}

std::string Reader::Spell(std::string_view code) const {
  std::string out;
  for (size_t at = 0; at < code.size();) {
    const char32_t c = DecodeOne(code, at);
    if (IsDigit(c)) {
      Say(out, words_.digits[c - '0']);
    } else if (IsLetter(c)) {
      Say(out, Letter(c));
    }
  }
  return out;
}

std::string Reader::PhoneGroup(std::string_view digits) const {
  return Digits(digits);
}

std::string Reader::Decimal(uint64_t whole, std::string_view fraction) const {
  std::string out = Cardinal(whole, Gender::kBare);
  Say(out, words_.point);
  Say(out, Digits(fraction));
  return out;
}

std::string Reader::Fraction(uint64_t over, uint64_t under) const {
  std::string out = Cardinal(over, Gender::kBare);
  Say(out, words_.over);
  Say(out, Cardinal(under, Gender::kBare));
  return out;
}

std::string Reader::Counted(uint64_t value, const Noun& noun) const {
  std::string out = Cardinal(value, noun.gender);
  Say(out, value == 1 ? noun.one : noun.many);
  return out;
}

std::string Reader::CurrencyAmount(uint64_t whole, uint64_t cents, const Currency& currency) const {
  if (whole == 0 && cents > 0 && !currency.cent.one.empty()) return Counted(cents, currency.cent);
  std::string out = Counted(whole, currency.unit);
  if (cents == 0 || currency.cent.one.empty()) return out;
  Say(out, words_.centsJoiner);
  Say(out, Counted(cents, currency.cent));
  return out;
}

}  // namespace trunkline::text
