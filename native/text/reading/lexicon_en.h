// The English words of the reader.
#pragma once

#include "text/reading/reader.h"

namespace trunkline::text::en {

inline constexpr std::string_view kOnes[] = {"zero",    "one",     "two",       "three",    "four",
                                             "five",    "six",     "seven",     "eight",    "nine",
                                             "ten",     "eleven",  "twelve",    "thirteen", "fourteen",
                                             "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
inline constexpr std::string_view kTens[] = {"",      "",      "twenty",  "thirty", "forty",
                                             "fifty", "sixty", "seventy", "eighty", "ninety"};
inline constexpr std::string_view kOrdinals[] = {"zeroth", "first",    "second",  "third",  "fourth",
                                                 "fifth",  "sixth",    "seventh", "eighth", "ninth",
                                                 "tenth",  "eleventh", "twelfth"};

inline constexpr MonthName kMonths[] = {
    {"january", 1},  {"jan", 1},    {"february", 2},  {"feb", 2},       {"march", 3},     {"mar", 3},
    {"april", 4},    {"apr", 4},    {"may", 5},       {"june", 6},      {"jun", 6},       {"july", 7},
    {"jul", 7},      {"august", 8}, {"aug", 8},       {"september", 9}, {"sept", 9},      {"sep", 9},
    {"october", 10}, {"oct", 10},   {"november", 11}, {"nov", 11},      {"december", 12}, {"dec", 12}};

inline constexpr Expansion kAbbreviations[] = {{"dr.", "doctor"},
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

inline constexpr Expansion kSymbols[] = {
    {"&", "and"},           {"+", "plus"},    {"=", "equals"},    {"@", "at"},
    {"%", "percent"},       {"/", "slash"},   {"<", "less than"}, {">", "greater than"},
    {"~", "about"},         {"°", "degrees"}, {"×", "times"},     {"÷", "divided by"},
    {"±", "plus or minus"}, {"≈", "about"},   {"≤", "at most"},   {"≥", "at least"},
    {"§", "section"},       {"→", "to"},      {"€", "euros"},     {"£", "pounds"},
    {"$", "dollars"},       {"₹", "rupees"}};

inline constexpr Noun kDollar{"dollar", "dollars"}, kCent{"cent", "cents"};
inline constexpr Currency kCurrencies[] = {
    {"$", "USD", kDollar, kCent},
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

inline constexpr Unit kUnits[] = {{"%", {"percent", "percent"}},
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

inline constexpr Noun kScales[] = {{"thousand", "thousand"}, {"million", "million"}, {"billion", "billion"},
                                   {"trillion", "trillion"}, {"hundred", "hundred"}, {"lakh", "lakh"},
                                   {"crore", "crore"}};
inline constexpr Expansion kScaleLetters[] = {{"k", "thousand"}, {"K", "thousand"}, {"M", "million"},
                                              {"m", "million"},  {"mn", "million"}, {"B", "billion"},
                                              {"bn", "billion"}, {"T", "trillion"}};
inline constexpr std::string_view kWordAcronyms[] = {
    "nasa", "nato",  "unicef", "unesco", "opec",  "covid", "laser", "radar",   "sim",
    "pin",  "ram",   "rom",    "zip",    "gif",   "swat",  "aids",  "scuba",   "fema",
    "osha", "nafta", "visa",   "cobra",  "hipaa", "sonar", "modem", "captcha", "lan",
    "wan",  "yolo",  "lidar",  "saas",   "cad",   "ikea",  "lego",  "nike",    "nasdaq"};
inline constexpr std::string_view kShouted[] = {
    "ok",   "no",   "yes",  "not",  "the",   "and",  "for",  "you",  "your", "stop",  "call",  "free", "new",
    "now",  "help", "all",  "one",  "two",   "are",  "is",   "am",   "in",   "on",    "at",    "to",   "of",
    "or",   "if",   "it",   "we",   "he",    "do",   "go",   "so",   "be",   "by",    "my",    "me",   "up",
    "out",  "off",  "any",  "end",  "start", "only", "must", "will", "can",  "this",  "that",  "with", "from",
    "have", "has",  "had",  "was",  "but",   "how",  "who",  "why",  "what", "when",  "sale",  "save", "win",
    "buy",  "get",  "see",  "hold", "wait",  "very", "here", "open", "away", "back",  "more",  "most", "need",
    "want", "last", "next", "week", "day",   "year", "time", "home", "does", "don't", "never", "ever", "hey",
    "wow",  "oh",   "mr",   "mrs",  "dr",    "main", "east", "west", "park", "ave",   "road",  "lane", "good",
    "best", "send", "text", "live", "ad"};
inline constexpr std::string_view kCodeCues[] = {
    "code",    "codes",        "pin",       "zip",    "number",  "no",       "account", "order", "reference",
    "ref",     "confirmation", "extension", "ext",    "room",    "flight",   "ticket",  "case",  "id",
    "invoice", "passcode",     "password",  "card",   "booking", "tracking", "serial",  "suite", "apartment",
    "otp",     "ending",       "digits",    "policy", "claim",   "member",   "gate"};
inline constexpr std::string_view kYearCues[] = {
    "in",     "since",  "of",     "year",      "until",   "till",     "by",       "before",    "after",
    "from",   "during", "circa",  "around",    "late",    "early",    "mid",      "born",      "spring",
    "summer", "fall",   "autumn", "winter",    "january", "february", "march",    "april",     "may",
    "june",   "july",   "august", "september", "october", "november", "december", "copyright", "class"};
inline constexpr std::string_view kDateCues[] = {
    "on",    "by",     "until",   "till",      "before",   "after",  "since",    "from",   "due", "date",
    "dated", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "for"};
inline constexpr std::string_view kPhoneCues[] = {"call", "phone",    "telephone", "tel", "dial",
                                                  "text", "mobile",   "cell",      "fax", "number",
                                                  "at",   "whatsapp", "hotline"};
inline constexpr std::string_view kRomanCues[] = {
    "chapter", "part",    "war",  "volume", "section", "act",  "phase",    "type",     "level",
    "title",   "article", "book", "class",  "stage",   "bowl", "schedule", "appendix", "tier"};
inline constexpr std::string_view kHourWords[] = {"o'clock", "oclock"};

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
inline constexpr Lexicon kLexicon = MakeLexicon();

}  // namespace trunkline::text::en
