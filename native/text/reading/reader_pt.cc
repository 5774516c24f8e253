#include "text/reading/romance.h"
#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

constexpr std::string_view kOnes[] = {
    "zero", "um",   "dois", "três",  "quatro",   "cinco",  "seis",      "sete",      "oito",    "nove",
    "dez",  "onze", "doze", "treze", "quatorze", "quinze", "dezesseis", "dezessete", "dezoito", "dezenove"};
constexpr std::string_view kTens[] = {"",          "",         "vinte",   "trinta",  "quarenta",
                                      "cinquenta", "sessenta", "setenta", "oitenta", "noventa"};
constexpr std::string_view kHundreds[] = {
    "",           "cento",      "duzentos",   "trezentos",  "quatrocentos",
    "quinhentos", "seiscentos", "setecentos", "oitocentos", "novecentos"};
constexpr std::string_view kOrdinals[] = {"",       "primeiro", "segundo", "terceiro", "quarto",
                                          "quinto", "sexto",    "sétimo",  "oitavo",   "nono"};
constexpr std::string_view kOrdinalTens[] = {
    "",           "décimo",       "vigésimo",   "trigésimo", "quadragésimo", "quinquagésimo",
    "sexagésimo", "septuagésimo", "octogésimo", "nonagésimo"};

constexpr MonthName kMonths[] = {
    {"janeiro", 1},  {"jan", 1},  {"fevereiro", 2}, {"fev", 2},  {"março", 3},     {"mar", 3},
    {"abril", 4},    {"abr", 4},  {"maio", 5},      {"mai", 5},  {"junho", 6},     {"jun", 6},
    {"julho", 7},    {"jul", 7},  {"agosto", 8},    {"ago", 8},  {"setembro", 9},  {"set", 9},
    {"outubro", 10}, {"out", 10}, {"novembro", 11}, {"nov", 11}, {"dezembro", 12}, {"dez", 12}};
constexpr Expansion kAbbreviations[] = {{"sr.", "senhor"},
                                        {"sra.", "senhora"},
                                        {"srta.", "senhorita"},
                                        {"dr.", "doutor"},
                                        {"dra.", "doutora"},
                                        {"prof.", "professor"},
                                        {"profa.", "professora"},
                                        {"av.", "avenida"},
                                        {"r.", "rua"},
                                        {"etc.", "etcétera"},
                                        {"p. ex.", "por exemplo"},
                                        {"p.ex.", "por exemplo"},
                                        {"aprox.", "aproximadamente"},
                                        {"tel.", "telefone"},
                                        {"nº", "número"},
                                        {"n.º", "número"},
                                        {"pág.", "página"},
                                        {"ramal.", "ramal"},
                                        {"apto.", "apartamento"},
                                        {"ap.", "apartamento"},
                                        {"ltda.", "limitada"},
                                        {"s.a.", "S A"},
                                        {"cia.", "companhia"},
                                        {"obs.", "observação"},
                                        {"máx.", "máximo"},
                                        {"mín.", "mínimo"},
                                        {"ref.", "referência"},
                                        {"cel.", "celular"},
                                        {"a.c.", "antes de Cristo"},
                                        {"d.c.", "depois de Cristo"},
                                        {"vc", "você"},
                                        {"vcs", "vocês"},
                                        {"dep.", "deputado"},
                                        {"sto.", "santo"},
                                        {"sta.", "santa"}};
constexpr Expansion kSymbols[] = {
    {"&", "e"},      {"+", "mais"},         {"=", "igual a"},       {"@", "arroba"},   {"%", "por cento"},
    {"/", "barra"},  {"<", "menor que"},    {">", "maior que"},     {"~", "cerca de"}, {"°", "graus"},
    {"×", "vezes"},  {"÷", "dividido por"}, {"±", "mais ou menos"}, {"→", "a"},        {"€", "euros"},
    {"$", "dólares"}};
constexpr Noun kCentavo{"centavo", "centavos"};
constexpr Noun kCentimo{"cêntimo", "cêntimos"};
constexpr Currency kCurrencies[] = {{"R$", "BRL", {"real", "reais"}, kCentavo},
                                    {"€", "EUR", {"euro", "euros"}, kCentimo},
                                    {"$", "USD", {"dólar", "dólares"}, kCentavo},
                                    {"US$", "", {"dólar", "dólares"}, kCentavo},
                                    {"£", "GBP", {"libra", "libras", Gender::kFeminine}, {"penny", "pence"}},
                                    {"¥", "JPY", {"iene", "ienes"}, {}},
                                    {"₹", "INR", {"rupia", "rupias", Gender::kFeminine}, {}},
                                    {"", "CHF", {"franco suíço", "francos suíços"}, kCentimo}};
