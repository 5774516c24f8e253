#include "text/reading/chinese.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "text/reading/clean.h"
#include "text/reading/grammar.h"
#include "text/reading/reader.h"
#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr std::string_view kDigits[] = {"零", "一", "二", "三", "四", "五", "六", "七", "八", "九"};
constexpr size_t kLongestNumber = 15;  // digits that are still read as one number
constexpr size_t kLongestCounted = 7;  // a longer run without separators is a number of an account

// Signs and codes of currencies; the longest come first.
constexpr Pair kCurrencies[] = {{"HK$", "港元"}, {"NT$", "新台币"}, {"US$", "美元"}, {"RMB", "元"},
                                {"CNY", "元"},   {"USD", "美元"},   {"EUR", "欧元"}, {"GBP", "英镑"},
                                {"JPY", "日元"}, {"HKD", "港元"},   {"KRW", "韩元"}, {"$", "美元"},
                                {"€", "欧元"},   {"£", "英镑"},     {"¥", "元"},     {"￥", "元"},
                                {"₩", "韩元"},   {"₹", "卢比"},     {"₽", "卢布"}};
constexpr Pair kUnits[] = {{"km/h", "公里每小时"},
                           {"m/s", "米每秒"},
                           {"kWh", "千瓦时"},
                           {"km²", "平方公里"},
                           {"cm²", "平方厘米"},
                           {"m²", "平方米"},
                           {"m³", "立方米"},
                           {"km", "公里"},
                           {"cm", "厘米"},
                           {"mm", "毫米"},
                           {"kg", "公斤"},
                           {"mg", "毫克"},
                           {"ml", "毫升"},
                           {"mL", "毫升"},
                           {"min", "分钟"},
                           {"ms", "毫秒"},
                           {"kHz", "千赫"},
                           {"MHz", "兆赫"},
                           {"GHz", "吉赫"},
                           {"Hz", "赫兹"},
                           {"kW", "千瓦"},
                           {"dB", "分贝"},
                           {"°C", "摄氏度"},
                           {"°F", "华氏度"},
                           {"℃", "摄氏度"},
                           {"℉", "华氏度"},
                           {"㎡", "平方米"},
                           {"°", "度"},
                           {"m", "米"},
                           {"g", "克"},
                           {"t", "吨"},
                           {"L", "升"},
                           {"l", "升"},
                           {"h", "小时"},
                           {"s", "秒"},
                           {"W", "瓦"},
                           {"V", "伏"},
                           {"x", "倍"}};
// Before these, two is 两. 二月, 二日, 二号, 二楼 and 二层 are numbers in a row.
constexpr std::string_view kMeasures[] = {
    "个", "只", "本",   "张",   "条",   "件",   "位",   "名",   "天",   "年",   "次",    "小时", "分钟", "岁",
    "元", "块", "杯",   "瓶",   "米",   "公里", "公斤", "斤",   "点",   "种",   "家",    "台",   "辆",   "遍",
    "周", "倍", "人",   "页",   "秒",   "份",   "间",   "部",   "封",   "套",   "双",    "对",   "把",   "场",
    "句", "支", "座",   "箱",   "袋",   "盒",   "美元", "欧元", "英镑", "日元", "港元",  "升",   "吨",   "克",
    "万", "亿", "千",   "百万", "字",   "股",   "户",   "项",   "所",   "亩",   "票",    "篇",   "集",   "册",
    "棵", "头", "平方", "厘米", "毫米", "毫升", "公顷", "韩元", "卢布", "卢比", "新台币"};
// These make a number a quantity and are no measures: 二以上 is not 两以上.
constexpr std::string_view kRough[] = {"多", "余", "左右", "以上", "以下", "以内", "人民币"};
// Words that begin as a measure does: "95588人工服务" has a telephone number, "座位12个人" a code.
constexpr std::string_view kOtherWords[] = {
    "人工", "个人", "对公", "对外", "对此", "对于", "对方", "对您", "点击", "位于", "部分", "年中", "支持",
    "座机", "本行", "本人", "周一", "周二", "周三", "周四", "周五", "周六", "周日", "周末", "把",   "多少"};
