#pragma once

// The rules by which one language reads numbers, dates, times, money and letters. The grammar (grammar.h)
// finds these in the text and is the same for all languages; a Reader turns them into words. One file for
// each language: reader_LANG.cc.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace trunkline::text {

// kZh and kJa have grammars of their own (chinese.h, japanese.h). kOther: a language without a reader. Its numbers are left to the phonemizer.
enum class Lang { kEn, kEs, kFr, kDe, kHi, kIt, kPt, kZh, kJa, kOther };

// Returns false for an unknown code.
bool ParseLang(std::string_view code, Lang& lang);

// kBare counts ("uno, dos"); the others agree with a noun that follows ("un euro", "una libra").
enum class Gender { kBare, kMasculine, kFeminine };

struct Noun {
  std::string_view one;
  std::string_view many;
  Gender gender = Gender::kMasculine;
};

struct Currency {
  std::string_view sign;  // "$"; empty where only the code is written
  std::string_view iso;
  Noun unit;
  Noun cent;
};

struct Unit {
  std::string_view symbol;
  Noun noun;
};

struct Expansion {
  std::string_view written;
  std::string_view said;
};

struct MonthName {
  std::string_view written;
  int month;  // 1 to 12
};

struct Date {
  int year = 0;  // 0: not written
  int month = 0;
  int day = 0;
  bool dayFirst = false;  // the order as written, for languages that read the two differently
};

enum class DayHalf { kNone, kMorning, kAfternoon };

struct ClockTime {
  int hour = 0;
  int minute = 0;
  int second = -1;
  DayHalf half = DayHalf::kNone;
  bool wordFollows = false;  // the text itself has the word for hours: "Uhr", "heures", "बजे"
};

struct Lexicon {
  std::string_view digits[10];
  std::string_view minus, plus, point, percent, and_, to, by, over, equals, number, degrees, times;
  std::string_view at, dot, dash, underscore, slash, hash, colon, per, hashtag;
  std::string_view centsJoiner;  // joins "five dollars" and "ten cents"
  std::string_view months[12];
  std::string_view
      letters[26];  // may be empty for the capital letter itself, which the voice reads by its name
  std::span<const MonthName> monthNames;
  std::span<const Expansion> abbreviations;  // written with their full stop, in lower case
  std::span<const Expansion> symbols;
  std::span<const Currency> currencies;
  std::span<const Unit> units;
  std::span<const Noun> scales;                    // million, billion… after money
  std::span<const Expansion> scaleLetters;         // "M" in "$5M"
  std::span<const std::string_view> wordAcronyms;  // read as a word: NASA
  std::span<const std::string_view> shouted;       // short words that are not acronyms even in capitals
  std::span<const std::string_view> codeCues;      // "order", "PIN": digits that follow are read one by one
  std::span<const std::string_view> yearCues;
  std::span<const std::string_view> dateCues;  // "on 3/4": a date, not a fraction
  std::span<const std::string_view> phoneCues;
  std::span<const std::string_view> romanCues;  // "chapter IV": a plain number; after a name it is an ordinal
  std::span<const std::string_view> hourWords;  // "Uhr", "बजे": a number before them is a time of day
  char decimalMark = '.';
  bool monthFirst = false;  // 3/4/2026 is March the fourth
};

// Builds the part that every language has: its digits, the first ten of `ones`, and its months.
constexpr Lexicon LexiconOf(std::span<const std::string_view> ones,
                            std::span<const std::string_view, 12> months, char decimalMark) {
  Lexicon w{};
  for (size_t i = 0; i < 10; ++i) w.digits[i] = ones[i];
  for (size_t i = 0; i < 12; ++i) w.months[i] = months[i];
  w.decimalMark = decimalMark;
  return w;
}

class Reader {
 public:
  virtual ~Reader() = default;
  const Lexicon& words() const { return words_; }

  virtual std::string Cardinal(uint64_t value, Gender gender) const = 0;
  virtual std::string Ordinal(uint64_t value, Gender gender) const = 0;
  virtual std::string Year(int year) const { return Cardinal(static_cast<uint64_t>(year), Gender::kBare); }
  virtual std::string SayDate(const Date& date, std::string_view wordBefore) const = 0;
  virtual std::string SayTime(const ClockTime& time) const = 0;
  // `fraction` holds the digits after the mark.
  virtual std::string Decimal(uint64_t whole, std::string_view fraction) const;
  virtual std::string Fraction(uint64_t over, uint64_t under) const;
  // "3 euros"; Spanish and its neighbours say "un millón de euros".
  virtual std::string Counted(uint64_t value, const Noun& noun) const;
  // The words after "million": "of euros" in some languages.
  virtual std::string OfMillions(std::string_view noun) const { return std::string(noun); }
  virtual std::string CurrencyAmount(uint64_t whole, uint64_t cents, const Currency& currency) const;
  // Returns the ordinal of a suffix ("3rd", "2ª", "1er"); empty for a suffix of another language.
  virtual std::string SuffixedOrdinal(uint64_t value, std::string_view suffix) const = 0;
  // German alone: a full stop makes a day an ordinal, and any number after an article ("der 3. Mann").
  virtual bool FullStopIsOrdinal() const { return false; }
  virtual std::string StopOrdinal(uint64_t, std::string_view /*wordBefore*/) const { return {}; }
  // The number in a king's or pope's name.
  virtual std::string Regnal(uint64_t value) const { return Ordinal(value, Gender::kMasculine); }
  // Groups of a telephone number; digit by digit unless a language reads pairs.
  virtual std::string PhoneGroup(std::string_view digits) const;

  std::string Digits(std::string_view digits) const;
  std::string Letter(char32_t letter) const;
  std::string Spell(std::string_view code) const;

 protected:
  explicit Reader(const Lexicon& lexicon) : words_(lexicon) {}

 private:
  const Lexicon& words_;
};

const Reader& ReaderFor(Lang lang);

const Reader& EnglishReader();
const Reader& SpanishReader();
const Reader& FrenchReader();
const Reader& GermanReader();
const Reader& HindiReader();
const Reader& ItalianReader();
const Reader& PortugueseReader();

// Separates `words` from preceding text by one space.
void Say(std::string& out, std::string_view words);
// Most languages build numbers like this: a head, a scale word, a rest. Values above this are
// read as digits.
inline constexpr uint64_t kLargestCardinal = 999'999'999'999'999ULL;

}  // namespace trunkline::text
