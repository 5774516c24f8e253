#include "text/reading/romance.h"
#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

constexpr std::string_view kOnes[] = {
    "zéro", "un",   "deux",  "trois",  "quatre",   "cinq",   "six",   "sept",     "huit",     "neuf",
    "dix",  "onze", "douze", "treize", "quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf"};
constexpr std::string_view kTens[] = {"",          "",         "vingt",    "trente",       "quarante",
                                      "cinquante", "soixante", "soixante", "quatre-vingt", "quatre-vingt"};

constexpr MonthName kMonths[] = {
    {"janvier", 1},   {"janv", 1}, {"février", 2},   {"fevrier", 2}, {"févr", 2},     {"mars", 3},
    {"avril", 4},     {"avr", 4},  {"mai", 5},       {"juin", 6},    {"juillet", 7},  {"juil", 7},
    {"août", 8},      {"aout", 8}, {"septembre", 9}, {"sept", 9},    {"octobre", 10}, {"oct", 10},
    {"novembre", 11}, {"nov", 11}, {"décembre", 12}, {"déc", 12}};
constexpr Expansion kAbbreviations[] = {{"m.", "monsieur"},
                                        {"mme", "madame"},
                                        {"mme.", "madame"},
                                        {"mmes", "mesdames"},
                                        {"mlle", "mademoiselle"},
                                        {"mm.", "messieurs"},
                                        {"dr", "docteur"},
                                        {"dr.", "docteur"},
                                        {"pr.", "professeur"},
                                        {"me.", "maître"},
                                        {"etc.", "et cetera"},
                                        {"p. ex.", "par exemple"},
                                        {"p.ex.", "par exemple"},
                                        {"env.", "environ"},
                                        {"tél.", "téléphone"},
                                        {"av.", "avenue"},
                                        {"bd", "boulevard"},
                                        {"bd.", "boulevard"},
                                        {"n°", "numéro"},
                                        {"nº", "numéro"},
                                        {"no.", "numéro"},
                                        {"ext.", "extension"},
                                        {"st.", "saint"},
                                        {"ste.", "sainte"},
                                        {"éd.", "édition"},
                                        {"max.", "maximum"},
                                        {"min.", "minimum"},
                                        {"s.v.p.", "s'il vous plaît"},
                                        {"svp", "s'il vous plaît"},
                                        {"rdv", "rendez-vous"},
                                        {"c.-à-d.", "c'est-à-dire"},
                                        {"j.-c.", "Jésus-Christ"},
                                        {"apt.", "appartement"},
                                        {"rez-de-ch.", "rez-de-chaussée"},
                                        {"dép.", "département"},
                                        {"réf.", "référence"},
                                        {"vol.", "volume"}};
constexpr Expansion kSymbols[] = {{"&", "et"},
                                  {"+", "plus"},
                                  {"=", "égale"},
                                  {"@", "arobase"},
                                  {"%", "pour cent"},
                                  {"/", "barre oblique"},
                                  {"<", "inférieur à"},
                                  {">", "supérieur à"},
                                  {"~", "environ"},
                                  {"°", "degrés"},
                                  {"×", "fois"},
                                  {"÷", "divisé par"},
                                  {"±", "plus ou moins"},
                                  {"→", "vers"},
                                  {"€", "euros"},
                                  {"$", "dollars"},
                                  {"£", "livres"}};
constexpr Noun kCentime{"centime", "centimes"};
constexpr Noun kCent{"cent", "cents"};
constexpr Currency kCurrencies[] = {{"€", "EUR", {"euro", "euros"}, kCentime},
                                    {"$", "USD", {"dollar", "dollars"}, kCent},
                                    {"US$", "", {"dollar américain", "dollars américains"}, kCent},
                                    {"$CA", "CAD", {"dollar canadien", "dollars canadiens"}, kCent},
                                    {"£", "GBP", {"livre", "livres", Gender::kFeminine}, {"penny", "pence"}},
                                    {"", "CHF", {"franc suisse", "francs suisses"}, kCentime},
                                    {"¥", "JPY", {"yen", "yens"}, {}},
                                    {"₹", "INR", {"roupie", "roupies", Gender::kFeminine}, {}},
                                    {"F", "XOF", {"franc", "francs"}, kCentime}};
