#include "text/reading/romance.h"

namespace trunkline::text {

std::string Agreed(std::string_view word, Gender gender) {
  std::string out(word);
  if (gender == Gender::kFeminine) out.back() = 'a';
  return out;
}

std::string Romance::Decimal(uint64_t whole, std::string_view fraction) const {
  std::string out = Cardinal(whole, Gender::kBare);
  Say(out, ways_.point);
  const bool digitByDigit = fraction.size() > 2 || fraction[0] == '0';
  Say(out, digitByDigit ? Digits(fraction) : Cardinal(std::stoul(std::string(fraction)), Gender::kBare));
  return out;
}

std::string Romance::Counted(uint64_t n, const Noun& noun) const {
  if (n == 0 || n % 1'000'000 != 0) return Reader::Counted(n, noun);
  return Cardinal(n, noun.gender) + " " + OfMillions(noun.many);
}

std::string Romance::OfMillions(std::string_view noun) const {
  return std::string(ways_.of) + " " + std::string(noun);
}

std::string Romance::SayDate(const Date& date, std::string_view) const {
  const std::string_view between = ways_.ofBetween ? ways_.of : "";
  std::string out;
  if (date.day == 1) out = ways_.first;
  if (date.day > 1) out = Cardinal(static_cast<uint64_t>(date.day), Gender::kBare);
  if (date.day > 0) Say(out, between);
  Say(out, words().months[date.month - 1]);
  if (date.year > 0) {
    Say(out, between);
    Say(out, Year(date.year));
  }
  return out;
}

std::string Romance::SuffixedOrdinal(uint64_t n, std::string_view suffix) const {
  if (suffix == "º" || suffix == "o" || (suffix == "°" && ways_.degreeIsOrdinal))
    return Ordinal(n, Gender::kMasculine);
  if (suffix == "ª" || suffix == "a") return Ordinal(n, Gender::kFeminine);
  return {};
}

}  // namespace trunkline::text