// Behind a number of years that is a length of time, and before one: 三千年前, 有一千五百年历史.
constexpr std::string_view kBehindSpan[] = {"前", "后", "来", "间", "历史", "的历史"};
constexpr std::string_view kBeforeSpan[] = {"有", "了", "近", "超过", "长达", "历经"};
// The digits behind these words are said one by one.
constexpr std::string_view kCodeWords[] = {"号码", "编号", "单号", "验证码", "密码", "账号",
                                           "帐号", "卡号", "房间", "航班",   "尾号", "代码",
                                           "邮编", "工号", "车牌", "座位",   "学号", "证号"};
constexpr std::string_view kPhoneWords[] = {"电话", "拨打", "致电", "热线", "手机", "分机", "传真", "拨"};
constexpr Pair kSigns[] = {{"&", "和"},     {"=", "等于"}, {"+", "加"},  {"×", "乘"},
                           {"÷", "除以"},   {"→", "到"},   {"@", "at"},  {"#", "井号"},
                           {"%", "百分号"}, {"°", "度"},   {"±", "正负"}};

bool IsLatin(char32_t c) {
  return IsLetter(c) && c < 0x3040;
}

class ChineseReader {
 public:
  explicit ChineseReader(std::string_view cleaned) : text_(cleaned) {
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
  struct Number {
    std::string whole, fraction;
    size_t end = 0;
    bool grouped = false;
  };

  char32_t Code(size_t at) const { return at < codes_.size() ? codes_[at] : 0; }
  bool DigitAt(size_t at) const { return IsDigit(Code(at)); }
  std::string_view Part(size_t from, size_t to) const {
    return text_.substr(begins_[from], begins_[to] - begins_[from]);
  }
  bool Has(size_t at, std::string_view written) const {
    return at < codes_.size() && text_.substr(begins_[at]).starts_with(written);
  }
  size_t After(size_t at, std::string_view written) const { return at + CountCodePoints(written); }
  size_t EndOfDigits(size_t at) const {
    while (DigitAt(at)) ++at;
    return at;
  }
  size_t SkipSpaces(size_t at) const {
    while (Code(at) == ' ') ++at;
    return at;
  }
  bool Follows(size_t at, std::span<const std::string_view> words) const;

  void Put(std::string_view words);
  void PutForeign(std::string_view words);
  void Pause(std::string_view mark);
  size_t ReadOne(size_t at);
  size_t Foreign(size_t at);
  size_t CalendarDate(size_t at);
  size_t ClockTimeOfDay(size_t at);
  size_t Telephone(size_t at);
  size_t Price(size_t at);
  size_t Quantity(size_t at);
  size_t Mark(size_t at);
  bool ParseNumber(size_t at, Number& number) const;
  std::string SayNumber(const Number& number, bool counted) const;
  std::string SayDigits(std::string_view digits, bool telephone) const;
  size_t UnitAt(size_t at, std::string_view& said) const;
  size_t CurrencyAt(size_t at, std::string_view& said) const;
  bool EndsBefore(size_t at, std::span<const std::string_view> words) const;
  bool IsRange(size_t at) const;
  bool IsCounted(size_t at) const;
  bool IsYear(size_t at, size_t end) const;

  std::string_view text_;
  std::vector<char32_t> codes_;
  std::vector<size_t> begins_;
  std::string out_;
  bool foreign_ = false;  // the last word was in Latin letters
};

uint64_t ToValue(std::string_view digits) {
  uint64_t value = 0;
  for (const char c : digits) value = value * 10 + static_cast<uint64_t>(c - '0');
  return value;
}

// Four digits; `lead`: nothing stands before them.
std::string UnderTenThousand(uint64_t value, bool lead) {
  constexpr std::string_view kPlaces[] = {"千", "百", "十", ""};
  std::string out;
  bool zero = false;
  uint64_t scale = 1000;
  for (const std::string_view place : kPlaces) {
    const uint64_t digit = value / scale % 10;
    scale /= 10;
    if (digit == 0) {
      zero = !out.empty() || !lead;
      continue;
    }
    if (zero) out += kDigits[0];
    zero = false;
    const bool ten = place == "十" && digit == 1 && out.empty() && lead;
    if (!ten) out += place == "千" && digit == 2 && lead ? std::string_view("两") : kDigits[digit];
    out += place;
  }
  return out;
}

void ChineseReader::Put(std::string_view words) {
  if (foreign_ && !words.empty() && !out_.empty() && out_.back() != ' ') out_.push_back(' ');
  foreign_ = false;
  out_.append(words);
}

void ChineseReader::PutForeign(std::string_view words) {
  if (words.empty()) return;
  if (!out_.empty() && out_.back() != ' ' && !out_.ends_with(kStressText)) out_.push_back(' ');
  out_.append(words);
  foreign_ = true;
}

void ChineseReader::Pause(std::string_view mark) {
  foreign_ = false;
  if (out_.find_first_not_of(' ') == std::string::npos) return out_.clear();
  AppendPause(out_, mark);
  out_.push_back(' ');
}

size_t ChineseReader::ReadOne(size_t at) {
  using Recogniser = size_t (ChineseReader::*)(size_t);
  static constexpr Recogniser kOrder[] = {&ChineseReader::Foreign,        &ChineseReader::CalendarDate,
                                          &ChineseReader::ClockTimeOfDay, &ChineseReader::Telephone,
                                          &ChineseReader::Price,          &ChineseReader::Quantity};
  for (const Recogniser recognise : kOrder) {
    if (const size_t taken = (this->*recognise)(at); taken != 0) return taken;
  }
  return Mark(at);
}

// A run of Latin words as English reads it. An address keeps its digits: "info2@example.com".
size_t ChineseReader::Foreign(size_t at) {
  size_t end = at;
  bool address = false;
  const auto inside = [](char32_t c) {
    return c < 0x80 &&
           (IsLatin(c) || IsDigit(c) ||
            std::string_view("@._%+-/:?=&~").find(static_cast<char>(c)) != std::string_view::npos);
  };
  while (end < codes_.size() && inside(codes_[end])) ++end;
  const std::string_view run = Part(at, end);
  address = run.find("://") != std::string_view::npos ||
            (run.find('@') != std::string_view::npos && run.find('.') != std::string_view::npos) ||
            run.starts_with("www.");
  if (address && (IsLatin(Code(at)) || DigitAt(at))) {
    while (end > at && (Code(end - 1) == '.' || Code(end - 1) == ':' || Code(end - 1) == '?')) --end;
    PutForeign(Grammar(Part(at, end), EnglishReader()).Read());
    return end - at;
  }
  if (!IsLatin(Code(at))) return 0;
  std::string_view currency;
  if (const size_t sign = CurrencyAt(at, currency); sign != 0 && DigitAt(SkipSpaces(at + sign))) return 0;
  end = at;
  size_t letters = at;
  while (end < codes_.size()) {
    const char32_t c = codes_[end];
    if (IsLatin(c)) {
      letters = ++end;
    } else if ((c == ' ' || c == '\'' || c == '-') && IsLatin(Code(end + 1))) {
      ++end;
    } else {
      break;
    }
  }
  PutForeign(Grammar(Part(at, letters), EnglishReader()).Read());
  return letters - at;
}

bool ChineseReader::EndsBefore(size_t at, std::span<const std::string_view> words) const {
  size_t end = at;
  while (end > 0 && (Code(end - 1) == ' ' || Code(end - 1) == ':' || Code(end - 1) == '#')) --end;
  if (end > 0 && Has(end - 1, "是")) --end;
  if (end > 0 && Has(end - 1, "为")) --end;
  const std::string_view before = text_.substr(0, begins_[end]);
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return before.ends_with(word); });
}

