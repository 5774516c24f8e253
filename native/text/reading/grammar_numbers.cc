#include <algorithm>

#include "text/reading/grammar.h"
#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

constexpr size_t kLongestValue = 15;  // digits that are still read as one number

// The groups in which speakers read a long run of digits: 3-3-4 for ten, fours for a card, threes
// otherwise.
std::vector<size_t> GroupSizes(size_t count) {
  switch (count) {
    case 7:
      return {3, 4};
    case 8:
      return {4, 4};
    case 10:
      return {3, 3, 4};
    case 11:
      return {1, 3, 3, 4};
    default:
      break;
  }
  const size_t size = count % 4 == 0 || count > 12 ? 4 : 3;
  std::vector<size_t> sizes;
  while (count > size + 1) {
    sizes.push_back(size);
    count -= size;
  }
  sizes.push_back(count);
  return sizes;
}

}  // namespace

uint64_t Grammar::ToValue(std::string_view digits) {
  uint64_t value = 0;
  for (const char c : digits) value = value * 10 + static_cast<uint64_t>(c - '0');
  return value;
}

bool Grammar::ParseNumber(size_t at, Literal& literal) const {
  if (!IsNumber(at)) return false;
  literal = Literal{};
  literal.whole = std::string(tokens_[at].text);
  size_t next = at + 1;
  const char32_t decimal = words_.decimalMark;
  const char32_t group = decimal == '.' ? ',' : '.';
  const auto groupsWith = [&](char32_t mark) {
    size_t i = at + 1;
    std::string whole = literal.whole;
    while (whole.size() >= 1 && literal.whole.size() <= 3 && literal.whole[0] != '0' &&
           i + 1 < tokens_.size() &&
           (mark == ' ' ? IsSpace(i) && tokens_[i].text.size() == 1 : IsMark(i, mark)) && IsNumber(i + 1)) {
      const size_t size = tokens_[i + 1].text.size();
      const bool indian =
          size == 2 && mark == ',' && i + 3 < tokens_.size() && IsMark(i + 2, ',') && IsNumber(i + 3);
      if (size != 3 && !indian) break;
      whole += tokens_[i + 1].text;
      i += 2;
    }
    if (i == at + 1) return false;
    literal.whole = whole;
    literal.grouped = true;
    next = i;
    return true;
  };
  const auto fractionAt = [&](size_t i, char32_t mark) {
    if (!IsMark(i, mark) || !IsNumber(i + 1)) return false;
    if (IsMark(i + 2, mark) && IsNumber(i + 3)) return false;  // 1.2.3 is a version, 1,2,3 a list
    literal.fraction = std::string(tokens_[i + 1].text);
    literal.hasFraction = true;
    next = i + 2;
    return true;
  };
  if (!groupsWith(group) && decimal == ',') {
    // American notation inside a comma language: 1,234.56.
    const bool american = IsMark(at + 1, ',') && IsNumber(at + 2) && tokens_[at + 2].text.size() == 3 &&
                          IsMark(at + 3, '.') && IsNumber(at + 4) && tokens_[at + 4].text.size() != 3;
    if (american && groupsWith(',')) fractionAt(next, '.');
    if (!american) groupsWith(' ');
  }
  if (!literal.hasFraction && !fractionAt(next, decimal) && decimal == ',' && !literal.grouped)
    fractionAt(next, '.');
  literal.taken = next - at;
  literal.tooLong = literal.whole.size() > kLongestValue;
  literal.value = literal.tooLong ? 0 : ToValue(literal.whole);
  return true;
}

std::string Grammar::SayLongDigits(std::string_view digits, size_t longestPlain) const {
  if (digits.size() <= longestPlain) return reader_.Digits(digits);
  std::string out;
  for (const size_t size : GroupSizes(digits.size())) {
    if (!out.empty()) out += ",";
    Say(out, reader_.Digits(digits.substr(0, size)));
    digits.remove_prefix(size);
  }
  return out;
}

std::string Grammar::SayLiteral(const Literal& literal, Gender gender) const {
  if (literal.tooLong) return SayLongDigits(literal.whole);
  if (literal.hasFraction) return reader_.Decimal(literal.value, literal.fraction);
  const bool zeros = literal.whole.size() > 1 && literal.whole[0] == '0';
  const bool run = !literal.grouped && literal.whole.size() > kLongestCode &&
                   literal.whole.find_first_not_of('0', 1) != std::string::npos;
  if (zeros || run) return SayLongDigits(literal.whole);
  return reader_.Cardinal(literal.value, gender);
}

