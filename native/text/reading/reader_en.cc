#include "text/reading/lexicon_en.h"
#include "text/reading/reader.h"

namespace trunkline::text {
namespace {

using en::kLexicon;
using en::kOnes;
using en::kOrdinals;
using en::kTens;

std::string UnderHundred(uint64_t n) {
  if (n < 20) return std::string(kOnes[n]);
  std::string out(kTens[n / 10]);
  if (n % 10 != 0) out.append("-").append(kOnes[n % 10]);
  return out;
}

std::string UnderThousand(uint64_t n) {
  std::string out;
  if (n >= 100) out.append(kOnes[n / 100]).append(" hundred");
  if (n % 100 != 0 || n == 0) Say(out, UnderHundred(n % 100));
  return out;
}

std::string OrdinalOf(std::string cardinal, uint64_t last) {
  const size_t cut = cardinal.find_last_of(" -");
  const std::string head = cut == std::string::npos ? "" : cardinal.substr(0, cut + 1);
  const std::string tail = cut == std::string::npos ? cardinal : cardinal.substr(cut + 1);
  if (last > 0 && last <= 12) return head + std::string(kOrdinals[last]);
  if (tail.back() == 'y') return head + tail.substr(0, tail.size() - 1) + "ieth";
  return head + tail + "th";
}

class English final : public Reader {
 public:
  English() : Reader(kLexicon) {}

  std::string Cardinal(uint64_t n, Gender) const override {
    static constexpr struct {
      uint64_t value;
      std::string_view name;
    } kGroups[] = {{1'000'000'000'000, " trillion"},
                   {1'000'000'000, " billion"},
                   {1'000'000, " million"},
                   {1000, " thousand"}};
    std::string out;
    for (const auto& group : kGroups) {
      if (n < group.value) continue;
      Say(out, UnderThousand(n / group.value));
      out.append(group.name);
      n %= group.value;
    }
    if (n != 0 || out.empty()) Say(out, UnderThousand(n));
    return out;
  }

  std::string Ordinal(uint64_t n, Gender gender) const override {
    const uint64_t tail = n % 100;
    const uint64_t last = tail > 0 && tail < 13 ? tail : (tail > 20 ? tail % 10 : 0);
    return OrdinalOf(Cardinal(n, gender), last);
  }

  std::string Year(int year) const override {
    const auto high = static_cast<uint64_t>(year / 100);
    const auto low = static_cast<uint64_t>(year % 100);
    if (year % 1000 < 10 || year < 1000) return Cardinal(static_cast<uint64_t>(year), Gender::kBare);
    std::string out = UnderHundred(high);
    if (low == 0) return out + " hundred";
    if (low < 10) out += " oh";
    return out + " " + UnderHundred(low);
  }

  std::string SayDate(const Date& date, std::string_view before) const override {
    std::string out;
    const std::string day = date.day > 0 ? Ordinal(static_cast<uint64_t>(date.day), Gender::kBare) : "";
    if (date.dayFirst) {
      if (before != "the") out = "the";
      Say(out, day);
      Say(out, "of");
      Say(out, words().months[date.month - 1]);
    } else {
      Say(out, words().months[date.month - 1]);
      Say(out, day);
    }
    if (date.year == 0) return out;
    if (date.day > 0) out += ",";
    Say(out, Year(date.year));
    return out;
  }

  std::string SayTime(const ClockTime& time) const override {
    int hour = time.hour;
    if (time.half == DayHalf::kAfternoon && hour > 12) hour -= 12;
    std::string out = Cardinal(static_cast<uint64_t>(hour), Gender::kBare);
    if (time.minute > 0 && time.minute < 10) Say(out, "oh");
    if (time.minute > 0) {
      Say(out, Cardinal(static_cast<uint64_t>(time.minute), Gender::kBare));
    } else if (time.half == DayHalf::kNone) {
      Say(out, time.hour == 0 || time.hour > 12 ? "hundred hours" : "o'clock");
      if (time.hour == 0) out = "midnight";
    }
    if (time.second > 0) {
      Say(out, "and");
      Say(out, Counted(static_cast<uint64_t>(time.second), {"second", "seconds"}));
    }
    if (time.half == DayHalf::kMorning) Say(out, "A M");
    if (time.half == DayHalf::kAfternoon) Say(out, "P M");
    return out;
  }

  std::string Fraction(uint64_t over, uint64_t under) const override {
    std::string out = Cardinal(over, Gender::kBare);
    if (under == 2) {
      Say(out, over == 1 ? "half" : "halves");
    } else {
      Say(out, under == 4 ? "quarter" : Ordinal(under, Gender::kBare));
      if (over != 1) out += "s";
    }
    return out;
  }

  std::string SuffixedOrdinal(uint64_t n, std::string_view suffix) const override {
    if (suffix == "st" || suffix == "nd" || suffix == "rd" || suffix == "th")
      return Ordinal(n, Gender::kBare);
    if (suffix != "s" || n % 10 != 0 || n < 20) return {};
    std::string decade = n >= 1100 && n < 2100 ? Year(static_cast<int>(n)) : Cardinal(n, Gender::kBare);
    if (decade.back() == 'y') return decade.substr(0, decade.size() - 1) + "ies";
    return decade + "s";
  }

  std::string Regnal(uint64_t n) const override { return "the " + Ordinal(n, Gender::kBare); }
};

}  // namespace

const Reader& EnglishReader() {
  static const English reader;
  return reader;
}

}  // namespace trunkline::text
