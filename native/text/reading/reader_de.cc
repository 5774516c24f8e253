#include "text/reading/reader.h"

namespace trunkline::text {
namespace {

constexpr std::string_view kOnes[] = {"null",     "eins",     "zwei",     "drei",     "vier",
                                      "fünf",     "sechs",    "sieben",   "acht",     "neun",
                                      "zehn",     "elf",      "zwölf",    "dreizehn", "vierzehn",
                                      "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn"};
constexpr std::string_view kTens[] = {"",        "",        "zwanzig", "dreißig", "vierzig",
                                      "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"};

constexpr MonthName kMonths[] = {
    {"januar", 1}, {"jänner", 1},    {"jan", 1},   {"februar", 2},   {"feb", 2},
    {"märz", 3},   {"mär", 3},       {"april", 4}, {"apr", 4},       {"mai", 5},
    {"juni", 6},   {"jun", 6},       {"juli", 7},  {"jul", 7},       {"august", 8},
    {"aug", 8},    {"september", 9}, {"sept", 9},  {"sep", 9},       {"oktober", 10},
    {"okt", 10},   {"november", 11}, {"nov", 11},  {"dezember", 12}, {"dez", 12}};
constexpr Expansion kAbbreviations[] = {{"hr.", "Herr"},
                                        {"hrn.", "Herrn"},
                                        {"fr.", "Frau"},
                                        {"dr.", "Doktor"},
                                        {"prof.", "Professor"},
                                        {"z.b.", "zum Beispiel"},
                                        {"z. b.", "zum Beispiel"},
                                        {"d.h.", "das heißt"},
                                        {"d. h.", "das heißt"},
                                        {"u.a.", "unter anderem"},
                                        {"u. a.", "unter anderem"},
                                        {"usw.", "und so weiter"},
                                        {"etc.", "et cetera"},
                                        {"bzw.", "beziehungsweise"},
                                        {"ca.", "circa"},
                                        {"ggf.", "gegebenenfalls"},
                                        {"inkl.", "inklusive"},
                                        {"exkl.", "exklusive"},
                                        {"zzgl.", "zuzüglich"},
                                        {"str.", "Straße"},
                                        {"nr.", "Nummer"},
                                        {"tel.", "Telefon"},
                                        {"mind.", "mindestens"},
                                        {"max.", "maximal"},
                                        {"min.", "Minuten"},
                                        {"std.", "Stunden"},
                                        {"mio.", "Millionen"},
                                        {"mrd.", "Milliarden"},
                                        {"st.", "Sankt"},
                                        {"abs.", "Absatz"},
                                        {"evtl.", "eventuell"},
                                        {"vgl.", "vergleiche"},
                                        {"o.ä.", "oder ähnlich"},
                                        {"s.o.", "siehe oben"},
                                        {"mo.", "Montag"},
                                        {"di.", "Dienstag"},
                                        {"mi.", "Mittwoch"},
                                        {"do.", "Donnerstag"},
                                        {"sa.", "Samstag"},
                                        {"so.", "so."},
                                        {"v.a.", "vor allem"},
                                        {"gmbh", "G M B H"},
                                        {"i.d.r.", "in der Regel"},
                                        {"tägl.", "täglich"},
                                        {"jhd.", "Jahrhundert"}};
constexpr Expansion kSymbols[] = {
    {"&", "und"},          {"+", "plus"},          {"=", "gleich"},     {"@", "at"},       {"%", "Prozent"},
    {"/", "Schrägstrich"}, {"<", "kleiner als"},   {">", "größer als"}, {"~", "etwa"},     {"°", "Grad"},
    {"×", "mal"},          {"÷", "geteilt durch"}, {"±", "plus minus"}, {"§", "Paragraf"}, {"→", "nach"},
    {"€", "Euro"},         {"$", "Dollar"},        {"£", "Pfund"}};
constexpr Noun kCent{"Cent", "Cent"};
constexpr Currency kCurrencies[] = {{"€", "EUR", {"Euro", "Euro"}, kCent},
                                    {"", "Euro", {"Euro", "Euro"}, kCent},
                                    {"$", "USD", {"Dollar", "Dollar"}, kCent},
                                    {"US$", "", {"US-Dollar", "US-Dollar"}, kCent},
                                    {"£", "GBP", {"Pfund", "Pfund"}, {"Penny", "Pence"}},
                                    {"", "CHF", {"Franken", "Franken"}, {"Rappen", "Rappen"}},
                                    {"Fr.", "", {"Franken", "Franken"}, {"Rappen", "Rappen"}},
                                    {"¥", "JPY", {"Yen", "Yen"}, {}},
                                    {"₹", "INR", {"Rupie", "Rupien", Gender::kFeminine}, {}}};
constexpr Unit kUnits[] = {{"%", {"Prozent", "Prozent"}},
                           {"°C", {"Grad", "Grad"}},
                           {"°", {"Grad", "Grad"}},
                           {"km", {"Kilometer", "Kilometer"}},
                           {"m", {"Meter", "Meter"}},
                           {"cm", {"Zentimeter", "Zentimeter"}},
                           {"mm", {"Millimeter", "Millimeter"}},
                           {"kg", {"Kilo", "Kilo"}},
                           {"g", {"Gramm", "Gramm"}},
                           {"mg", {"Milligramm", "Milligramm"}},
                           {"l", {"Liter", "Liter"}},
                           {"L", {"Liter", "Liter"}},
                           {"ml", {"Milliliter", "Milliliter"}},
                           {"km/h", {"Stundenkilometer", "Stundenkilometer"}},
                           {"m²", {"Quadratmeter", "Quadratmeter"}},
                           {"qm", {"Quadratmeter", "Quadratmeter"}},
                           {"m³", {"Kubikmeter", "Kubikmeter"}},
                           {"s", {"Sekunde", "Sekunden", Gender::kFeminine}},
                           {"Sek", {"Sekunde", "Sekunden", Gender::kFeminine}},
                           {"min", {"Minute", "Minuten", Gender::kFeminine}},
                           {"Min", {"Minute", "Minuten", Gender::kFeminine}},
                           {"h", {"Stunde", "Stunden", Gender::kFeminine}},
                           {"Std", {"Stunde", "Stunden", Gender::kFeminine}},
                           {"ms", {"Millisekunde", "Millisekunden", Gender::kFeminine}},
                           {"Hz", {"Hertz", "Hertz"}},
                           {"kHz", {"Kilohertz", "Kilohertz"}},
                           {"KB", {"Kilobyte", "Kilobyte"}},
                           {"MB", {"Megabyte", "Megabyte"}},
                           {"GB", {"Gigabyte", "Gigabyte"}},
                           {"TB", {"Terabyte", "Terabyte"}},
                           {"W", {"Watt", "Watt"}},
                           {"kW", {"Kilowatt", "Kilowatt"}},
                           {"kWh", {"Kilowattstunde", "Kilowattstunden", Gender::kFeminine}},
                           {"V", {"Volt", "Volt"}},
                           {"x", {"Mal", "Mal"}},
                           {"Monat", {"Monat", "Monate"}},
                           {"dB", {"Dezibel", "Dezibel"}}};
constexpr Noun kScales[] = {{"tausend", "tausend"},
                            {"Million", "Millionen", Gender::kFeminine},
                            {"Milliarde", "Milliarden", Gender::kFeminine},
                            {"Mio", "Millionen", Gender::kFeminine},
                            {"Mrd", "Milliarden", Gender::kFeminine}};
constexpr Expansion kScaleLetters[] = {{"M", "Million"}};
constexpr std::string_view kWordAcronyms[] = {
    "nato", "nasa", "unesco", "unicef", "aids", "tüv",    "pin",    "sim", "covid", "laser",  "radar",
    "iban", "ikea", "aldi",   "visa",   "ram",  "haribo", "schufa", "dax", "tan",   "elster", "edeka"};
constexpr std::string_view kShouted[] = {"ja",   "nein",  "ok",    "der",  "die", "das", "und", "oder",
                                         "ein",  "eine",  "nicht", "wir",  "sie", "ist", "in",  "an",
                                         "auf",  "zu",    "im",    "am",   "es",  "so",  "neu", "jetzt",
                                         "hier", "bitte", "kein",  "alle", "nur", "mit", "von", "für"};
constexpr std::string_view kCodeCues[] = {
    "code",           "pin",       "nummer",       "konto",       "bestellnummer",   "kundennummer",
    "referenz",       "durchwahl", "postleitzahl", "plz",         "zimmer",          "flug",
    "rechnung",       "kennwort",  "vorgang",      "auftrag",     "rechnungsnummer", "auftragsnummer",
    "buchungsnummer", "karte",     "tan",          "kontonummer", "zugangscode",     "vorgangsnummer"};
constexpr std::string_view kYearCues[] = {"jahr", "seit", "ab", "bis",   "von", "vor",
                                          "nach", "um",   "in", "jahre", "anno"};
constexpr std::string_view kDateCues[] = {"am", "vom", "bis", "zum", "ab", "seit"};
constexpr std::string_view kPhoneCues[] = {"telefon", "tel", "nummer", "unter", "rufen",
                                           "anrufen", "fax", "handy",  "mobil", "hotline"};
constexpr std::string_view kRomanCues[] = {"kapitel", "teil", "band", "akt", "phase", "stufe", "artikel"};
constexpr std::string_view kHourWords[] = {"uhr"};

constexpr std::string_view kMonthsSaid[] = {"Januar",    "Februar", "März",     "April",
                                            "Mai",       "Juni",    "Juli",     "August",
                                            "September", "Oktober", "November", "Dezember"};

constexpr Lexicon MakeLexicon() {
  Lexicon w = LexiconOf(kOnes, kMonthsSaid, ',');
  w.minus = "minus", w.plus = "plus", w.point = "Komma", w.percent = "Prozent", w.and_ = "und", w.to = "bis";
  w.by = "mal", w.over = "durch", w.equals = "gleich", w.number = "Nummer", w.degrees = "Grad",
  w.times = "mal";
  w.at = "at", w.dot = "Punkt", w.dash = "Minus", w.underscore = "Unterstrich", w.slash = "Schrägstrich",
  w.hash = "Raute";
  w.colon = "Doppelpunkt", w.per = "pro", w.hashtag = "Hashtag", w.centsJoiner = "";
  w.monthNames = kMonths, w.abbreviations = kAbbreviations, w.symbols = kSymbols, w.currencies = kCurrencies;
  w.units = kUnits, w.scales = kScales, w.scaleLetters = kScaleLetters, w.wordAcronyms = kWordAcronyms;
  w.shouted = kShouted, w.codeCues = kCodeCues, w.yearCues = kYearCues, w.dateCues = kDateCues;
  w.phoneCues = kPhoneCues, w.romanCues = kRomanCues, w.hourWords = kHourWords;
  return w;
}
constexpr Lexicon kLexicon = MakeLexicon();

// `one` is the form of a final 1: "eins", "ein", "eine".
std::string UnderHundred(uint64_t n, std::string_view one) {
  if (n == 1) return std::string(one);
  if (n < 20) return std::string(kOnes[n]);
  if (n % 10 == 0) return std::string(kTens[n / 10]);
  return (n % 10 == 1 ? "ein" : std::string(kOnes[n % 10])) + "und" + std::string(kTens[n / 10]);
}

std::string UnderThousand(uint64_t n, std::string_view one) {
  std::string out;
  if (n >= 100) out = (n / 100 == 1 ? "ein" : std::string(kOnes[n / 100])) + "hundert";
  if (n % 100 != 0 || n == 0) out += UnderHundred(n % 100, one);
  return out;
}

class German final : public Reader {
 public:
  German() : Reader(kLexicon) {}

