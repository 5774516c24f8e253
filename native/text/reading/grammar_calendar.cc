#include "text/reading/grammar.h"
#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

int ToInt(std::string_view digits) {
  int value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

int FullYear(std::string_view digits) {
  const int year = ToInt(digits);
  if (digits.size() != 2) return year;
  return year < 70 ? 2000 + year : 1900 + year;
}

bool IsDay(std::string_view digits) {
  return digits.size() <= 2 && ToInt(digits) >= 1 && ToInt(digits) <= 31;
}
bool IsMonth(int month) {
  return month >= 1 && month <= 12;
}

}  // namespace

// The month named at `at`; `taken` counts its full stop too. English wants the capital: "may" and "march" are
// words.
int Grammar::MonthAt(size_t at, size_t& taken) const {
  if (!IsWord(at)) return 0;
  const std::string_view word = tokens_[at].text;
  if (words_.monthFirst && !IsUpper(ToCodePoints(word)[0])) return 0;
  const std::string lower = Lower(word);
  for (const MonthName& name : words_.monthNames) {
    if (name.written != lower) continue;
    const bool full = words_.months[name.month - 1].size() == name.written.size();
    taken = 1 + (!full && IsMark(at + 1, '.') ? 1 : 0);
    return name.month;
  }
  return 0;
}

// ", 2026", " 2026", " de 2026".
size_t Grammar::YearAfter(size_t at, Date& date) const {
  size_t i = at;
  if (IsMark(i, ',')) ++i;
  i = SkipSpace(i);
  if (IsWord(i) && (Lower(tokens_[i].text) == "de" || Lower(tokens_[i].text) == "del")) i = SkipSpace(i + 1);
  if (!IsNumber(i) || tokens_[i].text.size() != 4 || IsWord(i + 1)) return 0;
  if ((IsMark(i + 1, ',') || IsMark(i + 1, '.') || IsMark(i + 1, ':')) && IsNumber(i + 2)) return 0;
  const int year = ToInt(tokens_[i].text);
  if (year < 1000 || year > 2199) return 0;
  date.year = year;
  return i + 1 - at;
}

size_t Grammar::NumericDate(size_t at, Date& date) const {
  if (!IsNumber(at) || !StartsHere(at)) return 0;
  const char32_t sep = at + 1 < tokens_.size() ? tokens_[at + 1].mark : 0;
  if (sep != '-' && sep != '/' && sep != '.') return 0;
  if (!IsNumber(at + 2)) return 0;
  const std::string_view first = tokens_[at].text;
  const std::string_view second = tokens_[at + 2].text;
  const bool three = IsMark(at + 3, sep) && IsNumber(at + 4);
  if (!three) {
    if (!IsDay(first) || !IsDay(second) || !Contains(words_.dateCues, WordBefore(at))) return 0;
    if (sep == '.' && reader_.FullStopIsOrdinal() && IsMark(at + 3, '.')) {  // am 14.3.
      date.day = ToInt(first);
      date.month = ToInt(second);
      return IsMonth(date.month) ? 4 : 0;
    }
    if (sep != '/' || !EndsHere(at + 3)) return 0;
    const bool swap = words_.monthFirst ? ToInt(first) <= 12 : ToInt(second) > 12;
    date.month = ToInt(swap ? first : second);
    date.day = ToInt(swap ? second : first);
    return IsMonth(date.month) ? 3 : 0;
  }
  const std::string_view third = tokens_[at + 4].text;
  if (IsMark(at + 5, '.') && IsNumber(at + 6)) return 0;
  if (first.size() == 4 && second.size() <= 2 && third.size() <= 2) {
    date = {ToInt(first), ToInt(second), ToInt(third)};
  } else if (IsDay(first) && IsDay(second) && (third.size() == 4 || (third.size() == 2 && sep != '-'))) {
    const bool monthFirst = sep != '.' && ((words_.monthFirst && ToInt(first) <= 12) || ToInt(second) > 12);
    date.year = FullYear(third);
    date.month = ToInt(monthFirst ? first : second);
    date.day = ToInt(monthFirst ? second : first);
    if (sep == '.' && third.size() == 2 && first.size() + second.size() < 3 && words_.decimalMark == '.')
      return 0;
  } else {
    return 0;
  }
  if (!IsMonth(date.month) || date.day < 1 || date.day > 31) return 0;
  const bool time = IsWord(at + 5) && (tokens_[at + 5].text == "T") && IsNumber(at + 6);
  if (IsWord(at + 5) && !time) return 0;
  return time ? 6 : 5;
}

