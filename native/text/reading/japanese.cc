#include "text/reading/japanese.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "text/reading/clean.h"
#include "text/reading/grammar.h"
#include "text/reading/reader.h"
#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

constexpr std::string_view kReadAsText = "\uE002", kSaidAsText = "\uE003", kReadEndText = "\uE004";
constexpr std::string_view kKanji[] = {"〇", "一", "二", "三", "四", "五", "六", "七", "八", "九"};
constexpr std::string_view kNumerals[] = {"一", "二", "三", "四", "五", "六", "七",
                                          "八", "九", "十", "百", "千", "万", "億"};
constexpr std::string_view kSaid[] = {"ゼロ", "イチ", "ニー", "サン", "ヨン",
                                      "ゴー", "ロク", "ナナ", "ハチ", "キュー"};
constexpr size_t kLongestValue = 15;  // digits that are still read as one number
constexpr size_t kLongestPlain = 8;   // a longer run without separators is a number of an account

using Words = std::pair<std::string_view, std::string_view>;
constexpr Words kSigned[] = {{"US$", "ドル"}, {"USD", "ドル"}, {"EUR", "ユーロ"}, {"GBP", "ポンド"},
                             {"JPY", "円"},   {"$", "ドル"},   {"€", "ユーロ"},   {"£", "ポンド"},
                             {"¥", "円"},     {"￥", "円"},    {"₩", "ウォン"}};
constexpr Words kMeasured[] = {{"km/h", "キロ"},
                               {"km²", "ヘーホーキロメートル"},
                               {"m²", "ヘーホーメートル"},
                               {"㎡", "ヘーホーメートル"},
                               {"km", "キロメートル"},
                               {"cm", "センチメートル"},
                               {"mm", "ミリメートル"},
                               {"kg", "キログラム"},
                               {"mg", "ミリグラム"},
                               {"ml", "ミリリットル"},
                               {"mL", "ミリリットル"},
                               {"kWh", "キロワットジ"},
                               {"kW", "キロワット"},
                               {"MHz", "メガヘルツ"},
                               {"GHz", "ギガヘルツ"},
                               {"kHz", "キロヘルツ"},
                               {"Hz", "ヘルツ"},
                               {"GB", "ギガバイト"},
                               {"MB", "メガバイト"},
                               {"TB", "テラバイト"},
                               {"dB", "デシベル"},
                               {"°C", "ド"},
                               {"℃", "ド"},
                               {"°", "ド"},
                               {"%", "パーセント"},
                               {"m", "メートル"},
                               {"g", "グラム"},
                               {"t", "トン"},
                               {"L", "リットル"},
                               {"l", "リットル"},
                               {"W", "ワット"},
                               {"V", "ボルト"}};
