#include "text/reading/romance.h"
#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

constexpr std::string_view kOnes[] = {"zero",     "uno",    "due",         "tre",      "quattro",
                                      "cinque",   "sei",    "sette",       "otto",     "nove",
                                      "dieci",    "undici", "dodici",      "tredici",  "quattordici",
                                      "quindici", "sedici", "diciassette", "diciotto", "diciannove"};
constexpr std::string_view kTens[] = {"",          "",         "venti",    "trenta",  "quaranta",
                                      "cinquanta", "sessanta", "settanta", "ottanta", "novanta"};
constexpr std::string_view kOrdinals[] = {"",      "primo",   "secondo", "terzo", "quarto", "quinto",
                                          "sesto", "settimo", "ottavo",  "nono",  "decimo"};

constexpr MonthName kMonths[] = {
    {"gennaio", 1},  {"gen", 1},  {"febbraio", 2},  {"feb", 2},  {"marzo", 3},     {"mar", 3},
    {"aprile", 4},   {"apr", 4},  {"maggio", 5},    {"mag", 5},  {"giugno", 6},    {"giu", 6},
    {"luglio", 7},   {"lug", 7},  {"agosto", 8},    {"ago", 8},  {"settembre", 9}, {"set", 9},
    {"ottobre", 10}, {"ott", 10}, {"novembre", 11}, {"nov", 11}, {"dicembre", 12}, {"dic", 12}};
constexpr Expansion kAbbreviations[] = {{"sig.", "signor"},         {"sig.ra", "signora"},
                                        {"sig.na", "signorina"},    {"dott.", "dottor"},
                                        {"dott.ssa", "dottoressa"}, {"dr.", "dottor"},
                                        {"prof.", "professor"},     {"prof.ssa", "professoressa"},
                                        {"ing.", "ingegner"},       {"avv.", "avvocato"},
                                        {"ecc.", "eccetera"},       {"etc.", "eccetera"},
                                        {"es.", "esempio"},         {"tel.", "telefono"},
                                        {"n.", "numero"},           {"nr.", "numero"},
                                        {"pag.", "pagina"},         {"pagg.", "pagine"},
                                        {"p.zza", "piazza"},        {"v.le", "viale"},
                                        {"c.so", "corso"},          {"ca.", "circa"},
                                        {"int.", "interno"},        {"min.", "minuti"},
                                        {"max.", "massimo"},        {"gent.mo", "gentilissimo"},
                                        {"s.p.a.", "S P A"},        {"spa", "S P A"},
                                        {"a.c.", "avanti Cristo"},  {"d.c.", "dopo Cristo"},
                                        {"rif.", "riferimento"},    {"art.", "articolo"},
                                        {"cell.", "cellulare"}};
constexpr Expansion kSymbols[] = {
    {"&", "e"},       {"+", "più"},       {"=", "uguale"},      {"@", "chiocciola"}, {"%", "per cento"},
    {"/", "barra"},   {"<", "minore di"}, {">", "maggiore di"}, {"~", "circa"},      {"°", "gradi"},
    {"×", "per"},     {"÷", "diviso"},    {"±", "più o meno"},  {"→", "a"},          {"€", "euro"},
    {"$", "dollari"}, {"£", "sterline"}};
constexpr Noun kCentesimo{"centesimo", "centesimi"};
constexpr Currency kCurrencies[] = {
    {"€", "EUR", {"euro", "euro"}, kCentesimo},
    {"", "euro", {"euro", "euro"}, kCentesimo},
    {"$", "USD", {"dollaro", "dollari"}, kCentesimo},
    {"£", "GBP", {"sterlina", "sterline", Gender::kFeminine}, {"penny", "pence"}},
    {"", "CHF", {"franco svizzero", "franchi svizzeri"}, kCentesimo},
    {"¥", "JPY", {"yen", "yen"}, {}},
    {"₹", "INR", {"rupia", "rupie", Gender::kFeminine}, {}}};