constexpr Unit kUnits[] = {{"%", {"por cento", "por cento"}},
                           {"°C", {"grau", "graus"}},
                           {"ºC", {"grau", "graus"}},
                           {"°", {"grau", "graus"}},
                           {"km", {"quilômetro", "quilômetros"}},
                           {"m", {"metro", "metros"}},
                           {"cm", {"centímetro", "centímetros"}},
                           {"mm", {"milímetro", "milímetros"}},
                           {"kg", {"quilo", "quilos"}},
                           {"g", {"grama", "gramas"}},
                           {"mg", {"miligrama", "miligramas"}},
                           {"l", {"litro", "litros"}},
                           {"L", {"litro", "litros"}},
                           {"ml", {"mililitro", "mililitros"}},
                           {"km/h", {"quilômetro por hora", "quilômetros por hora"}},
                           {"m²", {"metro quadrado", "metros quadrados"}},
                           {"m2", {"metro quadrado", "metros quadrados"}},
                           {"m³", {"metro cúbico", "metros cúbicos"}},
                           {"s", {"segundo", "segundos"}},
                           {"seg", {"segundo", "segundos"}},
                           {"min", {"minuto", "minutos"}},
                           {"h", {"hora", "horas", Gender::kFeminine}},
                           {"ms", {"milissegundo", "milissegundos"}},
                           {"Hz", {"hertz", "hertz"}},
                           {"kHz", {"quilohertz", "quilohertz"}},
                           {"KB", {"quilobyte", "quilobytes"}},
                           {"MB", {"megabyte", "megabytes"}},
                           {"GB", {"gigabyte", "gigabytes"}},
                           {"TB", {"terabyte", "terabytes"}},
                           {"W", {"watt", "watts"}},
                           {"kW", {"quilowatt", "quilowatts"}},
                           {"kWh", {"quilowatt-hora", "quilowatts-hora"}},
                           {"V", {"volt", "volts"}},
                           {"x", {"vez", "vezes", Gender::kFeminine}},
                           {"mês", {"mês", "meses"}},
                           {"dB", {"decibel", "decibéis"}}};
constexpr Noun kScales[] = {
    {"mil", "mil"}, {"milhão", "milhões"}, {"bilhão", "bilhões"}, {"mi", "milhões"}, {"bi", "bilhões"}};
constexpr Expansion kScaleLetters[] = {{"M", "milhão"}, {"mi", "milhão"}, {"bi", "bilhão"}, {"k", "mil"}};
constexpr std::string_view kWordAcronyms[] = {
    "otan",  "onu",       "nasa",    "unesco", "unicef", "aids",   "pix",    "pin",  "sim",
    "covid", "laser",     "radar",   "cep",    "sus",    "ong",    "enem",   "visa", "ram",
    "ikea",  "petrobras", "embraer", "sebrae", "senai",  "detran", "procon", "ovni"};
constexpr std::string_view kShouted[] = {"sim",  "não", "ok",  "o",   "a",   "os",   "as",  "de",   "do",
                                         "da",   "em",  "no",  "na",  "por", "para", "com", "um",   "uma",
                                         "é",    "e",   "ou",  "se",  "que", "mas",  "já",  "hoje", "aqui",
                                         "mais", "só",  "seu", "sua", "oi",  "olá",  "tudo"};
constexpr std::string_view kCodeCues[] = {"código",  "pin",       "número",  "conta",  "pedido", "referência",
                                          "reserva", "ramal",     "voo",     "fatura", "senha",  "cartão",
                                          "quarto",  "protocolo", "bilhete", "cep",    "agência"};
constexpr std::string_view kYearCues[] = {"em", "ano", "desde", "até", "de"};
constexpr std::string_view kDateCues[] = {"dia", "em", "até", "desde", "data", "no"};
constexpr std::string_view kPhoneCues[] = {"telefone", "tel", "ligue",    "ligar", "número",
                                           "celular",  "fax", "whatsapp", "para"};
constexpr std::string_view kRomanCues[] = {"século", "capítulo", "parte", "volume", "fase", "ato", "título"};
constexpr std::string_view kHourWords[] = {"horas", "hora"};

constexpr std::string_view kMonthsSaid[] = {"janeiro",  "fevereiro", "março",    "abril",
                                            "maio",     "junho",     "julho",    "agosto",
                                            "setembro", "outubro",   "novembro", "dezembro"};