bool ChineseReader::Follows(size_t at, std::span<const std::string_view> words) const {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return Has(at, word); });
}

// Returns whether the number before `at` has a measure, a unit or a currency.
bool ChineseReader::IsCounted(size_t at) const {
  const size_t spaced = SkipSpaces(at);
  std::string_view said;
  const bool measured = Follows(spaced, kMeasures) || Follows(spaced, kRough);
  return (measured && !Follows(spaced, kOtherWords)) || UnitAt(spaced, said) > 0 ||
         CurrencyAt(spaced, said) > 0;
}

// Four digits are a year, unless 年 makes them a length of time: 2030年前 is before that year, 2000年前 so long ago.
bool ChineseReader::IsYear(size_t at, size_t end) const {
  if (end - at != 4 || (Code(at) != '1' && Code(at) != '2')) return false;
  if (!Has(end, "年")) return true;
  const size_t behind = end + 1;
  const bool history = Has(behind, "历史") || Has(behind, "的历史");
  if (EndsBefore(at, kBeforeSpan) && (history || Part(at, end).ends_with("00"))) return false;
  return !Part(at, end).ends_with("00") || Has(behind, "前后") || !Follows(behind, kBehindSpan);
}

// "2026年3月5日", "2026-03-05", "26年3月": a year is said digit by digit.
size_t ChineseReader::CalendarDate(size_t at) {
  if (!DigitAt(at) || (at > 0 && DigitAt(at - 1))) return 0;
  const size_t end = EndOfDigits(at);
  const std::string_view year = Part(at, end);
  const bool full = IsYear(at, end);
  if (full && Has(end, "年")) {
    Put(SayDigits(year, false));
    return end - at;
  }
  if (year.size() == 2 && Has(end, "年") && DigitAt(end + 1) && Has(EndOfDigits(end + 1), "月")) {
    Put(SayDigits(year, false));
    return end - at;
  }
  if (full && IsRange(end) && EndOfDigits(end + 1) == end + 5 && Has(end + 5, "年") &&
      IsYear(end + 1, end + 5)) {
    Put(SayDigits(year, false));
    Put("到");
    return end + 1 - at;
  }
  const char32_t mark = Code(end);
  if (!full || (mark != '-' && mark != '/' && mark != '.')) return 0;
  const size_t month_end = EndOfDigits(end + 1);
  const size_t day_end = EndOfDigits(month_end + 1);
  const bool months = month_end > end + 1 && month_end - end <= 3 && Code(month_end) == mark;
  if (!months || day_end == month_end + 1 || day_end - month_end > 3 || Code(day_end) == mark) return 0;
  const uint64_t month = ToValue(Part(end + 1, month_end)), day = ToValue(Part(month_end + 1, day_end));
  if (month < 1 || month > 12 || day < 1 || day > 31) return 0;
  Put(SayDigits(year, false));
  Put("年");
  Put(ChineseCardinal(month));
  Put("月");
  Put(ChineseCardinal(day));
  Put("日");
  return day_end - at;
}