size_t Grammar::DayThenMonth(size_t at, Date& date) const {
  if (!IsNumber(at) || !IsDay(tokens_[at].text)) return 0;
  size_t i = at + 1;
  if (IsWord(i)) {  // 14th, 1er, 1º
    if (reader_.SuffixedOrdinal(1, Lower(tokens_[i].text)).empty()) return 0;
    ++i;
  } else if ((reader_.FullStopIsOrdinal() && IsMark(i, '.')) ||
             (IsMark(i, 0xB0) && words_.decimalMark == ',')) {
    ++i;
  }
  i = SkipSpace(i);
  if (i == at + 1 && !IsMark(i, '-')) return 0;
  if (IsMark(i, '-')) ++i;
  if (IsWord(i) && (Lower(tokens_[i].text) == "of" || Lower(tokens_[i].text) == "de")) i = SkipSpace(i + 1);
  size_t taken = 0;
  date.month = MonthAt(i, taken);
  if (date.month == 0) return 0;
  date.day = ToInt(tokens_[at].text);
  date.dayFirst = true;
  i += taken;
  if (IsMark(i, '-') && IsNumber(i + 1) && tokens_[i + 1].text.size() == 4) {
    date.year = ToInt(tokens_[i + 1].text);
    return i + 2 - at;
  }
  return i + YearAfter(i, date) - at;
}

size_t Grammar::MonthThenDay(size_t at, Date& date) const {
  size_t taken = 0;
  date.month = MonthAt(at, taken);
  if (date.month == 0) return 0;
  size_t i = SkipSpace(at + taken);
  if (i == at + taken || !IsNumber(i)) return 0;
  if (tokens_[i].text.size() == 4) {  // March 2026
    const size_t year = YearAfter(at + taken, date);
    return year == 0 ? 0 : taken + year;
  }
  if (!words_.monthFirst || !IsDay(tokens_[i].text) || IsMark(i + 1, ':') || IsMark(i + 1, '%')) return 0;
  date.day = ToInt(tokens_[i].text);
  ++i;
  if (IsWord(i)) {
    if (reader_.SuffixedOrdinal(1, Lower(tokens_[i].text)).empty()) return 0;
    ++i;
  }
  return i + YearAfter(i, date) - at;
}

size_t Grammar::CalendarDate(size_t at) {
  Date date;
  size_t taken = NumericDate(at, date);
  if (taken == 0) taken = DayThenMonth(at, date = Date{});
  if (taken == 0) taken = MonthThenDay(at, date = Date{});
  if (taken == 0) return 0;
  PutWord(reader_.SayDate(date, WordBefore(at)));
  if (IsWord(at + taken - 1) && tokens_[at + taken - 1].text == "T") PutPause(",");
  if (IsMark(at + taken - 1, '.') && at + taken >= tokens_.size()) PutPause(".");
  return taken;
}

// "pm", "p.m.", "p. m.", "AM": counts its tokens, from a space before it on.
size_t Grammar::DayHalfAt(size_t at, DayHalf& half) const {
  const size_t from = SkipSpace(at);
  if (!IsWord(from)) return 0;
  const std::string word = Lower(tokens_[from].text);
  if (word == "am" || word == "pm") {
    half = word == "am" ? DayHalf::kMorning : DayHalf::kAfternoon;
    // After a space, a lowercase "am" ("I am") is a verb only without a number before it, so it
    // counts here.
    return from + 1 - at;
  }
  if ((word != "a" && word != "p") || !IsMark(from + 1, '.')) return 0;
  const size_t second = SkipSpace(from + 2);
  if (!IsWord(second) || Lower(tokens_[second].text) != "m") return 0;
  half = word == "a" ? DayHalf::kMorning : DayHalf::kAfternoon;
  return second + 1 + (IsMark(second + 1, '.') ? 1 : 0) - at;
}

