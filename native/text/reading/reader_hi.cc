#include "text/reading/reader.h"

namespace trunkline::text {
namespace {

// Hindi has a word of its own for every number below a hundred.
constexpr std::string_view kUnderHundred[] = {
    "शून्य",   "एक",      "दो",     "तीन",    "चार",     "पाँच",    "छह",      "सात",    "आठ",      "नौ",
    "दस",    "ग्यारह",   "बारह",   "तेरह",    "चौदह",    "पंद्रह",   "सोलह",    "सत्रह",   "अठारह",   "उन्नीस",
    "बीस",   "इक्कीस",   "बाईस",   "तेईस",    "चौबीस",   "पच्चीस",  "छब्बीस",   "सत्ताईस", "अट्ठाईस",  "उनतीस",
    "तीस",   "इकतीस",   "बत्तीस",  "तैंतीस",   "चौंतीस",   "पैंतीस",   "छत्तीस",   "सैंतीस",   "अड़तीस",   "उनतालीस",
    "चालीस", "इकतालीस", "बयालीस", "तैंतालीस", "चौवालीस", "पैंतालीस", "छियालीस", "सैंतालीस", "अड़तालीस", "उनचास",
    "पचास",  "इक्यावन",  "बावन",   "तिरपन",  "चौवन",    "पचपन",   "छप्पन",    "सत्तावन", "अट्ठावन",  "उनसठ",
    "साठ",   "इकसठ",    "बासठ",   "तिरसठ",  "चौंसठ",    "पैंसठ",    "छियासठ",  "सड़सठ",   "अड़सठ",    "उनहत्तर",
    "सत्तर",  "इकहत्तर",  "बहत्तर",  "तिहत्तर", "चौहत्तर",  "पचहत्तर", "छिहत्तर",  "सतहत्तर", "अठहत्तर",  "उन्यासी",
    "अस्सी",  "इक्यासी",  "बयासी",  "तिरासी", "चौरासी",  "पचासी",  "छियासी",  "सत्तासी", "अट्ठासी",  "नवासी",
    "नब्बे",   "इक्यानवे",  "बानवे",   "तिरानवे", "चौरानवे",  "पंचानवे",  "छियानवे",  "सत्तानवे", "अट्ठानवे",  "निन्यानवे"};

constexpr MonthName kMonths[] = {
    {"जनवरी", 1},    {"फ़रवरी", 2},     {"फरवरी", 2},    {"मार्च", 3},      {"अप्रैल", 4},      {"मई", 5},
    {"जून", 6},       {"जुलाई", 7},      {"अगस्त", 8},     {"सितंबर", 9},     {"सितम्बर", 9},    {"अक्टूबर", 10},
    {"अक्तूबर", 10},   {"नवंबर", 11},     {"नवम्बर", 11},   {"दिसंबर", 12},    {"दिसम्बर", 12},   {"january", 1},
    {"february", 2}, {"march", 3},     {"april", 4},    {"may", 5},       {"june", 6},      {"july", 7},
    {"august", 8},   {"september", 9}, {"october", 10}, {"november", 11}, {"december", 12}, {"jan", 1},
    {"feb", 2},      {"mar", 3},       {"apr", 4},      {"jun", 6},       {"jul", 7},       {"aug", 8},
    {"sep", 9},      {"oct", 10},      {"nov", 11},     {"dec", 12}};
constexpr Expansion kAbbreviations[] = {{"डॉ.", "डॉक्टर"},   {"श्री.", "श्री"},        {"सुश्री.", "सुश्री"},
                                        {"प्रो.", "प्रोफ़ेसर"}, {"कि.मी.", "किलोमीटर"}, {"कि.ग्रा.", "किलोग्राम"},
                                        {"रु.", "रुपये"},      {"नं.", "नंबर"},          {"सं.", "संख्या"},
                                        {"पृ.", "पृष्ठ"},      {"ई.", "ईस्वी"},         {"dr.", "डॉक्टर"},
                                        {"mr.", "मिस्टर"},   {"mrs.", "मिसेज़"},       {"no.", "नंबर"},
                                        {"etc.", "इत्यादि"}, {"भा.ज.पा.", "भाजपा"}};
constexpr Expansion kSymbols[] = {{"&", "और"},     {"+", "प्लस"},  {"=", "बराबर"},  {"@", "ऐट"},
                                  {"%", "प्रतिशत"}, {"/", "स्लैश"},  {"~", "लगभग"},   {"°", "डिग्री"},
                                  {"×", "गुणा"},    {"<", "से कम"}, {">", "से अधिक"}, {"→", "से"},
                                  {"₹", "रुपये"},    {"$", "डॉलर"}, {"€", "यूरो"}};
constexpr Noun kRupee{"रुपया", "रुपये"};
constexpr Noun kPaisa{"पैसा", "पैसे"};
constexpr Noun kSent{"सेंट", "सेंट"};
constexpr Currency kCurrencies[] = {{"₹", "INR", kRupee, kPaisa},
                                    {"Rs.", "Rs", kRupee, kPaisa},
                                    {"रु.", "रु", kRupee, kPaisa},
                                    {"रू.", "रू", kRupee, kPaisa},
                                    {"$", "USD", {"डॉलर", "डॉलर"}, kSent},
                                    {"€", "EUR", {"यूरो", "यूरो"}, kSent},
                                    {"£", "GBP", {"पाउंड", "पाउंड"}, {"पेंस", "पेंस"}},
                                    {"¥", "JPY", {"येन", "येन"}, {}}};
constexpr Unit kUnits[] = {{"%", {"प्रतिशत", "प्रतिशत"}},
                           {"°C", {"डिग्री सेल्सियस", "डिग्री सेल्सियस"}},
                           {"°", {"डिग्री", "डिग्री"}},
                           {"km", {"किलोमीटर", "किलोमीटर"}},
                           {"किमी", {"किलोमीटर", "किलोमीटर"}},
                           {"m", {"मीटर", "मीटर"}},
                           {"मी", {"मीटर", "मीटर"}},
                           {"cm", {"सेंटीमीटर", "सेंटीमीटर"}},
                           {"सेमी", {"सेंटीमीटर", "सेंटीमीटर"}},
                           {"mm", {"मिलीमीटर", "मिलीमीटर"}},
                           {"kg", {"किलो", "किलो"}},
                           {"किग्रा", {"किलोग्राम", "किलोग्राम"}},
                           {"g", {"ग्राम", "ग्राम"}},
                           {"mg", {"मिलीग्राम", "मिलीग्राम"}},
                           {"L", {"लीटर", "लीटर"}},
                           {"l", {"लीटर", "लीटर"}},
                           {"ml", {"मिलीलीटर", "मिलीलीटर"}},
                           {"km/h", {"किलोमीटर प्रति घंटा", "किलोमीटर प्रति घंटा"}},
                           {"min", {"मिनट", "मिनट"}},
                           {"sec", {"सेकंड", "सेकंड"}},
                           {"hr", {"घंटा", "घंटे"}},
                           {"hrs", {"घंटा", "घंटे"}},
                           {"GB", {"जीबी", "जीबी"}},
                           {"MB", {"एमबी", "एमबी"}},
                           {"KB", {"केबी", "केबी"}},
                           {"TB", {"टीबी", "टीबी"}},
                           {"W", {"वाट", "वाट"}},
                           {"kW", {"किलोवाट", "किलोवाट"}},
                           {"V", {"वोल्ट", "वोल्ट"}},
                           {"m²", {"वर्ग मीटर", "वर्ग मीटर"}},
                           {"Hz", {"हर्ट्ज़", "हर्ट्ज़"}},
                           {"x", {"गुना", "गुना"}}};
constexpr Noun kScales[] = {{"हज़ार", "हज़ार"},     {"हजार", "हज़ार"}, {"लाख", "लाख"},
                            {"करोड़", "करोड़"},     {"अरब", "अरब"},   {"मिलियन", "मिलियन"},
                            {"बिलियन", "बिलियन"}, {"lakh", "लाख"},  {"crore", "करोड़"}};
constexpr Expansion kScaleLetters[] = {
    {"k", "हज़ार"}, {"K", "हज़ार"}, {"L", "लाख"}, {"Cr", "करोड़"}, {"M", "मिलियन"}};
constexpr std::string_view kWordAcronyms[] = {"nasa",    "covid", "sim",  "pin",  "upi_",
                                              "aadhaar", "visa",  "isro", "nato", "unicef"};
constexpr std::string_view kShouted[] = {"ok",  "the", "and", "for", "you", "no",
                                         "yes", "is",  "in",  "on",  "to",  "of"};
constexpr std::string_view kCodeCues[] = {"कोड",   "पिन",  "नंबर",  "खाता", "ऑर्डर",  "ओटीपी",  "संख्या",
                                          "कमरा",  "उड़ान", "टिकट", "कार्ड", "संदर्भ",  "पासवर्ड", "बुकिंग",
                                          "क्रमांक", "otp",  "pin",  "code", "number"};
constexpr std::string_view kYearCues[] = {"सन", "सन्", "वर्ष", "साल"};
constexpr std::string_view kDateCues[] = {"तारीख", "दिनांक", "तारीख़"};
constexpr std::string_view kPhoneCues[] = {"फ़ोन", "फोन", "नंबर", "मोबाइल", "कॉल", "टेलीफ़ोन", "संपर्क", "पर"};
constexpr std::string_view kRomanCues[] = {"अध्याय", "भाग", "खंड"};
constexpr std::string_view kHourWords[] = {"बजे"};

constexpr Lexicon MakeLexicon() {
  Lexicon w{};
  for (int i = 0; i < 10; ++i) w.digits[i] = kUnderHundred[i];
  w.minus = "माइनस", w.plus = "प्लस", w.point = "दशमलव", w.percent = "प्रतिशत", w.and_ = "और", w.to = "से";
  w.by = "बटा", w.over = "बटा", w.equals = "बराबर", w.number = "नंबर", w.degrees = "डिग्री", w.times = "गुना";
  w.at = "ऐट", w.dot = "डॉट", w.dash = "डैश", w.underscore = "अंडरस्कोर", w.slash = "स्लैश", w.hash = "हैश";
  w.colon = "कोलन", w.per = "प्रति", w.hashtag = "हैशटैग", w.centsJoiner = "";
  constexpr std::string_view kNames[] = {"जनवरी", "फ़रवरी", "मार्च",  "अप्रैल",  "मई",   "जून",
                                         "जुलाई",  "अगस्त",  "सितंबर", "अक्टूबर", "नवंबर", "दिसंबर"};
  for (int i = 0; i < 12; ++i) w.months[i] = kNames[i];
  constexpr std::string_view kLetters[] = {"ए",  "बी", "सी", "डी", "ई",    "एफ़",  "जी",  "एच", "आई",
                                           "जे",  "के",  "एल", "एम", "एन",   "ओ",   "पी",  "क्यू", "आर",
                                           "एस", "टी", "यू",  "वी", "डब्ल्यू", "एक्स", "वाई", "ज़ेड"};
  for (int i = 0; i < 26; ++i) w.letters[i] = kLetters[i];
  w.monthNames = kMonths, w.abbreviations = kAbbreviations, w.symbols = kSymbols, w.currencies = kCurrencies;
  w.units = kUnits, w.scales = kScales, w.scaleLetters = kScaleLetters, w.wordAcronyms = kWordAcronyms;
  w.shouted = kShouted, w.codeCues = kCodeCues, w.yearCues = kYearCues, w.dateCues = kDateCues;
  w.phoneCues = kPhoneCues, w.romanCues = kRomanCues, w.hourWords = kHourWords, w.decimalMark = '.';
  return w;
}
constexpr Lexicon kLexicon = MakeLexicon();

class Hindi final : public Reader {
 public:
  Hindi() : Reader(kLexicon) {}