// "15:30", "3:05 PM"; "3:2" is a score.
size_t ChineseReader::ClockTimeOfDay(size_t at) {
  const size_t end = EndOfDigits(at);
  if (end == at || end - at > 2 || Code(end) != ':' || (at > 0 && DigitAt(at - 1))) return 0;
  const size_t minute_end = EndOfDigits(end + 1);
  const uint64_t hour = ToValue(Part(at, end));
  if (minute_end == end + 1 || minute_end - end > 3) return 0;
  const uint64_t minute = ToValue(Part(end + 1, minute_end));
  if (minute_end - end == 2) {
    Put(ChineseCardinal(hour) + "比" + ChineseCardinal(minute));
    return minute_end - at;
  }
  if (hour > 24 || minute > 59) return 0;
  size_t stop = minute_end;
  uint64_t second = 0;
  if (Code(stop) == ':' && EndOfDigits(stop + 1) == stop + 3) {
    second = ToValue(Part(stop + 1, stop + 3));
    stop += 3;
  }
  const size_t word = SkipSpaces(stop);
  const bool morning = Has(word, "AM") || Has(word, "am"), afternoon = Has(word, "PM") || Has(word, "pm");
  if ((morning || afternoon) && !IsLatin(Code(word + 2))) {
    Put(morning ? "上午" : hour < 6 || hour == 12 ? "下午" : "晚上");
    stop = word + 2;
  }
  Put(ChineseCardinal(hour, true) + "点");
  if (minute > 0 || second > 0)
    Put((minute < 10 ? std::string(kDigits[0]) : std::string()) +
        (minute > 0 ? ChineseCardinal(minute) : "") + "分");
  if (second > 0) Put(ChineseCardinal(second) + "秒");
  if (IsRange(stop) && DigitAt(stop + 1)) {
    Put("到");
    ++stop;
  }
  return stop - at;
}