size_t Grammar::ParseTime(size_t at, ClockTime& time) const {
  if (!IsNumber(at) || tokens_[at].text.size() > 2) return 0;
  time.hour = ToInt(tokens_[at].text);
  if (time.hour > 24) return 0;
  size_t i = at + 1;
  bool certain = false;
  const bool minutes = IsNumber(i + 1) && tokens_[i + 1].text.size() == 2 && ToInt(tokens_[i + 1].text) < 60;
  const bool hWord =
      IsWord(i) && (tokens_[i].text == "h" || tokens_[i].text == "H") && words_.decimalMark == ',';
  const size_t spacedH =
      IsSpace(i) && IsWord(i + 1) && tokens_[i + 1].text == "h" && words_.decimalMark == ',';
  if ((IsMark(i, ':') || hWord) && minutes) {
    time.minute = ToInt(tokens_[i + 1].text);
    i += 2;
    certain = true;
    if (IsMark(i, ':') && IsNumber(i + 1) && tokens_[i + 1].text.size() == 2) {
      time.second = ToInt(tokens_[i + 1].text);
      i += 2;
      if (IsMark(i, '.') && IsNumber(i + 1)) i += 2;
    }
    if (IsWord(i) && (tokens_[i].text == "Z" || tokens_[i].text == "h" || tokens_[i].text == "min")) ++i;
    if (IsSpace(i) && IsWord(i + 1) && tokens_[i + 1].text == "h" && words_.decimalMark == ',') i += 2;
  } else if (IsMark(i, '.') && minutes) {
    time.minute = ToInt(tokens_[i + 1].text);
    i += 2;  // 3.30 is a time only when a later word shows it
  } else if (hWord || spacedH) {
    i += hWord ? 1 : 2;
    certain = true;
  }
  const size_t half = DayHalfAt(i, time.half);
  const bool twelve = time.half != DayHalf::kNone;
  if (twelve && time.hour > 12 && !certain) return 0;
  i += half;
  const size_t word = SkipSpace(i);
  if (IsWord(word) && Contains(words_.hourWords, Lower(tokens_[word].text))) {
    time.wordFollows = true;
    certain = true;
    i = word + 1;
  }
  if (IsWord(i) || (IsMark(i, ':') && IsNumber(i + 1))) return 0;
  return certain || twelve ? i - at : 0;
}

size_t Grammar::ClockTimeOfDay(size_t at) {
  if (!IsNumber(at) || (!StartsHere(at) && !IsMark(at - 1, '-') && !IsMark(at - 1, 0x2013) &&
                        !(IsWord(at - 1) && tokens_[at - 1].text == "T"))) {
    return 0;
  }
  ClockTime time;
  size_t taken = ParseTime(at, time);
  if (taken == 0) {
    // 3-5 pm: the first hour has no sign of its own.
    size_t second = SkipSpace(at + 1);
    if (!IsMark(second, '-') && !IsMark(second, 0x2013)) return 0;
    second = SkipSpace(second + 1);
    const size_t more = ParseTime(second, time);
    if (more == 0 || tokens_[at].text.size() > 2 || ToInt(tokens_[at].text) > 24) return 0;
    PutWord(reader_.Cardinal(static_cast<uint64_t>(ToInt(tokens_[at].text)), Gender::kBare));
    PutWord(words_.to);
    taken = second + more - at;
  }
  PutWord(reader_.SayTime(time));
  const size_t after = at + taken;
  const bool stopTaken = IsMark(after - 1, '.');
  if (stopTaken && EndsSentence(after)) PutPause(".");
  const size_t dash = SkipSpace(after);
  if ((IsMark(dash, '-') || IsMark(dash, 0x2013)) && IsNumber(SkipSpace(dash + 1))) {
    ClockTime end;
    if (ParseTime(SkipSpace(dash + 1), end) != 0) {
      PutWord(words_.to);
      return SkipSpace(dash + 1) - at;
    }
  }
  return taken;
}

}  // namespace trunkline::text
