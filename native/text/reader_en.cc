#include "text/reader.h"

namespace trunkline::text {
namespace {

constexpr std::string_view kOnes[] = {"zero",    "one",     "two",       "three",    "four",
                                      "five",    "six",     "seven",     "eight",    "nine",
                                      "ten",     "eleven",  "twelve",    "thirteen", "fourteen",
                                      "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::string_view kTens[] = {"",      "",      "twenty",  "thirty", "forty",
                                      "fifty", "sixty", "seventy", "eighty", "ninety"};
constexpr std::string_view kOrdinals[] = {"zeroth", "first",    "second",  "third",  "fourth",
                                          "fifth",  "sixth",    "seventh", "eighth", "ninth",
                                          "tenth",  "eleventh", "twelfth"};

constexpr MonthName kMonths[] = {
    {"january", 1},  {"jan", 1},    {"february", 2},  {"feb", 2},       {"march", 3},     {"mar", 3},
    {"april", 4},    {"apr", 4},    {"may", 5},       {"june", 6},      {"jun", 6},       {"july", 7},
    {"jul", 7},      {"august", 8}, {"aug", 8},       {"september", 9}, {"sept", 9},      {"sep", 9},
    {"october", 10}, {"oct", 10},   {"november", 11}, {"nov", 11},      {"december", 12}, {"dec", 12}};

constexpr Expansion kAbbreviations[] = {{"dr.", "doctor"},
                                        {"mr.", "mister"},
                                        {"mrs.", "missus"},
                                        {"ms.", "miz"},
                                        {"prof.", "professor"},
                                        {"st.", "street"},
                                        {"ave.", "avenue"},
                                        {"blvd.", "boulevard"},
                                        {"rd.", "road"},
                                        {"ln.", "lane"},
                                        {"hwy.", "highway"},
                                        {"apt.", "apartment"},
                                        {"ste.", "suite"},
                                        {"fl.", "floor"},
                                        {"inc.", "incorporated"},
                                        {"ltd.", "limited"},
                                        {"corp.", "corporation"},
                                        {"co.", "company"},
                                        {"vs.", "versus"},
                                        {"etc.", "et cetera"},
                                        {"e.g.", "for example"},
                                        {"i.e.", "that is"},
                                        {"approx.", "approximately"},
                                        {"dept.", "department"},
                                        {"ext.", "extension"},
                                        {"no.", "number"},
                                        {"nos.", "numbers"},
                                        {"jr.", "junior"},
                                        {"sr.", "senior"},
                                        {"mon.", "Monday"},
                                        {"tue.", "Tuesday"},
                                        {"tues.", "Tuesday"},
                                        {"wed.", "Wednesday"},
                                        {"thu.", "Thursday"},
                                        {"thur.", "Thursday"},
                                        {"thurs.", "Thursday"},
                                        {"fri.", "Friday"},
                                        {"min.", "minutes"},
                                        {"max.", "maximum"},
                                        {"est.", "established"},
                                        {"tel.", "telephone"},
                                        {"gen.", "general"},
                                        {"col.", "colonel"},
                                        {"capt.", "captain"},
                                        {"sgt.", "sergeant"},
                                        {"lt.", "lieutenant"},
                                        {"gov.", "governor"},
                                        {"sen.", "senator"},
                                        {"rep.", "representative"},
                                        {"rev.", "reverend"},
                                        {"hon.", "honorable"},
                                        {"w/o", "without"},
                                        {"w/", "with"},
                                        {"qty.", "quantity"},
                                        {"acct.", "account"},
                                        {"ref.", "reference"},
                                        {"fig.", "figure"},
                                        {"vol.", "volume"},
                                        {"pp.", "pages"},
                                        {"mo.", "month"},
                                        {"yr.", "year"},
                                        {"yrs.", "years"},
                                        {"hr.", "hour"},
                                        {"hrs.", "hours"},
                                        {"mt.", "mount"},
                                        {"bldg.", "building"},
                                        {"aka", "also known as"},
                                        {"a.k.a.", "also known as"}};

constexpr Expansion kSymbols[] = {
    {"&", "and"},           {"+", "plus"},    {"=", "equals"},    {"@", "at"},
    {"%", "percent"},       {"/", "slash"},   {"<", "less than"}, {">", "greater than"},
    {"~", "about"},         {"°", "degrees"}, {"×", "times"},     {"÷", "divided by"},
    {"±", "plus or minus"}, {"≈", "about"},   {"≤", "at most"},   {"≥", "at least"},
    {"§", "section"},       {"→", "to"},      {"€", "euros"},     {"£", "pounds"},
    {"$", "dollars"},       {"₹", "rupees"}};

constexpr Noun kDollar{"dollar", "dollars"}, kCent{"cent", "cents"};
constexpr Currency kCurrencies[] = {{"$", "USD", kDollar, kCent},
                                    {"US$", "", {"US dollar", "US dollars"}, kCent},
                                    {"C$", "CAD", {"Canadian dollar", "Canadian dollars"}, kCent},
                                    {"A$", "AUD", {"Australian dollar", "Australian dollars"}, kCent},
                                    {"€", "EUR", {"euro", "euros"}, kCent},
                                    {"£", "GBP", {"pound", "pounds"}, {"penny", "pence"}},
                                    {"₹", "INR", {"rupee", "rupees"}, {"paisa", "paise"}},
                                    {"Rs.", "Rs", {"rupee", "rupees"}, {"paisa", "paise"}},
                                    {"¥", "JPY", {"yen", "yen"}, {}},
                                    {"", "CHF", {"Swiss franc", "Swiss francs"}, {"centime", "centimes"}},
                                    {"R$", "BRL", {"real", "reais"}, {"centavo", "centavos"}},
                                    {"", "MXN", {"Mexican peso", "Mexican pesos"}, {"centavo", "centavos"}},
                                    {"", "CNY", {"yuan", "yuan"}, {}},
                                    {"₿", "BTC", {"bitcoin", "bitcoins"}, {}},
                                    {"₩", "KRW", {"won", "won"}, {}}};

constexpr Unit kUnits[] = {{"%", {"percent", "percent"}},
                           {"°C", {"degree Celsius", "degrees Celsius"}},
                           {"°F", {"degree Fahrenheit", "degrees Fahrenheit"}},
                           {"°", {"degree", "degrees"}},
                           {"¢", {"cent", "cents"}},
                           {"km", {"kilometer", "kilometers"}},
                           {"m", {"meter", "meters"}},
                           {"cm", {"centimeter", "centimeters"}},
                           {"mm", {"millimeter", "millimeters"}},
                           {"mi", {"mile", "miles"}},
                           {"ft", {"foot", "feet"}},
                           {"in", {"inch", "inches"}},
                           {"yd", {"yard", "yards"}},
                           {"kg", {"kilogram", "kilograms"}},
                           {"g", {"gram", "grams"}},
                           {"mg", {"milligram", "milligrams"}},
                           {"mcg", {"microgram", "micrograms"}},
                           {"lb", {"pound", "pounds"}},
                           {"lbs", {"pound", "pounds"}},
                           {"lb.", {"pound", "pounds"}},
                           {"lbs.", {"pound", "pounds"}},
                           {"oz", {"ounce", "ounces"}},
                           {"L", {"liter", "liters"}},
                           {"l", {"liter", "liters"}},
                           {"ml", {"milliliter", "milliliters"}},
                           {"mL", {"milliliter", "milliliters"}},
                           {"gal", {"gallon", "gallons"}},
                           {"mph", {"mile per hour", "miles per hour"}},
                           {"km/h", {"kilometer per hour", "kilometers per hour"}},
                           {"kmh", {"kilometer per hour", "kilometers per hour"}},
                           {"m²", {"square meter", "square meters"}},
                           {"km²", {"square kilometer", "square kilometers"}},
                           {"m³", {"cubic meter", "cubic meters"}},
                           {"sq ft", {"square foot", "square feet"}},
                           {"sqft", {"square foot", "square feet"}},
                           {"ms", {"millisecond", "milliseconds"}},
                           {"s", {"second", "seconds"}},
                           {"sec", {"second", "seconds"}},
                           {"min", {"minute", "minutes"}},
                           {"mins", {"minute", "minutes"}},
                           {"h", {"hour", "hours"}},
                           {"hr", {"hour", "hours"}},
                           {"hrs", {"hour", "hours"}},
                           {"Hz", {"hertz", "hertz"}},
                           {"kHz", {"kilohertz", "kilohertz"}},
                           {"MHz", {"megahertz", "megahertz"}},
                           {"GHz", {"gigahertz", "gigahertz"}},
                           {"KB", {"kilobyte", "kilobytes"}},
                           {"kB", {"kilobyte", "kilobytes"}},
                           {"MB", {"megabyte", "megabytes"}},
                           {"GB", {"gigabyte", "gigabytes"}},
                           {"TB", {"terabyte", "terabytes"}},
                           {"Mbps", {"megabit per second", "megabits per second"}},
                           {"Gbps", {"gigabit per second", "gigabits per second"}},
                           {"W", {"watt", "watts"}},
                           {"kW", {"kilowatt", "kilowatts"}},
                           {"kWh", {"kilowatt hour", "kilowatt hours"}},
                           {"V", {"volt", "volts"}},
                           {"mAh", {"milliamp hour", "milliamp hours"}},
                           {"dB", {"decibel", "decibels"}},
                           {"px", {"pixel", "pixels"}},
                           {"kcal", {"kilocalorie", "kilocalories"}},
                           {"x", {"time", "times"}},
                           {"k", {"thousand", "thousand"}},
                           {"K", {"thousand", "thousand"}}};

constexpr Noun kScales[] = {{"thousand", "thousand"}, {"million", "million"}, {"billion", "billion"},
                            {"trillion", "trillion"}, {"hundred", "hundred"}, {"lakh", "lakh"},
                            {"crore", "crore"}};
constexpr Expansion kScaleLetters[] = {{"k", "thousand"}, {"K", "thousand"}, {"M", "million"},
                                       {"m", "million"},  {"mn", "million"}, {"B", "billion"},
                                       {"bn", "billion"}, {"T", "trillion"}};
constexpr std::string_view kWordAcronyms[] = {
    "nasa", "nato",  "unicef", "unesco", "opec",  "covid", "laser", "radar",   "sim",
    "pin",  "ram",   "rom",    "zip",    "gif",   "swat",  "aids",  "scuba",   "fema",
    "osha", "nafta", "visa",   "cobra",  "hipaa", "sonar", "modem", "captcha", "lan",
    "wan",  "yolo",  "lidar",  "saas",   "cad",   "ikea",  "lego",  "nike",    "nasdaq"};
constexpr std::string_view kShouted[] = {
    "ok",   "no",   "yes",  "not",  "the",   "and",  "for",  "you",  "your", "stop",  "call",  "free", "new",
    "now",  "help", "all",  "one",  "two",   "are",  "is",   "am",   "in",   "on",    "at",    "to",   "of",
    "or",   "if",   "it",   "we",   "he",    "do",   "go",   "so",   "be",   "by",    "my",    "me",   "up",
    "out",  "off",  "any",  "end",  "start", "only", "must", "will", "can",  "this",  "that",  "with", "from",
    "have", "has",  "had",  "was",  "but",   "how",  "who",  "why",  "what", "when",  "sale",  "save", "win",
    "buy",  "get",  "see",  "hold", "wait",  "very", "here", "open", "away", "back",  "more",  "most", "need",
    "want", "last", "next", "week", "day",   "year", "time", "home", "does", "don't", "never", "ever", "hey",
    "wow",  "oh",   "mr",   "mrs",  "dr",    "main", "east", "west", "park", "ave",   "road",  "lane", "good",
    "best", "send", "text", "live", "ad"};
constexpr std::string_view kCodeCues[] = {
    "code",    "codes",        "pin",       "zip",    "number",  "no",       "account", "order", "reference",
    "ref",     "confirmation", "extension", "ext",    "room",    "flight",   "ticket",  "case",  "id",
    "invoice", "passcode",     "password",  "card",   "booking", "tracking", "serial",  "suite", "apartment",
    "otp",     "ending",       "digits",    "policy", "claim",   "member",   "gate"};
constexpr std::string_view kYearCues[] = {
    "in",     "since",  "of",     "year",      "until",   "till",     "by",       "before",    "after",
    "from",   "during", "circa",  "around",    "late",    "early",    "mid",      "born",      "spring",
    "summer", "fall",   "autumn", "winter",    "january", "february", "march",    "april",     "may",
    "june",   "july",   "august", "september", "october", "november", "december", "copyright", "class"};
constexpr std::string_view kDateCues[] = {
    "on",    "by",     "until",   "till",      "before",   "after",  "since",    "from",   "due", "date",
    "dated", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "for"};
constexpr std::string_view kPhoneCues[] = {"call", "phone",    "telephone", "tel", "dial",
                                           "text", "mobile",   "cell",      "fax", "number",
                                           "at",   "whatsapp", "hotline"};
constexpr std::string_view kRomanCues[] = {"chapter", "part",  "war",   "volume",   "section",  "act",
                                           "phase",   "type",  "level", "title",    "article",  "book",
                                           "class",   "stage", "bowl",  "schedule", "appendix", "tier"};
constexpr std::string_view kHourWords[] = {"o'clock", "oclock"};

constexpr Lexicon MakeLexicon() {
  Lexicon w{};
  for (int i = 0; i < 10; ++i) w.digits[i] = kOnes[i];
  w.minus = "minus", w.plus = "plus", w.point = "point", w.percent = "percent", w.and_ = "and", w.to = "to";
  w.by = "by", w.over = "over", w.equals = "equals", w.number = "number", w.degrees = "degrees",
  w.times = "times";
  w.at = "at", w.dot = "dot", w.dash = "dash", w.underscore = "underscore", w.slash = "slash",
  w.hash = "hash";
  w.colon = "colon", w.per = "per", w.hashtag = "hashtag", w.centsJoiner = "and";
  constexpr std::string_view kNames[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
  for (int i = 0; i < 12; ++i) w.months[i] = kNames[i];
  w.monthNames = kMonths, w.abbreviations = kAbbreviations, w.symbols = kSymbols, w.currencies = kCurrencies;
  w.units = kUnits, w.scales = kScales, w.scaleLetters = kScaleLetters, w.wordAcronyms = kWordAcronyms;
  w.shouted = kShouted, w.codeCues = kCodeCues, w.yearCues = kYearCues, w.dateCues = kDateCues;
  w.phoneCues = kPhoneCues, w.romanCues = kRomanCues, w.hourWords = kHourWords;
  w.decimalMark = '.', w.monthFirst = true;
  return w;
}
constexpr Lexicon kLexicon = MakeLexicon();

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
