#include "text/reading/romance.h"
#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

constexpr std::string_view kOnes[] = {
    "cero",         "uno",         "dos",        "tres",        "cuatro",     "cinco",
    "seis",         "siete",       "ocho",       "nueve",       "diez",       "once",
    "doce",         "trece",       "catorce",    "quince",      "dieciséis",  "diecisiete",
    "dieciocho",    "diecinueve",  "veinte",     "veintiuno",   "veintidós",  "veintitrés",
    "veinticuatro", "veinticinco", "veintiséis", "veintisiete", "veintiocho", "veintinueve"};
constexpr std::string_view kTens[] = {"",          "",        "",        "treinta", "cuarenta",
                                      "cincuenta", "sesenta", "setenta", "ochenta", "noventa"};
constexpr std::string_view kHundreds[] = {
    "",           "ciento",      "doscientos",  "trescientos", "cuatrocientos",
    "quinientos", "seiscientos", "setecientos", "ochocientos", "novecientos"};
constexpr std::string_view kOrdinals[] = {"",       "primero",  "segundo",  "tercero", "cuarto",
                                          "quinto", "sexto",    "séptimo",  "octavo",  "noveno",
                                          "décimo", "undécimo", "duodécimo"};
constexpr std::string_view kOrdinalTens[] = {
    "",           "décimo",       "vigésimo",   "trigésimo", "cuadragésimo", "quincuagésimo",
    "sexagésimo", "septuagésimo", "octogésimo", "nonagésimo"};

constexpr MonthName kMonths[] = {
    {"enero", 1},    {"ene", 1},    {"febrero", 2},    {"feb", 2},        {"marzo", 3},      {"mar", 3},
    {"abril", 4},    {"abr", 4},    {"mayo", 5},       {"junio", 6},      {"jun", 6},        {"julio", 7},
    {"jul", 7},      {"agosto", 8}, {"ago", 8},        {"septiembre", 9}, {"setiembre", 9},  {"sept", 9},
    {"octubre", 10}, {"oct", 10},   {"noviembre", 11}, {"nov", 11},       {"diciembre", 12}, {"dic", 12}};
constexpr Expansion kAbbreviations[] = {{"sr.", "señor"},
                                        {"sra.", "señora"},
                                        {"srta.", "señorita"},
                                        {"sres.", "señores"},
                                        {"dr.", "doctor"},
                                        {"dra.", "doctora"},
                                        {"d.", "don"},
                                        {"dña.", "doña"},
                                        {"ud.", "usted"},
                                        {"uds.", "ustedes"},
                                        {"vd.", "usted"},
                                        {"av.", "avenida"},
                                        {"avda.", "avenida"},
                                        {"c/", "calle"},
                                        {"pza.", "plaza"},
                                        {"etc.", "etcétera"},
                                        {"p.ej.", "por ejemplo"},
                                        {"p. ej.", "por ejemplo"},
                                        {"aprox.", "aproximadamente"},
                                        {"tel.", "teléfono"},
                                        {"tfno.", "teléfono"},
                                        {"núm.", "número"},
                                        {"nº", "número"},
                                        {"n.º", "número"},
                                        {"pág.", "página"},
                                        {"págs.", "páginas"},
                                        {"ext.", "extensión"},
                                        {"dpto.", "departamento"},
                                        {"ee.uu.", "Estados Unidos"},
                                        {"ee. uu.", "Estados Unidos"},
                                        {"eeuu", "Estados Unidos"},
                                        {"prof.", "profesor"},
                                        {"sto.", "santo"},
                                        {"sta.", "santa"},
                                        {"izq.", "izquierda"},
                                        {"dcha.", "derecha"},
                                        {"máx.", "máximo"},
                                        {"mín.", "mínimo"},
                                        {"mes.", "mes"},
                                        {"a.c.", "antes de Cristo"},
                                        {"d.c.", "después de Cristo"}};
constexpr Expansion kSymbols[] = {{"&", "y"},         {"+", "más"},        {"=", "igual a"},
                                  {"@", "arroba"},    {"%", "por ciento"}, {"/", "barra"},
                                  {"<", "menor que"}, {">", "mayor que"},  {"~", "aproximadamente"},
                                  {"°", "grados"},    {"×", "por"},        {"÷", "entre"},
                                  {"±", "más menos"}, {"→", "a"},          {"€", "euros"},
                                  {"$", "dólares"},   {"£", "libras"}};
constexpr Noun kCentavo{"centavo", "centavos"};
constexpr Noun kCentimo{"céntimo", "céntimos"};
constexpr Currency kCurrencies[] = {
    {"€", "EUR", {"euro", "euros"}, kCentimo},
    {"$", "USD", {"dólar", "dólares"}, kCentavo},
    {"US$", "", {"dólar", "dólares"}, kCentavo},
    {"£", "GBP", {"libra", "libras", Gender::kFeminine}, {"penique", "peniques"}},
    {"MX$", "MXN", {"peso", "pesos"}, kCentavo},
    {"", "COP", {"peso", "pesos"}, kCentavo},
    {"", "ARS", {"peso", "pesos"}, kCentavo},
    {"", "CLP", {"peso", "pesos"}, kCentavo},
    {"S/", "PEN", {"sol", "soles"}, kCentimo},
    {"¥", "JPY", {"yen", "yenes"}, {}},
    {"₹", "INR", {"rupia", "rupias", Gender::kFeminine}, {}},
    {"", "CHF", {"franco suizo", "francos suizos"}, kCentimo}};