constexpr Unit kUnits[] = {{"%", {"pour cent", "pour cent"}},
                           {"°C", {"degré", "degrés"}},
                           {"°", {"degré", "degrés"}},
                           {"km", {"kilomètre", "kilomètres"}},
                           {"m", {"mètre", "mètres"}},
                           {"cm", {"centimètre", "centimètres"}},
                           {"mm", {"millimètre", "millimètres"}},
                           {"kg", {"kilo", "kilos"}},
                           {"g", {"gramme", "grammes"}},
                           {"mg", {"milligramme", "milligrammes"}},
                           {"l", {"litre", "litres"}},
                           {"L", {"litre", "litres"}},
                           {"ml", {"millilitre", "millilitres"}},
                           {"cl", {"centilitre", "centilitres"}},
                           {"km/h", {"kilomètre heure", "kilomètres heure"}},
                           {"m²", {"mètre carré", "mètres carrés"}},
                           {"m2", {"mètre carré", "mètres carrés"}},
                           {"m³", {"mètre cube", "mètres cubes"}},
                           {"s", {"seconde", "secondes", Gender::kFeminine}},
                           {"sec", {"seconde", "secondes", Gender::kFeminine}},
                           {"min", {"minute", "minutes", Gender::kFeminine}},
                           {"mn", {"minute", "minutes", Gender::kFeminine}},
                           {"h", {"heure", "heures", Gender::kFeminine}},
                           {"ms", {"milliseconde", "millisecondes", Gender::kFeminine}},
                           {"Hz", {"hertz", "hertz"}},
                           {"kHz", {"kilohertz", "kilohertz"}},
                           {"Ko", {"kilooctet", "kilooctets"}},
                           {"Mo", {"mégaoctet", "mégaoctets"}},
                           {"Go", {"gigaoctet", "gigaoctets"}},
                           {"To", {"téraoctet", "téraoctets"}},
                           {"GB", {"gigaoctet", "gigaoctets"}},
                           {"MB", {"mégaoctet", "mégaoctets"}},
                           {"W", {"watt", "watts"}},
                           {"kW", {"kilowatt", "kilowatts"}},
                           {"kWh", {"kilowattheure", "kilowattheures"}},
                           {"V", {"volt", "volts"}},
                           {"x", {"fois", "fois", Gender::kFeminine}},
                           {"mois", {"mois", "mois"}},
                           {"dB", {"décibel", "décibels"}}};
constexpr Noun kScales[] = {{"mille", "mille"}, {"million", "millions"}, {"milliard", "milliards"}};
constexpr Expansion kScaleLetters[] = {{"M", "million"}, {"Md", "milliard"}, {"k", "mille"}};
constexpr std::string_view kWordAcronyms[] = {
    "otan", "onu",  "sida",  "nasa",  "unesco", "unicef", "insee", "cnil", "fnac",
    "pin",  "sim",  "covid", "laser", "radar",  "pacs",   "smic",  "ovni", "cedex",
    "ikea", "visa", "ram",   "siret", "siren",  "urssaf", "caf"};
constexpr std::string_view kShouted[] = {
    "oui",  "non",  "ok",   "le",   "la",   "les",  "de", "du",   "des",  "un",  "une", "et",
    "ou",   "en",   "ne",   "pas",  "vous", "nous", "il", "elle", "pour", "par", "sur", "dans",
    "avec", "plus", "très", "tout", "ici",  "à",    "au", "aux",  "ce",   "se",  "est", "sans"};
constexpr std::string_view kCodeCues[] = {
    "code", "pin",     "numéro", "compte",  "commande", "référence", "réservation", "poste",
    "vol",  "facture", "carte",  "dossier", "chambre",  "client",    "ticket",      "passe"};
constexpr std::string_view kYearCues[] = {"en", "depuis", "année", "an", "de", "avant", "après", "vers"};
constexpr std::string_view kDateCues[] = {"le",       "du",     "au",      "avant",    "depuis",
                                          "date",     "lundi",  "mardi",   "mercredi", "jeudi",
                                          "vendredi", "samedi", "dimanche"};