bool Grammar::IsYear(const Literal& literal, size_t at) const {
  if (literal.grouped || literal.hasFraction || literal.whole.size() != 4) return false;
  if (literal.value < 1100 || literal.value > 2099) return false;
  if (Contains(words_.yearCues, WordBefore(at))) return true;
  const size_t after = at + literal.taken;
  return literal.value >= 1900 && !IsSpace(after) && EndsHere(after);
}

size_t Grammar::Quantity(size_t at) {
  size_t start = at;
  std::string said;
  const bool minus = (IsMark(at, '-') || IsMark(at, 0x2013)) && IsNumber(at + 1) && StartsHere(at);
  const bool plus = IsMark(at, '+') && IsNumber(at + 1) && StartsHere(at);
  // "5 - 3" is a range or a pause, not a negative number.
  if (minus || plus) {
    said = minus ? words_.minus : words_.plus;
    ++start;
  } else if (IsMark(at, '.') && IsNumber(at + 1) && StartsHere(at) && words_.decimalMark == '.' &&
             (at == 0 || IsSpace(at - 1))) {
    PutWord(reader_.Decimal(0, tokens_[at + 1].text));
    return 2;
  }
  Literal literal;
  if (!ParseNumber(start, literal)) return 0;
  const size_t after = start + literal.taken;
  std::string number;
  const size_t rest = AfterNumber(literal, after, number);
  if (rest == SIZE_MAX) return 0;
  Say(said, number);
  PutWord(said);
  return after + rest - at;
}

// Writes the number with its unit, scale or suffix. Returns SIZE_MAX for a number that is part of
// a code.
size_t Grammar::AfterNumber(const Literal& literal, size_t at, std::string& said) {
  const size_t number = at - literal.taken;
  if (IsMark(at, '.') && IsNumber(at + 1)) {  // 2.3.1, 192.168.0.1
    said = reader_.Cardinal(literal.value, Gender::kBare);
    size_t next = at;
    while (IsMark(next, '.') && IsNumber(next + 1)) {
      Say(said, words_.dot);
      const std::string_view part = tokens_[next + 1].text;
      Say(said, part.size() > 4 ? reader_.Digits(part) : reader_.Cardinal(ToValue(part), Gender::kBare));
      next += 2;
    }
    return next - at;
  }
  if (IsWord(at)) {
    const std::string suffix = Lower(tokens_[at].text);
    if (!literal.hasFraction) said = reader_.SuffixedOrdinal(literal.value, suffix);
    if (!said.empty()) return 1;
  }
  if (const size_t taken = UnitAfter(literal, at, said); taken != 0) return taken;
  if (!literal.hasFraction && literal.whole.size() <= 3 && IsMark(at, '.') && IsSpace(at + 1) &&
      IsWord(at + 2)) {
    said = reader_.StopOrdinal(literal.value, WordBefore(number));
    if (!said.empty()) return 1;
  }
  if (const size_t taken = FractionAfter(literal, at, said); taken != 0) return taken;
  if (IsWord(at)) return SIZE_MAX;
  if (const size_t taken = RangeAfter(literal, at, said); taken != 0) return taken;
  if (IsMark(at, '-') && IsWord(at + 1)) {
    if (IsAllUpper(tokens_[at + 1].text)) return SIZE_MAX;
    said = SayLiteral(literal, Gender::kBare);  // 24-hour
    return 1;
  }
  const bool coded = !literal.grouped && !literal.hasFraction && literal.whole.size() >= 2 &&
                     CueBefore(number, words_.codeCues);
  if (IsYear(literal, number) && !coded) {
    said = reader_.Year(static_cast<int>(literal.value));
  } else {
    said = coded ? SayLongDigits(literal.whole) : SayLiteral(literal, Gender::kBare);
  }
  return 0;
}