constexpr Unit kUnits[] = {{"%", {"por ciento", "por ciento", Gender::kBare}},
                           {"°C", {"grado", "grados"}},
                           {"ºC", {"grado", "grados"}},
                           {"°", {"grado", "grados"}},
                           {"km", {"kilómetro", "kilómetros"}},
                           {"m", {"metro", "metros"}},
                           {"cm", {"centímetro", "centímetros"}},
                           {"mm", {"milímetro", "milímetros"}},
                           {"kg", {"kilo", "kilos"}},
                           {"g", {"gramo", "gramos"}},
                           {"mg", {"miligramo", "miligramos"}},
                           {"l", {"litro", "litros"}},
                           {"L", {"litro", "litros"}},
                           {"ml", {"mililitro", "mililitros"}},
                           {"km/h", {"kilómetro por hora", "kilómetros por hora"}},
                           {"m²", {"metro cuadrado", "metros cuadrados"}},
                           {"m2", {"metro cuadrado", "metros cuadrados"}},
                           {"m³", {"metro cúbico", "metros cúbicos"}},
                           {"s", {"segundo", "segundos"}},
                           {"seg", {"segundo", "segundos"}},
                           {"min", {"minuto", "minutos"}},
                           {"h", {"hora", "horas", Gender::kFeminine}},
                           {"ms", {"milisegundo", "milisegundos"}},
                           {"Hz", {"hercio", "hercios"}},
                           {"kHz", {"kilohercio", "kilohercios"}},
                           {"KB", {"kilobyte", "kilobytes"}},
                           {"MB", {"megabyte", "megabytes"}},
                           {"GB", {"gigabyte", "gigabytes"}},
                           {"TB", {"terabyte", "terabytes"}},
                           {"W", {"vatio", "vatios"}},
                           {"kW", {"kilovatio", "kilovatios"}},
                           {"kWh", {"kilovatio hora", "kilovatios hora"}},
                           {"V", {"voltio", "voltios"}},
                           {"x", {"vez", "veces", Gender::kFeminine}},
                           {"mes", {"mes", "meses"}},
                           {"dB", {"decibelio", "decibelios"}}};
constexpr Noun kScales[] = {{"mil", "mil"}, {"millón", "millones"}, {"billón", "billones"}};
constexpr Expansion kScaleLetters[] = {{"M", "millón"}, {"k", "mil"}};
constexpr std::string_view kWordAcronyms[] = {
    "ovni", "sida", "onu",  "otan",  "nasa",  "unesco",   "unicef", "renfe", "ave",
    "iva",  "pin",  "sim",  "covid", "láser", "radar",    "pyme",   "ong",   "nie",
    "nif",  "ikea", "seat", "visa",  "ram",   "mercosur", "pemex",  "rae"};
constexpr std::string_view kShouted[] = {"no",   "sí",   "si",   "ya",   "hoy",  "el",   "la",   "los",
                                         "las",  "de",   "en",   "un",   "una",  "por",  "que",  "con",
                                         "del",  "al",   "su",   "se",   "es",   "más",  "muy",  "ok",
                                         "para", "como", "pero", "todo", "aquí", "gran", "hola", "sin"};
constexpr std::string_view kCodeCues[] = {"código",     "pin",     "número",      "cuenta", "pedido",
                                          "referencia", "reserva", "extensión",   "vuelo",  "factura",
                                          "contraseña", "clave",   "tarjeta",     "postal", "habitación",
                                          "expediente", "ticket",  "localizador", "caso"};
constexpr std::string_view kYearCues[] = {"en", "año", "desde", "hasta", "de", "del"};
constexpr std::string_view kDateCues[] = {"el", "del", "hasta", "desde", "al", "día", "fecha"};
constexpr std::string_view kPhoneCues[] = {"teléfono", "llame", "llámenos", "llamar", "tel",
                                           "móvil",    "fax",   "al",       "número", "whatsapp"};
constexpr std::string_view kRomanCues[] = {"siglo",  "capítulo", "parte", "tomo",
                                           "título", "fase",     "acto",  "volumen"};

constexpr std::string_view kMonthsSaid[] = {"enero",      "febrero", "marzo",     "abril",
                                            "mayo",       "junio",   "julio",     "agosto",
                                            "septiembre", "octubre", "noviembre", "diciembre"};