bool ChineseReader::IsRange(size_t at) const {
  const char32_t c = Code(at);
  return c == '-' || c == '~' || c == 0x2013 || c == 0x2014 || c == 0x301C;
}

// "138 0013 8000", "010-12345678", "+86 755 1234 5678", "95588"; behind a word for it any number is one,
// unless a measure follows.
size_t ChineseReader::Telephone(size_t at) {
  const bool plus = Code(at) == '+' && DigitAt(at + 1);
  if (!plus && (!DigitAt(at) || (at > 0 && (DigitAt(at - 1) || Code(at - 1) == '.')))) return 0;
  std::vector<std::string> groups;
  size_t digits = 0, end = at + (plus ? 1 : 0);
  size_t next = end;
  while (DigitAt(next)) {
    end = EndOfDigits(next);
    groups.emplace_back(Part(next, end));
    digits += groups.back().size();
    const bool joined = (Code(end) == '-' || Code(end) == ' ') && DigitAt(end + 1);
    if (!joined) break;
    next = end + 1;
  }
  const std::string& first = groups.front();
  // 95000元 and 13800000000元 are money, 手机3000元 too.
  if (groups.size() == 1 && !plus && (IsCounted(end) || Code(end) == '%')) return 0;
  const bool mobile = digits == 11 && first.size() >= 3 && first[0] == '1' && first[1] >= '3';
  const bool area = groups.size() >= 2 && first.size() >= 3 && first.size() <= 4 && digits >= 10 &&
                    digits <= 12 && (first.front() == '0' || first == "400" || first == "800");
  const bool service = groups.size() == 1 && digits == 5 && first.starts_with("95") &&
                       !first.ends_with("000") && !IsRange(end);
  const bool announced = EndsBefore(at, kPhoneWords) && digits >= 3;
  if ((!plus || digits < 9) && !mobile && !area && !service && !announced) return 0;
  if (Code(end) == '.' && DigitAt(end + 1)) return 0;
  if (groups.size() == 1 && mobile) groups = {first.substr(0, 3), first.substr(3, 4), first.substr(7)};
  std::string said = plus ? "加" : "";
  for (size_t i = 0; i < groups.size(); ++i) {
    if (i > 0) said += ", ";
    said += SayDigits(groups[i], true);
  }
  Put(said);
  return end - at;
}

bool ChineseReader::ParseNumber(size_t at, Number& number) const {
  if (!DigitAt(at)) return false;
  number = {};
  number.end = EndOfDigits(at);
  number.whole = Part(at, number.end);
  while (number.whole.size() <= kLongestNumber && (number.grouped || number.end - at <= 3) &&
         Code(number.end) == ',' && EndOfDigits(number.end + 1) == number.end + 4) {
    number.whole += Part(number.end + 1, number.end + 4);
    number.end += 4;
    number.grouped = true;
  }
  if (Code(number.end) != '.' || !DigitAt(number.end + 1)) return true;
  const size_t end = EndOfDigits(number.end + 1);
  if (Code(end) == '.' && DigitAt(end + 1)) return true;  // 1.2.3 is a version
  number.fraction = Part(number.end + 1, end);
  number.end = end;
  return true;
}