struct Scale {
  std::string_view written, said;
  uint64_t value;
};
constexpr Scale kLarge[] = {
    {"兆", "チョー", 1'000'000'000'000ULL}, {"億", "オク", 100'000'000ULL}, {"万", "マン", 10'000ULL}};
constexpr Scale kSmall[] = {{"千", "セン", 1'000}, {"百", "ヒャク", 100}};
constexpr uint64_t kLargestScaled = 10'000'000'000'000'000ULL;  // 一京, which has no name in JapaneseCardinal
constexpr std::string_view kNumberWords[] = {"番号",   "電話", "コード", "暗証", "口座",
                                             "カード", "郵便", "会員",   "予約", "注文"};

// 1日 is a length of time, イチニチ, behind or before these; 1日に何度, 1日約3回.
constexpr std::string_view kBeforeOneDay[] = {"か月", "ヶ月",   "カ月", "ヵ月", "ケ月", "箇月",
                                              "あと", "残り",   "丸",   "まる", "もう", "約",
                                              "週",   "たった", "最低", "最長", "最大", "最短"};
constexpr std::string_view kBehindOneDay[] = {
    "分",   "後",   "前",   "中",   "券",   "以内", "以上",   "以下",   "あたり", "当たり", "当り", "につき",
    "ごと", "おき", "ずつ", "かけ", "かか", "だけ", "しか",   "半",     "早",     "遅",     "乗",   "休",
    "で",   "を",   "も",   "ほど", "程度", "平均", "くらい", "ぐらい", "あれば", "足らず", "余り"};
constexpr std::string_view kCountsPerDay[] = {"約", "最大", "最低", "平均", "合計", "何", "数"};

bool StartsWithAny(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [text](std::string_view word) { return text.starts_with(word); });
}

bool EndsWithAny(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [text](std::string_view word) { return text.ends_with(word); });
}

class JapaneseReader {
 public:
  explicit JapaneseReader(std::string_view cleaned) : text_(cleaned) {
    for (size_t at = 0; at < cleaned.size();) {
      begins_.push_back(at);
      codes_.push_back(DecodeOne(cleaned, at));
    }
    begins_.push_back(cleaned.size());
  }

  std::string Read() {
    for (size_t at = 0; at < codes_.size();) at += ReadOne(at);
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    return std::move(out_);
  }

 private:
  struct Amount {
    std::string whole, fraction;
    size_t end = 0;
    bool grouped = false;
    uint64_t value() const { return std::stoull(whole); }
  };

  char32_t Code(size_t at) const { return at < codes_.size() ? codes_[at] : 0; }
  bool DigitAt(size_t at) const { return IsDigit(Code(at)); }
  bool LatinAt(size_t at) const { return IsLetter(Code(at)) && Code(at) < 0x3040; }
  std::string_view Part(size_t from, size_t to) const {
    return text_.substr(begins_[from], begins_[to] - begins_[from]);
  }
  bool Has(size_t at, std::string_view written) const {
    return at < codes_.size() && text_.substr(begins_[at]).starts_with(written);
  }
  size_t EndOfDigits(size_t at) const {
    while (DigitAt(at)) ++at;
    return at;
  }
  size_t SkipSpaces(size_t at) const {
    while (Code(at) == ' ') ++at;
    return at;
  }
  uint64_t ValueOf(size_t from, size_t to) const { return std::stoull(std::string(Part(from, to))); }
  bool IsRange(size_t at) const {
    const char32_t c = Code(at);
    return c == '-' || c == '~' || c == 0x2013 || c == 0x301C || c == 0x2014;
  }

  // Writes what stands in the text, and how it is said.
  void Put(std::string_view written, std::string_view kana) {
    out_.append(kReadAsText).append(written).append(kSaidAsText).append(kana).append(kReadEndText);
  }
  void Pause(std::string_view mark);
  size_t ReadOne(size_t at);
  size_t Latin(size_t at);
  size_t CalendarDate(size_t at);
  size_t ClockTimeOfDay(size_t at);
  size_t Telephone(size_t at);
  size_t Price(size_t at);
  size_t Quantity(size_t at);
  size_t Numerals(size_t at);
  size_t Mark(size_t at);
  bool ParseAmount(size_t at, Amount& amount) const;
  static std::string SayDigits(std::string_view digits);
  static std::string WriteDigits(std::string_view digits);
  std::string SayAmount(const Amount& amount) const;
  std::string_view Rest(size_t at) const { return text_.substr(begins_[std::min(at, codes_.size())]); }
  std::string_view CounterAt(size_t at) const { return JapaneseCounterAt(Rest(at)); }
  size_t TakeScales(size_t at, uint64_t& value, std::string& written) const;
  bool IsFraction(size_t at) const;
  bool IsOneDayLong(size_t from, size_t behind) const;
  bool FollowsNumberWord(size_t at) const;

  std::string_view text_;
  std::vector<char32_t> codes_;
  std::vector<size_t> begins_;
  std::string out_;
};

void JapaneseReader::Pause(std::string_view mark) {
  if (out_.find_first_not_of(' ') == std::string::npos) return out_.clear();
  AppendPause(out_, mark);
  out_.push_back(' ');
}

size_t JapaneseReader::ReadOne(size_t at) {
  using Recogniser = size_t (JapaneseReader::*)(size_t);
  static constexpr Recogniser kOrder[] = {&JapaneseReader::Latin,          &JapaneseReader::CalendarDate,
                                          &JapaneseReader::ClockTimeOfDay, &JapaneseReader::Telephone,
                                          &JapaneseReader::Price,          &JapaneseReader::Quantity,
                                          &JapaneseReader::Numerals};
  for (const Recogniser recognise : kOrder) {
    if (const size_t taken = (this->*recognise)(at); taken != 0) return taken;
  }
  return Mark(at);
}

// Latin words as English reads them; an address keeps its digits.
size_t JapaneseReader::Latin(size_t at) {
  if (!LatinAt(at)) return 0;
  for (const auto& [written, said] : kSigned) {
    if (Has(at, written) && DigitAt(SkipSpaces(at + CountCodePoints(written)))) return 0;
  }
  size_t end = at;
  const auto in_address = [](char32_t c) {
    return c < 0x80 &&
           (IsLetter(c) || IsDigit(c) ||
            std::string_view("@._%+-/:?=&~").find(static_cast<char>(c)) != std::string_view::npos);
  };
  while (end < codes_.size() && in_address(codes_[end])) ++end;
  while (end > at && (Code(end - 1) == '.' || Code(end - 1) == ':' || Code(end - 1) == '?')) --end;
  const std::string_view run = Part(at, end);
  const bool address = run.find("://") != std::string_view::npos || run.starts_with("www.") ||
                       (run.find('@') != std::string_view::npos && run.find('.') != std::string_view::npos);
  if (!address) {
    end = at;
    for (size_t next = at; next < codes_.size(); ++next) {
      if (LatinAt(next)) {
        end = next + 1;
      } else if (!((Code(next) == ' ' || Code(next) == '\'' || Code(next) == '-') && LatinAt(next + 1))) {
        break;
      }
    }
  }
  if (!out_.empty() && out_.back() != ' ' && !out_.ends_with(kStressText)) out_.push_back(' ');
  out_ += Grammar(Part(at, end), EnglishReader()).Read();
  if (end < codes_.size() && IsLetter(Code(end))) out_.push_back(' ');
  return end - at;
}

std::string JapaneseReader::SayDigits(std::string_view digits) {
  std::string out;
  for (const char c : digits) out += kSaid[c - '0'];
  return out;
}

std::string JapaneseReader::WriteDigits(std::string_view digits) {
  std::string out;
  for (const char c : digits) {
    if (c >= '0' && c <= '9') out += kKanji[c - '0'];
  }
  return out;
}

size_t JapaneseReader::CalendarDate(size_t at) {
  if (!DigitAt(at) || (at > 0 && DigitAt(at - 1))) return 0;
  const size_t end = EndOfDigits(at);
  const char32_t mark = Code(end);
  if (end - at != 4 || Code(at) == '0' || (mark != '-' && mark != '/' && mark != '.')) return 0;
  const size_t month_end = EndOfDigits(end + 1), day_end = EndOfDigits(month_end + 1);
  if (month_end == end + 1 || month_end - end > 3 || Code(month_end) != mark) return 0;
  if (day_end == month_end + 1 || day_end - month_end > 3 || Code(day_end) == mark) return 0;
  const uint64_t month = ValueOf(end + 1, month_end), day = ValueOf(month_end + 1, day_end);
  if (month < 1 || month > 12 || day < 1 || day > 31) return 0;
  Put(WriteDigits(Part(at, end)) + "年", JapaneseCounted(ValueOf(at, end), "年"));
  Put("一月", JapaneseCounted(month, "月"));
  Put("一日", JapaneseCounted(day, "日"));
  return day_end - at;
}

size_t JapaneseReader::ClockTimeOfDay(size_t at) {
  const size_t end = EndOfDigits(at);
  if (end == at || end - at > 2 || Code(end) != ':' || (at > 0 && DigitAt(at - 1))) return 0;
  size_t stop = EndOfDigits(end + 1);
  if (stop != end + 3) return 0;
  const uint64_t hour = ValueOf(at, end), minute = ValueOf(end + 1, stop);
  if (hour > 24 || minute > 59) return 0;
  uint64_t second = 0;
  if (Code(stop) == ':' && EndOfDigits(stop + 1) == stop + 3) {
    second = ValueOf(stop + 1, stop + 3);
    stop += 3;
  }
  const size_t word = SkipSpaces(stop);
  const bool morning = Has(word, "AM") || Has(word, "am"), afternoon = Has(word, "PM") || Has(word, "pm");
  if ((morning || afternoon) && !LatinAt(word + 2)) {
    Put(morning ? "午前" : "午後", morning ? "ゴゼン" : "ゴゴ");
    stop = word + 2;
  }
  Put("一時", JapaneseCounted(hour, "時"));
  if (minute > 0) Put("一分", JapaneseCounted(minute, "分"));
  if (second > 0) Put("一秒", JapaneseCounted(second, "秒"));
  if (IsRange(stop) && DigitAt(stop + 1)) {
    out_ += "から";
    ++stop;
  }
  return stop - at;
}

// "03-1234-5678", "090 1234 5678", "+81 3 1234 5678": digit by digit, ノ between the groups.
size_t JapaneseReader::Telephone(size_t at) {
  const bool plus = Code(at) == '+' && DigitAt(at + 1);
  if (!plus && (!DigitAt(at) || (at > 0 && (DigitAt(at - 1) || Code(at - 1) == '.')))) return 0;
  std::vector<std::string> groups;
  size_t digits = 0, next = at + (plus ? 1 : 0), end = next;
  while (DigitAt(next)) {
    end = EndOfDigits(next);
    groups.emplace_back(Part(next, end));
    digits += groups.back().size();
    if (!((Code(end) == '-' || Code(end) == ' ') && DigitAt(end + 1))) break;
    next = end + 1;
  }
  const bool zero = groups.front().front() == '0' &&
                    (groups.size() >= 3 || (groups.size() == 1 && digits >= 10)) && digits >= 10 &&
                    digits <= 11;
  if (!zero && !(plus && digits >= 9)) return 0;
  std::string said = plus ? "プラス" : "";
  for (size_t i = 0; i < groups.size(); ++i) said.append(i > 0 ? " ノ " : "").append(SayDigits(groups[i]));
  Put("番号", said);
  return end - at;
}

bool JapaneseReader::ParseAmount(size_t at, Amount& amount) const {
  if (!DigitAt(at)) return false;
  amount = {};
  amount.end = EndOfDigits(at);
  amount.whole = Part(at, amount.end);
  while ((amount.grouped || amount.end - at <= 3) && Code(amount.end) == ',' &&
         EndOfDigits(amount.end + 1) == amount.end + 4) {
    amount.whole += Part(amount.end + 1, amount.end + 4);
    amount.end += 4;
    amount.grouped = true;
  }
  if (Code(amount.end) != '.' || !DigitAt(amount.end + 1)) return true;
  const size_t end = EndOfDigits(amount.end + 1);
  if (Code(end) == '.' && DigitAt(end + 1)) return true;  // 1.2.3 is a version
  amount.fraction = Part(amount.end + 1, end);
  amount.end = end;
  return true;
}

std::string JapaneseReader::SayAmount(const Amount& amount) const {
  const bool zeros = amount.whole.size() > 1 && amount.whole.front() == '0';
  const bool account = !amount.grouped && amount.fraction.empty() && amount.whole.size() > kLongestPlain &&
                       amount.whole.find_first_not_of('0', 1) != std::string::npos;
  if (zeros || account || amount.whole.size() > kLongestValue) {
    std::string said = SayDigits(amount.whole);
    return amount.fraction.empty() ? said : said + "テン" + SayDigits(amount.fraction);
  }
  if (amount.fraction.empty()) return JapaneseCardinal(amount.value());
  const std::string whole = amount.value() == 0 ? "レー" : JapaneseCounted(amount.value(), "点");
  const bool joined = whole.ends_with("テン");
  return whole + (joined ? "" : "テン") + SayDigits(amount.fraction);
}

// "1億2千万", "3万5000": `value` stands before `at`. Returns the end of the scales and the digits between them.
size_t JapaneseReader::TakeScales(size_t at, uint64_t& value, std::string& written) const {
  uint64_t total = 0, group = 0, digits = value, below = 10'000, largest = kLargestScaled;
  const auto take = [&](const Scale& scale) {
    written += scale.written;
    ++at;
    return scale.value;
  };
  for (bool more = true; more;) {
    more = false;
    uint64_t times = 1;
    for (const Scale& scale : kSmall) {
      if (scale.value >= below || !Has(at, scale.written)) continue;
      times = take(scale);
      more = true;
      break;
    }
    group += digits * times;
    below = times;
    for (const Scale& scale : kLarge) {
      if (scale.value >= largest || group >= kLargestScaled / scale.value || !Has(at, scale.written))
        continue;
      largest = take(scale);
      total += std::exchange(group, 0) * largest;
      below = 10'000;
      more = true;
      break;
    }
    Amount rest;
    if (!more || !ParseAmount(at, rest) || !rest.fraction.empty() || rest.grouped || rest.whole.size() > 4 ||
        rest.whole.front() == '0' || rest.value() >= below)
      break;
    digits = rest.value();
    written += WriteDigits(rest.whole);
    at = rest.end;
  }
  value = total + group;
  return at;
}

// "3分の1" is サンブンノイチ, "10分の休憩" is not.
bool JapaneseReader::IsFraction(size_t at) const {
  return Has(at, "分の") && (DigitAt(at + 2) || StartsWithAny(Rest(at + 2), kNumerals));
}

// "1日3回" and "あと1日" are a length of time, "4月1日" and "1日10時" a date.
bool JapaneseReader::IsOneDayLong(size_t from, size_t behind) const {
  while (from > 0 && Code(from - 1) == ' ') --from;
  const std::string_view before = text_.substr(0, begins_[from]);
  if (EndsWithAny(before, kBeforeOneDay)) return true;
  if (before.ends_with("月")) return false;
  size_t next = SkipSpaces(behind);
  if (StartsWithAny(Rest(next), kBehindOneDay)) return true;
  if (Has(next, "に")) next = SkipSpaces(next + 1);
  if (StartsWithAny(Rest(next), kCountsPerDay) || StartsWithAny(Rest(next), kNumerals)) return true;
  const size_t end = EndOfDigits(next);
  return end > next && Code(end) != ':' && CounterAt(SkipSpaces(end)) != "時";
}

bool JapaneseReader::FollowsNumberWord(size_t at) const {
  size_t end = at;
  while (end > 0 &&
         (Code(end - 1) == ' ' || Code(end - 1) == ':' || Has(end - 1, "は") || Has(end - 1, "の")))
    --end;
  const std::string_view before = text_.substr(0, begins_[end]);
  return EndsWithAny(before, kNumberWords);
}

size_t JapaneseReader::Price(size_t at) {
  for (const auto& [written, said] : kSigned) {
    Amount amount;
    if (!Has(at, written) || !ParseAmount(SkipSpaces(at + CountCodePoints(written)), amount)) continue;
    size_t end = amount.end;
    std::string kana;
    std::string figures = WriteDigits(amount.whole);
    if (amount.fraction.empty() && amount.whole.size() <= kLongestValue) {
      uint64_t value = amount.value();
      if (value > 0) end = TakeScales(end, value, figures);
      kana = JapaneseCounted(value, said);
    }
    if (kana.empty()) {
      kana = SayAmount(amount);
      for (const Scale& scale : kLarge) {
        if (amount.fraction.empty() || !Has(end, scale.written)) continue;
        kana += scale.said;
        ++end;
      }
      kana += said == "円" ? std::string_view("エン") : said;
    }
    if (Has(end, said)) end += CountCodePoints(said);
    Put(figures.append(said), kana);
    return end - at;
  }
  return 0;
}

size_t JapaneseReader::Quantity(size_t at) {
  const bool minus = Code(at) == '-' && DigitAt(at + 1) && (at == 0 || !(DigitAt(at - 1) || LatinAt(at - 1)));
  Amount amount;
  const size_t start = at + (minus ? 1 : 0);
  if (!ParseAmount(start, amount)) return 0;
  size_t end = amount.end;
  std::string written = WriteDigits(amount.whole), kana;
  if (Code(end) == '.' && DigitAt(end + 1)) {  // 1.2.3, 192.168.0.1
    kana = SayDigits(amount.whole);
    while (Code(end) == '.' && DigitAt(end + 1)) {
      const size_t next = EndOfDigits(end + 1);
      kana += "テン" + SayDigits(Part(end + 1, next));
      end = next;
    }
  } else if (Code(end) == '/' && DigitAt(end + 1) && amount.fraction.empty()) {
    Amount under;
    ParseAmount(end + 1, under);
    end = under.end;
    kana = SayAmount(under) + "ブンノ" + SayAmount(amount);
  } else if (amount.fraction.empty() && amount.whole.size() >= 2 && FollowsNumberWord(start) &&
             CounterAt(end).empty()) {
    kana = SayDigits(amount.whole);
  } else {
    uint64_t value = amount.whole.size() <= kLongestValue && amount.fraction.empty() ? amount.value() : 0;
    const bool counted =
        amount.fraction.empty() && amount.whole.size() <= kLongestValue &&
        (amount.whole.size() == 1 || amount.whole.front() != '0' || amount.whole.size() == 2);
    const size_t scaled_end = counted && value > 0 ? TakeScales(end, value, written) : end;
    const bool scaled = scaled_end > end;
    end = scaled_end;
    const std::string_view counter = CounterAt(SkipSpaces(end));
    // A long number before 番 or 号 is that of an order.
    const bool order = amount.whole.size() > kLongestPlain && (counter == "番" || counter == "号");
    if (counted && !counter.empty() && !order) {
      const size_t behind = SkipSpaces(end) + CountCodePoints(counter);
      const bool one_day = value == 1 && counter == "日" && IsOneDayLong(start, behind);
      kana = one_day           ? "イチニチ"
             : IsFraction(end) ? JapaneseCardinal(value) + "ブン"
                               : JapaneseCounted(value, counter);
      if (!kana.empty()) {
        written += counter;
        end = behind;
      }
    }
    if (kana.empty()) kana = scaled ? JapaneseCardinal(value) : SayAmount(amount);
    for (const auto& [unit, said] : kMeasured) {
      const size_t unit_at = SkipSpaces(end), behind = unit_at + CountCodePoints(unit);
      if (!Has(unit_at, unit) || LatinAt(behind) || DigitAt(behind)) continue;
      kana = unit == "km/h" ? "ジソク" + kana : kana;
      kana += said;
      end = behind;
      break;
    }
  }
  Put(written.empty() ? std::string("一") : written, (minus ? "マイナス" : "") + kana);
  const size_t dash = SkipSpaces(end);
  if (!IsRange(dash) || !DigitAt(SkipSpaces(dash + 1))) return end - at;
  out_ += "から";
  return SkipSpaces(dash + 1) - at;
}

// The dictionary reads numbers in characters, but 三日間 as サンニチカン, 二人前 as フタリマエ and 三分の一 as サンプンノイチ.
size_t JapaneseReader::Numerals(size_t at) {
  constexpr std::string_view kMore[] = {"数", "何", "第"};
  const std::string_view before = text_.substr(0, begins_[at]);
  if (EndsWithAny(before, kNumerals) || EndsWithAny(before, kMore) || (at > 0 && DigitAt(at - 1))) return 0;
  uint64_t tens = 0, ones = 0;
  size_t end = at;
  for (; end < codes_.size(); ++end) {
    const auto* const digit =
        std::ranges::find_if(kKanji, [&](std::string_view kanji) { return Has(end, kanji); });
    if (ones == 0 && digit != std::end(kKanji) && digit != kKanji) {
      ones = static_cast<uint64_t>(digit - kKanji);
    } else if (tens == 0 && Has(end, "十")) {
      tens = 10 * std::max<uint64_t>(1, std::exchange(ones, 0));
    } else {
      break;
    }
  }
  if (end == at) return 0;
  const std::string_view counter = CounterAt(end);
  const bool fraction = IsFraction(end);
  if (!fraction && counter != "日間" && counter != "人前") return 0;
  const size_t behind = end + CountCodePoints(counter);
  Put(Part(at, behind),
      fraction ? JapaneseCardinal(tens + ones) + "ブン" : JapaneseCounted(tens + ones, counter));
  return behind - at;
}

size_t JapaneseReader::Mark(size_t at) {
  const char32_t c = Code(at);
  switch (c) {
    case '.':
      if (LatinAt(at - 1) && LatinAt(at + 1)) {
        out_ += "ドット";
        return 1;
      }
      [[fallthrough]];
    case ',':
    case ';':
    case ':':
    case '!':
    case '?':
      Pause(Part(at, at + 1));
      return 1;
    case '(':
    case ')':
    case 0x2026:
    case 0x3010:
    case 0x3011:
    case '~':
    case 0x301C:
    case 0x2014:
    case '/':
    case '|':
      Pause(",");
      return 1;
    case kStress:
      if (!out_.empty() && out_.back() != ' ') out_.push_back(' ');
      out_.append(kStressText);
      return 1;
    case ' ':
      // A written space divides words, as between a family name and a given one.
      if (!out_.empty() && out_.back() != ' ') out_.push_back(' ');
      return 1;
    case '&':
      out_ += "アンド";
      return 1;
    case '+':
      out_ += "プラス";
      return 1;
    case '=':
      out_ += "イコール";
      return 1;
    case '%':
      out_ += "パーセント";
      return 1;
    case '@':
      out_ += "アットマーク";
      return 1;
    case '#':
      out_ += "シャープ";
      return 1;
    case 0xD7:
      out_ += "カケル";
      return 1;
    default:
      break;
  }
  if (c == 0x30FB) {
    if (!out_.empty() && out_.back() != ' ') out_.push_back(' ');
  } else if (IsLetter(c) || c == 0x3005 || c == 0x3007) {
    out_.append(Part(at, at + 1));
  }
  return 1;
}

// Half-width katakana, with their marks, as the full ones; a space behind marks that end a number.
std::string Widened(std::string_view utf8) {
  constexpr std::u32string_view kWide =
      U"ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラ"
      U"リルレロワン";
  constexpr std::u32string_view kVoiceable = U"カキクケコサシスセソタチツテトハヒフヘホ",
                                kHalfVoiceable = U"ハヒフヘホ";
  std::string out;
  out.reserve(utf8.size() + 16);
  std::vector<char32_t> codes = ToCodePoints(utf8);
  for (size_t i = 0; i < codes.size(); ++i) {
    char32_t c = codes[i];
    if (c >= 0xFF66 && c <= 0xFF9D) {
      c = kWide[c - 0xFF66];
      const char32_t mark = i + 1 < codes.size() ? codes[i + 1] : 0;
      if (mark == 0xFF9E && (kVoiceable.find(c) != std::u32string_view::npos || c == U'ウ')) {
        c = c == U'ウ' ? U'ヴ' : c + 1;
        ++i;
      } else if (mark == 0xFF9F && kHalfVoiceable.find(c) != std::u32string_view::npos) {
        c += 2;
        ++i;
      }
    }
    AppendUtf8(c, out);
    if (c == 0x3001 || c == 0x3002 || c == 0xFF0C) out.push_back(' ');
  }
  return out;
}

}  // namespace

std::string ReadJapanese(std::string_view utf8) {
  return JapaneseReader(Clean(Widened(utf8))).Read();
}

}  // namespace trunkline::text