constexpr Unit kUnits[] = {{"%", {"per cento", "per cento", Gender::kBare}},
                           {"°C", {"grado", "gradi"}},
                           {"°", {"grado", "gradi"}},
                           {"km", {"chilometro", "chilometri"}},
                           {"m", {"metro", "metri"}},
                           {"cm", {"centimetro", "centimetri"}},
                           {"mm", {"millimetro", "millimetri"}},
                           {"kg", {"chilo", "chili"}},
                           {"g", {"grammo", "grammi"}},
                           {"mg", {"milligrammo", "milligrammi"}},
                           {"l", {"litro", "litri"}},
                           {"L", {"litro", "litri"}},
                           {"ml", {"millilitro", "millilitri"}},
                           {"km/h", {"chilometro orario", "chilometri orari"}},
                           {"m²", {"metro quadro", "metri quadri"}},
                           {"mq", {"metro quadro", "metri quadri"}},
                           {"m³", {"metro cubo", "metri cubi"}},
                           {"s", {"secondo", "secondi"}},
                           {"sec", {"secondo", "secondi"}},
                           {"min", {"minuto", "minuti"}},
                           {"h", {"ora", "ore", Gender::kFeminine}},
                           {"ms", {"millisecondo", "millisecondi"}},
                           {"Hz", {"hertz", "hertz"}},
                           {"kHz", {"chilohertz", "chilohertz"}},
                           {"KB", {"kilobyte", "kilobyte"}},
                           {"MB", {"megabyte", "megabyte"}},
                           {"GB", {"gigabyte", "gigabyte"}},
                           {"TB", {"terabyte", "terabyte"}},
                           {"W", {"watt", "watt"}},
                           {"kW", {"chilowatt", "chilowatt"}},
                           {"kWh", {"chilowattora", "chilowattora"}},
                           {"V", {"volt", "volt"}},
                           {"x", {"volta", "volte", Gender::kFeminine}},
                           {"mese", {"mese", "mesi"}},
                           {"dB", {"decibel", "decibel"}}};
constexpr Noun kScales[] = {{"mila", "mila"}, {"milione", "milioni"}, {"miliardo", "miliardi"}};
constexpr Expansion kScaleLetters[] = {{"M", "milione"}, {"mln", "milione"}, {"mld", "miliardo"}};
constexpr std::string_view kWordAcronyms[] = {"nato",  "nasa", "onu",   "unesco", "unicef", "aids", "iva",
                                              "pin",   "sim",  "covid", "laser",  "radar",  "fiat", "inps",
                                              "istat", "iban", "ikea",  "visa",   "ram",    "spid", "imu",
                                              "ansa",  "eni",  "enel",  "rai",    "asl",    "cap"};
constexpr std::string_view kShouted[] = {"sì",  "no",  "ok",  "il",   "la",  "lo",   "le",  "gli", "di",
                                         "da",  "in",  "con", "su",   "per", "tra",  "un",  "una", "è",
                                         "non", "che", "e",   "ma",   "se",  "al",   "del", "qui", "oggi",
                                         "ora", "più", "si",  "solo", "chi", "come", "ciao"};
constexpr std::string_view kCodeCues[] = {
    "codice",  "pin",   "numero", "conto",   "ordine",    "riferimento", "prenotazione", "interno", "volo",
    "fattura", "carta", "camera", "cliente", "biglietto", "password",    "pratica",      "cap"};
constexpr std::string_view kYearCues[] = {"nel", "dal", "anno", "del", "al", "fino"};
constexpr std::string_view kDateCues[] = {"il", "del", "dal", "al", "entro", "data"};
constexpr std::string_view kPhoneCues[] = {"telefono",  "tel", "chiami", "chiamare", "numero",
                                           "cellulare", "fax", "al",     "chiamate"};
constexpr std::string_view kRomanCues[] = {"capitolo", "parte", "volume", "fase", "atto", "titolo"};

constexpr std::string_view kMonthsSaid[] = {"gennaio",   "febbraio", "marzo",    "aprile",
                                            "maggio",    "giugno",   "luglio",   "agosto",
                                            "settembre", "ottobre",  "novembre", "dicembre"};

constexpr Lexicon MakeLexicon() {
  Lexicon w = LexiconOf(kOnes, kMonthsSaid, ',');
  w.minus = "meno", w.plus = "più", w.point = "virgola", w.percent = "per cento", w.and_ = "e", w.to = "a";
  w.by = "per", w.over = "su", w.equals = "uguale", w.number = "numero", w.degrees = "gradi",
  w.times = "volte";
  w.at = "chiocciola", w.dot = "punto", w.dash = "trattino", w.underscore = "trattino basso",
  w.slash = "barra", w.hash = "cancelletto";
  w.colon = "due punti", w.per = "al", w.hashtag = "hashtag", w.centsJoiner = "e";
  w.letters['W' - 'A'] = "doppia vu", w.letters['Y' - 'A'] = "ipsilon", w.letters['J' - 'A'] = "i lunga";
  w.monthNames = kMonths, w.abbreviations = kAbbreviations, w.symbols = kSymbols, w.currencies = kCurrencies;
  w.units = kUnits, w.scales = kScales, w.scaleLetters = kScaleLetters, w.wordAcronyms = kWordAcronyms;
  w.shouted = kShouted, w.codeCues = kCodeCues, w.yearCues = kYearCues, w.dateCues = kDateCues;
  w.phoneCues = kPhoneCues, w.romanCues = kRomanCues;
  return w;
}
constexpr Lexicon kLexicon = MakeLexicon();