  std::string Cardinal(uint64_t n, Gender gender) const override {
    static constexpr struct {
      uint64_t value;
      std::string_view one, many;
    } kGroups[] = {{1'000'000'000'000, "Billion", "Billionen"},
                   {1'000'000'000, "Milliarde", "Milliarden"},
                   {1'000'000, "Million", "Millionen"}};
    std::string out;
    for (const auto& group : kGroups) {
      if (n < group.value) continue;
      const uint64_t count = n / group.value;
      Say(out, UnderThousand(count, "eine"));
      Say(out, count == 1 ? group.one : group.many);
      n %= group.value;
    }
    const std::string_view one = gender == Gender::kBare                  ? "eins"
                                 : gender == Gender::kFeminine && n < 100 ? "eine"
                                                                          : "ein";
    std::string tail;
    if (n >= 1000) tail = UnderThousand(n / 1000, "ein") + "tausend";
    if (n % 1000 != 0 || (tail.empty() && out.empty())) tail += UnderThousand(n % 1000, one);
    Say(out, tail);
    return out;
  }

  // The ordinal has the ending -te; SayDate and the grammar's context change it.
  std::string Ordinal(uint64_t n, Gender) const override { return Stem(n) + "te"; }

  std::string Year(int year) const override {
    const auto n = static_cast<uint64_t>(year);
    if (year < 1100 || year > 1999) return Cardinal(n, Gender::kBare);
    std::string out = UnderHundred(n / 100, "ein") + "hundert";
    return n % 100 == 0 ? out : out + UnderHundred(n % 100, "eins");
  }

  std::string Fraction(uint64_t over, uint64_t under) const override {
    if (under == 2) return over == 1 ? "ein halb" : Cardinal(over, Gender::kBare) + " halbe";
    std::string part = Stem(under);
    part[0] = static_cast<char>(part[0] >= 'a' && part[0] <= 'z' ? part[0] - 32 : part[0]);
    return Cardinal(over, Gender::kMasculine) + " " + part + "tel";
  }

  std::string SayDate(const Date& date, std::string_view before) const override {
    std::string out;
    if (date.day > 0) {
      out = StopOrdinal(static_cast<uint64_t>(date.day), before);
      if (out.empty()) out = Stem(static_cast<uint64_t>(date.day)) + "ter";
    }
    Say(out, words().months[date.month - 1]);
    if (date.year > 0) Say(out, Year(date.year));
    return out;
  }

  std::string SayTime(const ClockTime& time) const override {
    int hour = time.hour;
    if (time.half == DayHalf::kAfternoon && hour < 12) hour += 12;
    std::string out = Cardinal(static_cast<uint64_t>(hour), Gender::kMasculine) + " Uhr";
    if (time.minute > 0) Say(out, Cardinal(static_cast<uint64_t>(time.minute), Gender::kBare));
    return out;
  }

  std::string CurrencyAmount(uint64_t whole, uint64_t cents, const Currency& currency) const override {
    if (whole == 0 || cents == 0 || currency.cent.one.empty())
      return Reader::CurrencyAmount(whole, cents, currency);
    return Counted(whole, currency.unit) + " " + Cardinal(cents, Gender::kBare);
  }

  std::string SuffixedOrdinal(uint64_t n, std::string_view suffix) const override {
    if (suffix == "te" || suffix == "ten" || suffix == "ter" || suffix == "tes")
      return Stem(n) + std::string(suffix);
    if (suffix == "er" && n % 10 == 0 && n >= 10) return Cardinal(n, Gender::kBare) + "er";
    if (suffix == "mal") return Cardinal(n, Gender::kMasculine) + "mal";
    return {};
  }
  bool FullStopIsOrdinal() const override { return true; }

  std::string StopOrdinal(uint64_t n, std::string_view before) const override {
    static constexpr std::string_view kWeak[] = {"am",  "im",  "vom", "zum", "beim", "dem",
                                                 "den", "des", "bis", "ab",  "seit"};
    for (const std::string_view word : kWeak) {
      if (before == word) return Stem(n) + "ten";
    }
    return before == "der" || before == "die" || before == "das" ? Stem(n) + "te" : std::string();
  }

 private:
  std::string Stem(uint64_t n) const {
    const uint64_t tail = n % 100;
    std::string out = Cardinal(n, Gender::kBare);
    if (tail == 1) return out.substr(0, out.size() - 4) + "ers";
    if (tail == 3) return out.substr(0, out.size() - 4) + "drit";
    if (tail == 7) return out.substr(0, out.size() - 6) + "sieb";
    if (tail == 8) return out.substr(0, out.size() - 1);
    return tail == 0 || tail > 19 ? out + "s" : out;
  }
};

}  // namespace

const Reader& GermanReader() {
  static const German reader;
  return reader;
}

}  // namespace trunkline::text