size_t Grammar::RangeAfter(const Literal& literal, size_t at, std::string& said) {
  const size_t dash = SkipSpace(at);
  if (!IsMark(dash, '-') && !IsMark(dash, 0x2013)) return 0;
  const size_t second = SkipSpace(dash + 1);
  // "5 -3" is five and minus three; "5-3", "5 - 3" and "5–3" are ranges.
  if ((dash == at) != (second == dash + 1)) return 0;
  Literal end;
  if (!ParseNumber(second, end)) return 0;
  const size_t after = second + end.taken;
  if (IsMark(after, '-') && IsNumber(after + 1)) return 0;
  const bool zeros = literal.whole[0] == '0' && literal.whole.size() > 1;
  if (zeros || (literal.whole.size() > 4 && !literal.grouped)) return 0;
  const bool years = literal.whole.size() == 4 && end.whole.size() == 4 && !literal.grouped &&
                     literal.value > 1100 && end.value < 2100 && end.value > literal.value;
  said = years ? reader_.Year(static_cast<int>(literal.value)) : SayLiteral(literal, Gender::kBare);
  Say(said, words_.to);
  if (years) {
    Say(said, reader_.Year(static_cast<int>(end.value)));
    return after - at;
  }
  std::string tail;
  const size_t rest = AfterNumber(end, after, tail);
  if (rest == SIZE_MAX) {
    said.clear();
    return 0;
  }
  Say(said, tail);
  return after + rest - at;
}

size_t Grammar::FractionAfter(const Literal& literal, size_t at, std::string& said) {
  const bool by = IsWord(at) && (tokens_[at].text == "x" || tokens_[at].text == "X") && IsNumber(at + 1);
  const bool times = IsMark(at, 0xD7) && IsNumber(SkipSpace(at + 1));
  if (by || times) {
    Literal second;
    const size_t from = SkipSpace(at + 1);
    ParseNumber(from, second);
    said = SayLiteral(literal, Gender::kBare);
    Say(said, words_.by);
    Say(said, SayLiteral(second, Gender::kBare));
    return from + second.taken - at;
  }
  if (!IsMark(at, '/') || !IsNumber(at + 1) || literal.hasFraction) return 0;
  Literal under;
  ParseNumber(at + 1, under);
  const size_t after = at + 1 + under.taken;
  if (IsMark(after, '/')) return 0;
  if (literal.value == 24 && under.value == 7) {
    said = reader_.Cardinal(24, Gender::kBare);
    Say(said, reader_.Cardinal(7, Gender::kBare));
  } else if (under.value >= 2 && under.value <= 100 && literal.value < under.value) {
    said = reader_.Fraction(literal.value, under.value);
  } else {
    said = SayLiteral(literal, Gender::kBare);
    Say(said, words_.slash);
    Say(said, SayLiteral(under, Gender::kBare));
  }
  return after - at;
}

// The longest unit at `at`: "km/h" before "km".
size_t Grammar::FindUnit(size_t at, const Unit** unit) const {
  size_t best = 0;
  for (const Unit& known : words_.units) {
    size_t i = at;
    size_t matched = 0;
    while (i < tokens_.size() && matched < known.symbol.size() && tokens_[i].kind != Token::Kind::kSpace &&
           known.symbol.substr(matched).starts_with(tokens_[i].text)) {
      matched += tokens_[i].text.size();
      ++i;
    }
    if (matched == known.symbol.size() && i - at > best && !IsWord(i) && !IsNumber(i)) {
      best = i - at;
      *unit = &known;
    }
  }
  return best;
}

size_t Grammar::UnitAfter(const Literal& literal, size_t at, std::string& said) {
  const size_t from = SkipSpace(at);
  const Unit* unit = nullptr;
  const size_t taken = FindUnit(from, &unit);
  if (taken == 0) return 0;
  // After a space, a symbol that is also one of the language's small words is not a unit.
  static constexpr std::string_view kAlsoWords[] = {"in", "a", "h", "d", "A", "s", "t", "C", "F", "o"};
  if (from != at && Contains(kAlsoWords, unit->symbol)) return 0;
  const Noun& noun = unit->noun;
  if (literal.hasFraction || literal.tooLong) {
    said = SayLiteral(literal, noun.gender);
    Say(said, noun.many);
  } else {
    said = reader_.Counted(literal.value, noun);
  }
  size_t next = from + taken;
  const Unit* per = nullptr;
  if (IsMark(next, '/')) {
    if (const size_t more = FindUnit(next + 1, &per); more != 0) {
      Say(said, words_.per);
      Say(said, per->noun.one);
      next += 1 + more;
    }
  }
  return next - at;
}

}  // namespace trunkline::text