constexpr std::string_view kPhoneCues[] = {"appelez", "téléphone", "tél",      "tel", "numéro",
                                           "fax",     "mobile",    "portable", "au"};
constexpr std::string_view kRomanCues[] = {"chapitre", "partie", "tome",   "titre",
                                           "phase",    "acte",   "volume", "article"};
constexpr std::string_view kHourWords[] = {"heures", "heure"};

constexpr std::string_view kMonthsSaid[] = {"janvier",   "février", "mars",     "avril",
                                            "mai",       "juin",    "juillet",  "août",
                                            "septembre", "octobre", "novembre", "décembre"};

constexpr Lexicon MakeLexicon() {
  Lexicon w = LexiconOf(kOnes, kMonthsSaid, ',');
  w.minus = "moins", w.plus = "plus", w.point = "virgule", w.percent = "pour cent", w.and_ = "et", w.to = "à";
  w.by = "sur", w.over = "sur", w.equals = "égale", w.number = "numéro", w.degrees = "degrés",
  w.times = "fois";
  w.at = "arobase", w.dot = "point", w.dash = "tiret", w.underscore = "tiret bas", w.slash = "slash",
  w.hash = "dièse";
  w.colon = "deux points", w.per = "par", w.hashtag = "hashtag", w.centsJoiner = "et";
  w.letters['W' - 'A'] = "double vé", w.letters['Y' - 'A'] = "i grec";
  w.monthNames = kMonths, w.abbreviations = kAbbreviations, w.symbols = kSymbols, w.currencies = kCurrencies;
  w.units = kUnits, w.scales = kScales, w.scaleLetters = kScaleLetters, w.wordAcronyms = kWordAcronyms;
  w.shouted = kShouted, w.codeCues = kCodeCues, w.yearCues = kYearCues, w.dateCues = kDateCues;
  w.phoneCues = kPhoneCues, w.romanCues = kRomanCues, w.hourWords = kHourWords;
  return w;
}
constexpr Lexicon kLexicon = MakeLexicon();

std::string UnderHundred(uint64_t n, Gender gender) {
  const bool feminine = gender == Gender::kFeminine;
  if (n == 1 && feminine) return "une";
  if (n < 20) return std::string(kOnes[n]);
  const uint64_t tens = n / 10;
  std::string out(kTens[tens]);
  if (n == 80) return out + "s";
  const uint64_t rest =
      tens == 7 || tens == 9 ? n % 20 + (tens == 7 || tens == 9 ? (n % 20 < 10 ? 10 : 0) : 0) : n % 10;
  if (rest == 0) return out;
  const std::string tail = rest == 1 && feminine ? "une" : std::string(kOnes[rest]);
  if ((rest == 1 || rest == 11) && tens < 8) return out + " et " + tail;
  return out + "-" + tail;
}

std::string UnderThousand(uint64_t n, Gender gender, bool last) {
  std::string out;
  if (n >= 200) out = std::string(kOnes[n / 100]) + (n % 100 == 0 && last ? " cents" : " cent");
  if (n >= 100 && n < 200) out = "cent";
  if (n % 100 != 0 || n == 0) {
    std::string rest = UnderHundred(n % 100, gender);
    if (n % 100 == 80 && !last) rest.pop_back();
    Say(out, rest);
  }
  return out;
}