constexpr Lexicon MakeLexicon() {
  Lexicon w = LexiconOf(kOnes, kMonthsSaid, ',');
  w.minus = "menos", w.plus = "mais", w.point = "vírgula", w.percent = "por cento", w.and_ = "e", w.to = "a";
  w.by = "por", w.over = "sobre", w.equals = "igual", w.number = "número", w.degrees = "graus",
  w.times = "vezes";
  w.at = "arroba", w.dot = "ponto", w.dash = "hífen", w.underscore = "underline", w.slash = "barra",
  w.hash = "cerquilha";
  w.colon = "dois pontos", w.per = "por", w.hashtag = "hashtag", w.centsJoiner = "e";
  w.letters['W' - 'A'] = "dáblio", w.letters['Y' - 'A'] = "ípsilon", w.letters['X' - 'A'] = "xis";
  w.monthNames = kMonths, w.abbreviations = kAbbreviations, w.symbols = kSymbols, w.currencies = kCurrencies;
  w.units = kUnits, w.scales = kScales, w.scaleLetters = kScaleLetters, w.wordAcronyms = kWordAcronyms;
  w.shouted = kShouted, w.codeCues = kCodeCues, w.yearCues = kYearCues, w.dateCues = kDateCues;
  w.phoneCues = kPhoneCues, w.romanCues = kRomanCues, w.hourWords = kHourWords;
  return w;
}
constexpr Lexicon kLexicon = MakeLexicon();

std::string UnderHundred(uint64_t n, Gender gender) {
  if (gender == Gender::kFeminine && n == 1) return "uma";
  if (gender == Gender::kFeminine && n == 2) return "duas";
  if (n < 20) return std::string(kOnes[n]);
  std::string out(kTens[n / 10]);
  if (n % 10 == 0) return out;
  return out + " e " + UnderHundred(n % 10, gender);
}

std::string UnderThousand(uint64_t n, Gender gender) {
  if (n == 100) return "cem";
  std::string out(kHundreds[n / 100]);
  if (gender == Gender::kFeminine && n >= 200) out.replace(out.size() - 2, 2, "as");
  if (n % 100 != 0 && n > 100) Say(out, "e");
  if (n % 100 != 0 || n == 0) Say(out, UnderHundred(n % 100, gender));
  return out;
}

// "e" joins the last group when it is below a hundred or whole hundreds: mil e cem, mil duzentos e um.
bool JoinsLast(uint64_t rest) {
  return rest < 100 || rest % 100 == 0;
}

constexpr NumberGroup kGroups[] = {{1'000'000'000'000, "trilhão", "trilhões"},
                                   {1'000'000'000, "bilhão", "bilhões"},
                                   {1'000'000, "milhão", "milhões"}};

class Portuguese final : public Romance {
 public:
  Portuguese() : Romance(kLexicon, {"vírgula", "de", "primeiro", true, false}) {}

  std::string Cardinal(uint64_t n, Gender gender) const override {
    std::string out;
    n = SayGroups(out, n, kGroups, [](uint64_t count) { return UnderThousand(count, Gender::kMasculine); });
    if (n == 0 && !out.empty()) return out;
    if (!out.empty() && (n < 100 || (n < 1000 && n % 100 == 0))) Say(out, "e");
    if (n >= 1000) {
      if (n >= 2000)
        Say(out, UnderThousand(n / 1000, gender == Gender::kFeminine ? gender : Gender::kMasculine));
      Say(out, "mil");
      n %= 1000;
      if (n == 0) return out;
      if (JoinsLast(n)) Say(out, "e");
    }
    Say(out, UnderThousand(n, gender));
    return out;
  }

  std::string Ordinal(uint64_t n, Gender gender) const override {
    if (n == 0 || n > 99) return Cardinal(n, gender);
    std::string out = n >= 10 ? Agreed(kOrdinalTens[n / 10], gender) : std::string();
    if (n % 10 != 0) Say(out, Agreed(kOrdinals[n % 10], gender));
    return out;
  }

  std::string Fraction(uint64_t over, uint64_t under) const override {
    if (under > 10) return Reader::Fraction(over, under);
    std::string part = under == 2 ? "meio" : under == 3 ? "terço" : Ordinal(under, Gender::kMasculine);
    if (over != 1) part += "s";
    return Cardinal(over, Gender::kMasculine) + " " + part;
  }

  std::string SayTime(const ClockTime& time) const override {
    int hour = time.hour;
    if (time.half == DayHalf::kAfternoon && hour > 12) hour -= 12;
    std::string out = Cardinal(static_cast<uint64_t>(hour), Gender::kFeminine);
    if (time.minute > 0) {
      Say(out, "e");
      Say(out, Cardinal(static_cast<uint64_t>(time.minute), Gender::kBare));
    } else if (time.half == DayHalf::kNone) {
      Say(out, hour == 1 ? "hora" : "horas");
    }
    if (time.half == DayHalf::kMorning) Say(out, "da manhã");
    if (time.half == DayHalf::kAfternoon) Say(out, hour >= 6 && hour < 12 ? "da noite" : "da tarde");
    return out;
  }

  std::string Regnal(uint64_t n) const override {
    return n <= 10 ? Ordinal(n, Gender::kMasculine) : Cardinal(n, Gender::kBare);
  }
};

}  // namespace

const Reader& PortugueseReader() {
  static const Portuguese reader;
  return reader;
}

}  // namespace trunkline::text
