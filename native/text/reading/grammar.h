#pragma once

// Finds numbers, money, dates, times, telephone numbers, addresses, codes and acronyms in cleaned
// text and writes them as one language reads them. Every recogniser reads the tokens from `at`,
// appends the words and returns how many tokens it took; 0: no match, and nothing was appended.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/reading/reader.h"
#include "text/reading/tokens.h"

namespace trunkline::text {

// A longer run of digits without separators is an account or a card, and is read in groups.
inline constexpr size_t kLongestCode = 6;

// The stronger of two adjacent pauses stays, and the spaces before it go.
void AppendPause(std::string& out, std::string_view mark);

class Grammar {
 public:
  Grammar(std::string_view cleaned, const Reader& reader);
  std::string Read();

 private:
  static uint64_t ToValue(std::string_view digits);
  struct Literal {
    std::string whole;  // digits without separators
    std::string fraction;
    bool hasFraction = false;
    bool grouped = false;
    size_t taken = 0;
    uint64_t value = 0;  // the value of `whole`; 0 when `tooLong`
    bool tooLong = false;
  };

  // grammar.cc
  size_t ReadOne(size_t at);
  size_t Mark(size_t at);
  size_t DashMark(size_t at);
  void PutWord(std::string_view words);
  void PutPause(std::string_view mark);
  bool Is(size_t at, Token::Kind kind) const { return at < tokens_.size() && tokens_[at].kind == kind; }
  bool IsWord(size_t at) const { return Is(at, Token::Kind::kWord); }
  bool IsNumber(size_t at) const { return Is(at, Token::Kind::kNumber); }
  bool IsSpace(size_t at) const { return Is(at, Token::Kind::kSpace); }
  bool IsMark(size_t at, char32_t mark) const {
    return Is(at, Token::Kind::kPunct) && tokens_[at].mark == mark;
  }
  bool StartsHere(size_t at) const;  // nothing, a space or an opening mark stands before
  bool EndsHere(size_t at) const;    // nothing, a space or a pause follows
  bool EndsSentence(size_t at) const;
  size_t SkipSpace(size_t at) const { return IsSpace(at) ? at + 1 : at; }
  std::string WordBefore(size_t at, size_t back = 0) const;
  bool CueBefore(size_t at, std::span<const std::string_view> cues) const;

  // grammar_numbers.cc
  bool ParseNumber(size_t at, Literal& literal) const;
  std::string SayLiteral(const Literal& literal, Gender gender) const;
  std::string SayLongDigits(std::string_view digits, size_t longestPlain = kLongestCode) const;
  size_t Quantity(size_t at);
  size_t AfterNumber(const Literal& literal, size_t at, std::string& said);
  size_t RangeAfter(const Literal& literal, size_t at, std::string& said);
  size_t FractionAfter(const Literal& literal, size_t at, std::string& said);
  size_t UnitAfter(const Literal& literal, size_t at, std::string& said);
  size_t FindUnit(size_t at, const Unit** unit) const;
  bool IsYear(const Literal& literal, size_t at) const;
  size_t Phone(size_t at);
  bool LooksLikePhone(const std::vector<std::string_view>& groups, size_t at, bool plus, bool spaced) const;
  std::string SayPhone(const std::vector<std::string_view>& groups, bool plus) const;

  // grammar_calendar.cc
  size_t CalendarDate(size_t at);
  size_t NumericDate(size_t at, Date& date) const;
  size_t DayThenMonth(size_t at, Date& date) const;
  size_t MonthThenDay(size_t at, Date& date) const;
  size_t YearAfter(size_t at, Date& date) const;
  int MonthAt(size_t at, size_t& taken) const;
  size_t ClockTimeOfDay(size_t at);
  size_t ParseTime(size_t at, ClockTime& time) const;
  size_t DayHalfAt(size_t at, DayHalf& half) const;

  // grammar_currency.cc
  size_t Amount(size_t at);
  size_t FindCurrency(size_t at, const Currency** currency) const;
  size_t FindScale(size_t at, const Noun** scale) const;
  std::string SayAmount(const Literal& literal, const Currency& currency, const Noun* scale) const;
  size_t PerAfter(size_t at, std::string& said) const;

  // grammar_names.cc
  size_t Address(size_t at);
  std::string SayAddress(std::string_view address) const;
  size_t Abbreviation(size_t at);
  size_t DottedLetters(size_t at);
  size_t Code(size_t at);
  size_t Acronym(size_t at);
  size_t Roman(size_t at);
  std::string SayCapitals(std::string_view word) const;

  const Reader& reader_;
  const Lexicon& words_;
  std::string_view text_;
  std::vector<Token> tokens_;
  std::string out_;
  bool glue_ = false;      // the next word joins the last one: "well-known"
  bool shouting_ = false;  // all capitals, so they do not mark acronyms
};

bool Contains(std::span<const std::string_view> list, std::string_view word);
bool IsAllUpper(std::string_view word);
bool IsAllLower(std::string_view word);
bool IsPronounceable(std::string_view lower);
uint64_t ParseRoman(std::string_view word);

}  // namespace trunkline::text