constexpr Lexicon MakeLexicon() {
  Lexicon w = LexiconOf(kOnes, kMonthsSaid, ',');
  w.minus = "menos", w.plus = "más", w.point = "coma", w.percent = "por ciento", w.and_ = "y", w.to = "a";
  w.by = "por", w.over = "partido por", w.equals = "igual", w.number = "número", w.degrees = "grados",
  w.times = "veces";
  w.at = "arroba", w.dot = "punto", w.dash = "guion", w.underscore = "guion bajo", w.slash = "barra",
  w.hash = "almohadilla";
  w.colon = "dos puntos", w.per = "por", w.hashtag = "etiqueta", w.centsJoiner = "con";
  w.letters['W' - 'A'] = "uve doble", w.letters['Y' - 'A'] = "i griega";
  w.monthNames = kMonths, w.abbreviations = kAbbreviations, w.symbols = kSymbols, w.currencies = kCurrencies;
  w.units = kUnits, w.scales = kScales, w.scaleLetters = kScaleLetters, w.wordAcronyms = kWordAcronyms;
  w.shouted = kShouted, w.codeCues = kCodeCues, w.yearCues = kYearCues, w.dateCues = kDateCues;
  w.phoneCues = kPhoneCues, w.romanCues = kRomanCues;
  return w;
}
constexpr Lexicon kLexicon = MakeLexicon();

std::string UnderHundred(uint64_t n, Gender gender) {
  if (n == 1 && gender != Gender::kBare) return gender == Gender::kFeminine ? "una" : "un";
  if (n == 21 && gender != Gender::kBare) return gender == Gender::kFeminine ? "veintiuna" : "veintiún";
  if (n < 30) return std::string(kOnes[n]);
  std::string out(kTens[n / 10]);
  if (n % 10 == 0) return out;
  return out + " y " + UnderHundred(n % 10, gender);
}

std::string UnderThousand(uint64_t n, Gender gender) {
  if (n == 100) return "cien";
  std::string out(kHundreds[n / 100]);
  if (gender == Gender::kFeminine && n >= 200) out.replace(out.size() - 2, 2, "as");
  if (n % 100 != 0 || n == 0) Say(out, UnderHundred(n % 100, gender));
  return out;
}

std::string UnderMillion(uint64_t n, Gender gender) {
  std::string out;
  if (n >= 2000) out = UnderThousand(n / 1000, gender == Gender::kBare ? Gender::kMasculine : gender);
  if (n >= 1000) Say(out, "mil");
  if (n % 1000 != 0 || n == 0) Say(out, UnderThousand(n % 1000, gender));
  return out;
}

constexpr NumberGroup kGroups[] = {{1'000'000'000'000, "un billón", "billones"},
                                   {1'000'000, "un millón", "millones"}};

class Spanish final : public Romance {
 public:
  Spanish() : Romance(kLexicon, {"coma", "de", "primero", true, true}) {}

  std::string Cardinal(uint64_t n, Gender gender) const override {
    std::string out;
    n = SayGroups(out, n, kGroups, [](uint64_t count) {
      return count == 1 ? std::string() : UnderMillion(count, Gender::kMasculine);
    });
    if (n != 0 || out.empty()) Say(out, UnderMillion(n, gender));
    return out;
  }

  std::string Ordinal(uint64_t n, Gender gender) const override {
    if (n == 0 || n > 99) return Cardinal(n, gender);
    if (n <= 12) return Agreed(kOrdinals[n], gender);
    std::string out = Agreed(kOrdinalTens[n / 10], gender);
    if (n % 10 != 0) Say(out, Agreed(kOrdinals[n % 10], gender));
    return out;
  }

  std::string Fraction(uint64_t over, uint64_t under) const override {
    static constexpr std::string_view kParts[] = {"medio",   "tercio", "cuarto", "quinto", "sexto",
                                                  "séptimo", "octavo", "noveno", "décimo"};
    if (under > 10) return Reader::Fraction(over, under);
    std::string out = Cardinal(over, Gender::kMasculine);
    Say(out, kParts[under - 2]);
    return over == 1 ? out : out + "s";
  }

  std::string SayTime(const ClockTime& time) const override {
    int hour = time.hour;
    if (time.half == DayHalf::kAfternoon && hour > 12) hour -= 12;
    std::string out = Cardinal(static_cast<uint64_t>(hour), Gender::kFeminine);
    if (time.minute > 0) {
      Say(out, time.minute < 10 ? "cero" : "");
      Say(out, Cardinal(static_cast<uint64_t>(time.minute), Gender::kBare));
    } else if (time.half == DayHalf::kNone) {
      Say(out, hour == 0 || hour > 12 ? "horas" : "en punto");
    }
    if (time.half == DayHalf::kMorning) Say(out, hour == 12 ? "de la noche" : "de la mañana");
    if (time.half == DayHalf::kAfternoon) Say(out, hour >= 8 && hour < 12 ? "de la noche" : "de la tarde");
    return out;
  }

  std::string SuffixedOrdinal(uint64_t n, std::string_view suffix) const override {
    if (suffix != "er" || (n != 1 && n != 3)) return Romance::SuffixedOrdinal(n, suffix);
    return n == 1 ? "primer" : "tercer";
  }

  std::string Regnal(uint64_t n) const override {
    return n <= 10 ? Ordinal(n, Gender::kMasculine) : Cardinal(n, Gender::kBare);
  }
};

}  // namespace

const Reader& SpanishReader() {
  static const Spanish reader;
  return reader;
}

}  // namespace trunkline::text