std::string ChineseReader::SayDigits(std::string_view digits, bool telephone) const {
  std::string out;
  for (const char c : digits) out += telephone && c == '1' ? std::string_view("幺") : kDigits[c - '0'];
  return out;
}

std::string ChineseReader::SayNumber(const Number& number, bool counted) const {
  const bool zeros = number.whole.size() > 1 && number.whole.front() == '0';
  const bool account = !counted && !number.grouped && number.fraction.empty() &&
                       number.whole.size() > kLongestCounted &&
                       number.whole.find_first_not_of('0', 1) != std::string::npos;
  std::string out = zeros || account || number.whole.size() > kLongestNumber
                        ? SayDigits(number.whole, false)
                        : ChineseCardinal(ToValue(number.whole), counted && number.fraction.empty());
  if (!number.fraction.empty()) out += "点" + SayDigits(number.fraction, false);
  return out;
}

size_t ChineseReader::CurrencyAt(size_t at, std::string_view& said) const {
  for (const auto& [written, name] : kCurrencies) {
    if (!Has(at, written)) continue;
    said = name;
    return CountCodePoints(written);
  }
  return 0;
}

size_t ChineseReader::UnitAt(size_t at, std::string_view& said) const {
  for (const auto& [written, name] : kUnits) {
    if (!Has(at, written) || IsLatin(Code(After(at, written))) || DigitAt(After(at, written))) continue;
    said = name;
    return CountCodePoints(written);
  }
  return 0;
}

// "¥123.45", "$5万": the sign stands before the number and is said behind it and its 万.
size_t ChineseReader::Price(size_t at) {
  std::string_view currency;
  const size_t sign = CurrencyAt(at, currency);
  if (sign == 0) return 0;
  Number number;
  if (!ParseNumber(SkipSpaces(at + sign), number)) return 0;
  size_t end = number.end;
  std::string_view scale;
  for (const std::string_view known : {"万亿", "百万", "千万", "万", "亿"}) {
    if (Has(end, known)) scale = known;
    if (!scale.empty()) break;
  }
  Put(SayNumber(number, true));
  Put(scale);
  end = After(end, scale);
  if (!Has(end, currency)) Put(currency);
  return end - at;
}

size_t ChineseReader::Quantity(size_t at) {
  const bool minus =
      Code(at) == '-' && DigitAt(at + 1) && (at == 0 || !(DigitAt(at - 1) || IsLatin(Code(at - 1))));
  Number number;
  const size_t start = at + (minus ? 1 : 0);
  if (!ParseNumber(start, number)) return 0;
  if (minus) Put("负");
  size_t end = number.end;
  if (Code(end) == '.' && DigitAt(end + 1)) {  // 1.2.3, 192.168.0.1
    Put(SayDigits(number.whole, false));
    while (Code(end) == '.' && DigitAt(end + 1)) {
      const size_t next = EndOfDigits(end + 1);
      Put("点" + SayDigits(Part(end + 1, next), false));
      end = next;
    }
    return end - at;
  }
  if (Code(end) == '%' || Code(end) == 0x2030) {
    Put(Code(end) == '%' ? "百分之" : "千分之");
    Put(SayNumber(number, false));
    ++end;
  } else if (Code(end) == '/' && DigitAt(end + 1) && number.fraction.empty()) {
    Number under;
    ParseNumber(end + 1, under);
    end = under.end;
    Put(SayNumber(under, false) + "分之" + SayNumber(number, false));
  } else if (EndsBefore(start, kCodeWords) && number.fraction.empty() && number.whole.size() >= 2 &&
             !IsCounted(end)) {
    Put(SayDigits(number.whole, false));
  } else {
    const size_t spaced = SkipSpaces(end);
    std::string_view unit;
    size_t taken = UnitAt(spaced, unit);
    if (taken == 0) taken = CurrencyAt(spaced, unit);
    const bool counted = taken > 0 || (Follows(spaced, kMeasures) && !Follows(spaced, kOtherWords));
    Put(SayNumber(number, counted && !(at > 0 && Has(at - 1, "第"))));
    Put(unit);
    if (taken > 0) end = spaced + taken;
  }
  const size_t dash = SkipSpaces(end);
  if (!IsRange(dash) || !DigitAt(SkipSpaces(dash + 1))) return end - at;
  Put("到");
  return SkipSpaces(dash + 1) - at;
}