constexpr NumberGroup kGroups[] = {{1'000'000'000'000, "billion", "billions"},
                                   {1'000'000'000, "milliard", "milliards"},
                                   {1'000'000, "million", "millions"}};

class French final : public Romance {
 public:
  French() : Romance(kLexicon, {"virgule", "de", "premier", false, false}) {}

  std::string Cardinal(uint64_t n, Gender gender) const override {
    std::string out;
    n = SayGroups(out, n, kGroups,
                  [](uint64_t count) { return UnderThousand(count, Gender::kMasculine, true); });
    if (n >= 1000) {
      if (n >= 2000) Say(out, UnderThousand(n / 1000, Gender::kMasculine, false));
      Say(out, "mille");
      n %= 1000;
      if (n == 0) return out;
    }
    if (n != 0 || out.empty()) Say(out, UnderThousand(n, gender, true));
    return out;
  }

  std::string Ordinal(uint64_t n, Gender gender) const override {
    if (n == 1) return gender == Gender::kFeminine ? "première" : "premier";
    std::string out = Cardinal(n, Gender::kBare);
    if (out.ends_with("cinq")) return out + "uième";
    if (out.ends_with("neuf")) return out.substr(0, out.size() - 1) + "vième";
    if (out.ends_with("e") || out.ends_with("s")) {
      if (!out.ends_with("trois")) out.pop_back();
    }
    return out + "ième";
  }

  std::string Decimal(uint64_t whole, std::string_view fraction) const override {
    std::string out = Cardinal(whole, Gender::kBare) + " virgule ";
    if (fraction.size() > 3) return out + Digits(fraction);
    size_t zeros = 0;
    while (zeros < fraction.size() && fraction[zeros] == '0') ++zeros;
    out += Digits(fraction.substr(0, zeros));
    if (zeros < fraction.size()) {
      Say(out, Cardinal(std::stoul(std::string(fraction.substr(zeros))), Gender::kBare));
    }
    return out;
  }

  std::string Fraction(uint64_t over, uint64_t under) const override {
    std::string out = Cardinal(over, Gender::kBare);
    if (under == 2) {
      Say(out, over == 1 ? "demi" : "demis");
    } else if (under == 3) {
      Say(out, "tiers");
    } else if (under == 4) {
      Say(out, over == 1 ? "quart" : "quarts");
    } else {
      Say(out, Ordinal(under, Gender::kBare));
      if (over != 1) out += "s";
    }
    return out;
  }

  std::string Counted(uint64_t n, const Noun& noun) const override {
    const std::string number = Cardinal(n, noun.gender);
    if (n != 0 && n % 1'000'000 == 0) return number + " " + OfMillions(noun.many);
    return number + " " + std::string(n < 2 ? noun.one : noun.many);
  }

  std::string OfMillions(std::string_view noun) const override {
    const bool vowel = std::string_view("aeiouy").find(noun[0]) != std::string_view::npos;
    return vowel ? "d'" + std::string(noun) : Romance::OfMillions(noun);
  }

  std::string CurrencyAmount(uint64_t whole, uint64_t cents, const Currency& currency) const override {
    if (whole == 0 || cents == 0 || currency.cent.one.empty())
      return Reader::CurrencyAmount(whole, cents, currency);
    return Counted(whole, currency.unit) + " " + Cardinal(cents, Gender::kBare);
  }

  std::string SayTime(const ClockTime& time) const override {
    int hour = time.hour;
    if (time.half == DayHalf::kAfternoon && hour > 12) hour -= 12;
    std::string out = Counted(static_cast<uint64_t>(hour), {"heure", "heures", Gender::kFeminine});
    if (time.minute > 0) Say(out, Cardinal(static_cast<uint64_t>(time.minute), Gender::kBare));
    if (time.half == DayHalf::kMorning) Say(out, "du matin");
    if (time.half == DayHalf::kAfternoon) Say(out, hour >= 6 && hour < 12 ? "du soir" : "de l'après-midi");
    return out;
  }

  std::string SuffixedOrdinal(uint64_t n, std::string_view suffix) const override {
    if (suffix == "er" || suffix == "ère" || suffix == "re")
      return n == 1 ? (suffix == "er" ? "premier" : "première") : "";
    if (suffix == "e" || suffix == "ème" || suffix == "ième" || suffix == "eme")
      return Ordinal(n, Gender::kBare);
    if (suffix == "nd" || suffix == "nde") return n == 2 ? (suffix == "nd" ? "second" : "seconde") : "";
    return {};
  }

  std::string Regnal(uint64_t n) const override { return n == 1 ? "premier" : Cardinal(n, Gender::kBare); }

  std::string PhoneGroup(std::string_view digits) const override {
    if (digits.size() != 2 || digits[0] == '0') return Digits(digits);
    return Cardinal(std::stoul(std::string(digits)), Gender::kBare);
  }
};

}  // namespace

const Reader& FrenchReader() {
  static const French reader;
  return reader;
}

}  // namespace trunkline::text