  std::string Cardinal(uint64_t n, Gender) const override {
    static constexpr struct {
      uint64_t value;
      std::string_view name;
    } kGroups[] = {{100'000'000'000, "खरब"}, {1'000'000'000, "अरब"}, {10'000'000, "करोड़"},
                   {100'000, "लाख"},         {1000, "हज़ार"},         {100, "सौ"}};
    if (n == 0) return std::string(kUnderHundred[0]);
    std::string out;
    for (const auto& group : kGroups) {
      if (n < group.value) continue;
      Say(out, Cardinal(n / group.value, Gender::kBare));
      Say(out, group.name);
      n %= group.value;
    }
    if (n != 0) Say(out, kUnderHundred[n]);
    return out;
  }

  std::string Ordinal(uint64_t n, Gender gender) const override {
    return OrdinalWith(n, gender == Gender::kFeminine ? "वीं" : "वाँ");
  }

  std::string Year(int year) const override {
    const auto n = static_cast<uint64_t>(year);
    if (year < 1100 || year > 1999) return Cardinal(n, Gender::kBare);
    std::string out(kUnderHundred[n / 100]);
    Say(out, "सौ");
    if (n % 100 != 0) Say(out, kUnderHundred[n % 100]);
    return out;
  }

  std::string Fraction(uint64_t over, uint64_t under) const override {
    if (over == 1 && under == 2) return "आधा";
    if (over == 1 && under == 4) return "एक चौथाई";
    if (over == 3 && under == 4) return "तीन चौथाई";
    if (under == 3) return Cardinal(over, Gender::kBare) + " तिहाई";
    return Reader::Fraction(over, under);
  }

  std::string SayDate(const Date& date, std::string_view) const override {
    std::string out;
    if (date.day > 0) out = Cardinal(static_cast<uint64_t>(date.day), Gender::kBare);
    Say(out, words().months[date.month - 1]);
    if (date.year > 0) Say(out, Year(date.year));
    return out;
  }

  std::string SayTime(const ClockTime& time) const override {
    std::string out;
    if (time.half == DayHalf::kMorning) out = time.hour == 12 ? "रात" : "सुबह";
    if (time.half == DayHalf::kAfternoon)
      out = time.hour == 12 || time.hour < 4 ? "दोपहर" : time.hour < 8 ? "शाम" : "रात";
    int hour = time.hour;
    if (time.half == DayHalf::kAfternoon && hour > 12) hour -= 12;
    Say(out, Cardinal(static_cast<uint64_t>(hour), Gender::kBare));
    if (time.minute == 0) {
      Say(out, "बजे");
      return out;
    }
    Say(out, "बजकर");
    Say(out, Cardinal(static_cast<uint64_t>(time.minute), Gender::kBare));
    Say(out, "मिनट");
    return out;
  }

  std::string SuffixedOrdinal(uint64_t n, std::string_view suffix) const override {
    for (const std::string_view known : {"वाँ", "वां", "वीं", "वी", "वें", "वे", "वा"}) {
      if (suffix == known)
        return OrdinalWith(n, suffix == "वां" || suffix == "वा" ? "वाँ"
                              : suffix == "वी"                 ? "वीं"
                              : suffix == "वे"                  ? "वें"
                                                               : suffix);
    }
    return {};
  }

  std::string Regnal(uint64_t n) const override { return OrdinalWith(n, "वाँ"); }

 private:
  std::string OrdinalWith(uint64_t n, std::string_view ending) const {
    static constexpr std::string_view kFirst[][3] = {{"पहला", "पहली", "पहले"},
                                                     {"दूसरा", "दूसरी", "दूसरे"},
                                                     {"तीसरा", "तीसरी", "तीसरे"},
                                                     {"चौथा", "चौथी", "चौथे"}};
    if (n >= 1 && n <= 4) return std::string(kFirst[n - 1][ending == "वीं" ? 1 : ending == "वें" ? 2 : 0]);
    if (n == 6) return "छठ" + std::string(ending == "वीं" ? "ी" : ending == "वें" ? "े" : "ा");
    return Cardinal(n, Gender::kBare) + std::string(ending);
  }
};

}  // namespace

const Reader& HindiReader() {
  static const Hindi reader;
  return reader;
}

}  // namespace trunkline::text