size_t ChineseReader::Mark(size_t at) {
  const char32_t c = Code(at);
  if (c == '.' && at > 0 && IsLatin(Code(at - 1)) && IsLatin(Code(at + 1))) {  // example.com
    Put("点");
    return 1;
  }
  switch (c) {
    case '.':
    case ',':
    case ';':
    case ':':
    case '!':
    case '?':
      Pause(Part(at, at + 1));
      return 1;
    case '(':
    case ')':
    case 0x2014:
    case 0x2026:
    case 0x3010:
    case 0x3011:
    case '~':
    case 0x301C:
    case '/':
    case '|':
      Pause(",");
      return 1;
    case kStress:
      if (!out_.empty() && out_.back() != ' ') out_.push_back(' ');
      out_.append(kStressText);
      foreign_ = false;
      return 1;
    default:
      break;
  }
  // A space that was written stays only between words in Latin letters, and behind a stressed word, which it ends.
  if (c == ' ') {
    const size_t stress = out_.rfind(kStressText);
    if (stress != std::string::npos && out_.find(' ', stress) == std::string::npos) out_.push_back(' ');
    return 1;
  }
  for (const auto& [written, said] : kSigns) {
    if (!Has(at, written)) continue;
    if (static_cast<unsigned char>(said.front()) >= 0x80) {
      Put(said);
    } else {
      PutForeign(said);
    }
    return 1;
  }
  if (c == 0x3007) {
    Put(kDigits[0]);
  } else if (IsLetter(c)) {
    Put(Part(at, at + 1));
  }
  return 1;
}

// Chinese marks end a number, where an ASCII comma or full stop may stand in it.
std::string WithSpacedMarks(std::string_view utf8) {
  std::string out;
  out.reserve(utf8.size() + 16);
  for (size_t at = 0; at < utf8.size();) {
    const size_t begin = at;
    const char32_t c = DecodeOne(utf8, at);
    out.append(utf8.substr(begin, at - begin));
    if (c == 0x3001 || c == 0x3002 || c == 0xFF0C) out.push_back(' ');
  }
  return out;
}

}  // namespace

std::string ChineseCardinal(uint64_t value, bool counted) {
  if (value == 0) return std::string(kDigits[0]);
  if (value == 2 && counted) return "两";
  constexpr std::pair<uint64_t, std::string_view> kScales[] = {
      {1'000'000'000'000ULL, "万亿"}, {100'000'000ULL, "亿"}, {10'000ULL, "万"}, {1ULL, ""}};
  std::string out;
  bool skipped = false;
  for (const auto& [scale, name] : kScales) {
    const uint64_t group = value / scale % 10'000;
    const bool lead = out.empty();
    if (group == 0) {
      skipped = !lead;
      continue;
    }
    // UnderTenThousand writes the zero of 10,020; a group that was left out, as in 100,001,000, is a zero too.
    if (skipped && group >= 1000) out += kDigits[0];
    skipped = false;
    out += group == 2 && lead && scale > 1 ? std::string("两") : UnderTenThousand(group, lead);
    out += name;
  }
  return out;
}

std::string ReadChinese(std::string_view utf8) {
  return ChineseReader(Clean(WithSpacedMarks(utf8))).Read();
}

}  // namespace trunkline::text