// `final`: the last of the number, where tre takes its accent: ventitré, but ventitremila.
std::string UnderHundred(uint64_t n, bool final) {
  if (n < 20) return std::string(kOnes[n]);
  std::string out(kTens[n / 10]);
  const uint64_t last = n % 10;
  if (last == 0) return out;
  if (last == 1 || last == 8) out.pop_back();
  return out + (last == 3 && final ? "tré" : std::string(kOnes[last]));
}

std::string UnderThousand(uint64_t n, bool final) {
  std::string out;
  if (n >= 200) out = kOnes[n / 100];
  if (n >= 100) out += "cento";
  if (n >= 100 && n % 100 == 3 && final) return out + "tré";
  if (n % 100 >= 80 && n % 100 < 90 && n >= 100) out.pop_back();  // centottanta
  if (n % 100 == 8 && n >= 100) out.pop_back();                   // centotto
  if (n % 100 != 0 || n == 0) out += UnderHundred(n % 100, final);
  return out;
}

constexpr NumberGroup kGroups[] = {{1'000'000'000'000, "un bilione", "bilioni"},
                                   {1'000'000'000, "un miliardo", "miliardi"},
                                   {1'000'000, "un milione", "milioni"}};

class Italian final : public Romance {
 public:
  Italian() : Romance(kLexicon, {"virgola", "di", "primo", false, true}) {}

  std::string Cardinal(uint64_t n, Gender gender) const override {
    if (n == 1 && gender != Gender::kBare) return gender == Gender::kFeminine ? "una" : "un";
    std::string out;
    n = SayGroups(out, n, kGroups,
                  [](uint64_t count) { return count == 1 ? std::string() : UnderThousand(count, true); });
    if (n == 0 && !out.empty()) return out;
    std::string tail;
    if (n >= 1000) tail = n < 2000 ? "mille" : UnderThousand(n / 1000, false) + "mila";
    if (n % 1000 == 3 && n > 1000) {
      tail += "tré";
    } else if (n % 1000 != 0 || n == 0) {
      tail += UnderThousand(n % 1000, true);
    }
    Say(out, tail);
    return out;
  }

  std::string Ordinal(uint64_t n, Gender gender) const override {
    std::string out;
    if (n >= 1 && n <= 10) {
      out = kOrdinals[n];
    } else {
      out = Cardinal(n, Gender::kBare);
      if (out.ends_with("tré")) {
        out = out.substr(0, out.size() - 2) + "e";
      } else if (!out.ends_with("sei")) {
        out.pop_back();
      }
      out += "esimo";
    }
    return Agreed(out, gender);
  }

  std::string Fraction(uint64_t over, uint64_t under) const override {
    std::string part = under == 2 ? "mezzo" : Ordinal(under, Gender::kMasculine);
    if (over != 1) part.back() = 'i';
    return Cardinal(over, Gender::kMasculine) + " " + part;
  }

  std::string SayTime(const ClockTime& time) const override {
    std::string out =
        Cardinal(static_cast<uint64_t>(time.hour), time.hour == 1 ? Gender::kFeminine : Gender::kBare);
    if (time.minute > 0) {
      Say(out, "e");
      Say(out, Cardinal(static_cast<uint64_t>(time.minute), Gender::kBare));
    } else if (time.half == DayHalf::kNone) {
      Say(out, "in punto");
    }
    if (time.half == DayHalf::kMorning) Say(out, "di mattina");
    if (time.half == DayHalf::kAfternoon)
      Say(out, time.hour == 12 || time.hour < 6 ? "di pomeriggio" : "di sera");
    return out;
  }
};

}  // namespace

const Reader& ItalianReader() {
  static const Italian reader;
  return reader;
}

}  // namespace trunkline::text
