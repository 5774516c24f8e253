#include <algorithm>
#include <utility>

#include "text/reading/japanese.h"

namespace trunkline::text {
namespace {

constexpr std::string_view kOnes[] = {"ゼロ", "イチ", "ニ",   "サン", "ヨン",
                                      "ゴ",   "ロク", "ナナ", "ハチ", "キュー"};

// A counter may change the last sound of the number before it, and its own first sound.
enum class Change {
  kNone,
  kK,  // 一回 イッカイ, 六回 ロッカイ, 八回 ハッカイ, 十回 ジュッカイ, 百回 ヒャッカイ
  kG,  // the same, and 三階 サンガイ
  kS,  // 一歳 イッサイ, 八歳 ハッサイ, 十歳 ジュッサイ
  kH,  // 一本 イッポン, 三本 サンボン, 六本 ロッポン, 八本 ハッポン, 十本 ジュッポン
  kP,      // 一分 イップン, 三分 サンプン, 四分 ヨンプン
  kYo,     // 四年 ヨネン
  kClock,  // 四時 ヨジ, 七時 シチジ, 九時 クジ
  kDay,    // 二日 フツカ, 十四日 ジューヨッカ, 十七日 ジューシチニチ
};

struct Counter {
  std::string_view written, said;
  Change change = Change::kNone;
};

// Words that begin as a counter does: 三分割 is サンブンカツ.
constexpr std::string_view kOtherWords[] = {"分割", "分類", "分野", "分析", "分岐", "階級",
                                            "階層", "足す", "足し", "足ら", "期待"};

constexpr Counter kCounters[] = {{"パーセント", "パーセント"},
                                 {"センチ", "センチ"},
                                 {"メートル", "メートル"},
                                 {"キロ", "キロ"},
                                 {"グラム", "グラム"},
                                 {"リットル", "リットル"},
                                 {"ページ", "ページ"},
                                 {"ポイント", "ポイント"},
                                 {"ドル", "ドル"},
                                 {"ユーロ", "ユーロ"},
                                 {"ポンド", "ポンド"},
                                 {"元", "ゲン"},
                                 {"秒間", "ビョーカン"},
                                 {"秒", "ビョー"},
                                 {"枚", "マイ"},
                                 {"台目", "ダイメ"},
                                 {"台", "ダイ"},
                                 {"名", "メー"},
                                 {"番線", "バンセン"},
                                 {"番目", "バンメ"},
                                 {"番", "バン"},
                                 {"号", "ゴー"},
                                 {"度", "ド"},
                                 {"倍", "バイ"},
                                 {"部屋", "ヘヤ"},
                                 {"部", "ブ"},
                                 {"問", "モン"},
                                 {"位", "イ"},
                                 {"割", "ワリ"},
                                 {"行", "ギョー"},
                                 {"月", "ガツ"},
                                 {"通り", "トーリ"},
                                 {"皿", "サラ"},
                                 {"桁", "ケタ"},
                                 {"人前", "ニンマエ", Change::kYo},
                                 {"人称", "ニンショー", Change::kYo},
                                 {"人", "ニン", Change::kYo},
                                 {"つ", "ツ"},
                                 {"か月", "カゲツ", Change::kK},
                                 {"ヶ月", "カゲツ", Change::kK},
                                 {"カ月", "カゲツ", Change::kK},
                                 {"ヵ月", "カゲツ", Change::kK},
                                 {"ケ月", "カゲツ", Change::kK},
                                 {"箇月", "カゲツ", Change::kK},
                                 {"か国", "カコク", Change::kK},
                                 {"ヶ国", "カコク", Change::kK},
                                 {"カ国", "カコク", Change::kK},
                                 {"ヵ国", "カコク", Change::kK},
                                 {"ケ国", "カコク", Change::kK},
                                 {"箇所", "カショ", Change::kK},
                                 {"か所", "カショ", Change::kK},
                                 {"ヶ所", "カショ", Change::kK},
                                 {"カ所", "カショ", Change::kK},
                                 {"ヵ所", "カショ", Change::kK},
                                 {"ケ所", "カショ", Change::kK},
                                 {"個", "コ", Change::kK},
                                 {"回", "カイ", Change::kK},
                                 {"件", "ケン", Change::kK},
                                 {"校", "コー", Change::kK},
                                 {"曲", "キョク", Change::kK},
                                 {"巻", "カン", Change::kK},
                                 {"期", "キ", Change::kK},
                                 {"級", "キュー", Change::kK},
                                 {"戸", "コ", Change::kK},
                                 {"局", "キョク", Change::kK},
                                 {"缶", "カン", Change::kK},
                                 {"階", "カイ", Change::kG},
                                 {"軒", "ケン", Change::kG},
                                 {"週間", "シューカン", Change::kS},
                                 {"世紀", "セーキ", Change::kS},
                                 {"種類", "シュルイ", Change::kS},
                                 {"種", "シュ", Change::kS},
                                 {"歳代", "サイダイ", Change::kS},
                                 {"才代", "サイダイ", Change::kS},
                                 {"歳", "サイ", Change::kS},
                                 {"才", "サイ", Change::kS},
                                 {"冊", "サツ", Change::kS},
                                 {"通", "ツー", Change::kS},
                                 {"点", "テン", Change::kS},
                                 {"着", "チャク", Change::kS},
                                 {"頭", "トー", Change::kS},
                                 {"社", "シャ", Change::kS},
                                 {"線", "セン", Change::kS},
                                 {"章", "ショー", Change::kS},
                                 {"週", "シュー", Change::kS},
                                 {"席", "セキ", Change::kS},
                                 {"丁目", "チョーメ", Change::kS},
                                 {"食", "ショク", Change::kS},
                                 {"周年", "シューネン", Change::kS},
                                 {"周", "シュー", Change::kS},
                                 {"足", "ソク", Change::kS},
                                 {"店舗", "テンポ", Change::kS},
                                 {"本", "ホン", Change::kH},
                                 {"匹", "ヒキ", Change::kH},
                                 {"杯", "ハイ", Change::kH},
                                 {"票", "ヒョー", Change::kH},
                                 {"箱", "ハコ", Change::kH},
                                 {"泊", "ハク", Change::kP},
                                 {"分間", "フンカン", Change::kP},
                                 {"分", "フン", Change::kP},
                                 {"円", "エン", Change::kYo},
                                 {"年間", "ネンカン", Change::kYo},
                                 {"年", "ネン", Change::kYo},
                                 {"時間", "ジカン", Change::kClock},
                                 {"時", "ジ", Change::kClock},
                                 {"日間", "カン", Change::kDay},
                                 {"日中", "チュー", Change::kDay},
                                 {"年中", "ネンチュー", Change::kYo},
                                 {"番地", "バンチ"},
                                 {"日目", "メ", Change::kDay},
                                 {"日", "", Change::kDay}};

constexpr std::pair<std::string_view, std::string_view> kIrregular[] = {
    {"1人", "ヒトリ"},           {"2人", "フタリ"},           {"7人", "シチニン"},   {"0時", "レージ"},
    {"4月", "シガツ"},           {"7月", "シチガツ"},         {"9月", "クガツ"},     {"1日", "ツイタチ"},
    {"1日中", "イチニチジュー"}, {"1年中", "イチネンジュー"}, {"1つ", "ヒトツ"},     {"2つ", "フタツ"},
    {"3つ", "ミッツ"},           {"4つ", "ヨッツ"},           {"5つ", "イツツ"},     {"6つ", "ムッツ"},
    {"7つ", "ナナツ"},           {"8つ", "ヤッツ"},           {"9つ", "ココノツ"},   {"3足", "サンゾク"},
    {"20歳", "ハタチ"},          {"20才", "ハタチ"},          {"1箱", "ヒトハコ"},   {"2箱", "フタハコ"},
    {"3箱", "サンパコ"},         {"1皿", "ヒトサラ"},         {"2皿", "フタサラ"},   {"1桁", "ヒトケタ"},
    {"2桁", "フタケタ"},         {"1部屋", "ヒトヘヤ"},       {"2部屋", "フタヘヤ"}, {"1通り", "ヒトトーリ"},
    {"2通り", "フタトーリ"}};

std::string UnderTenThousandInKana(uint64_t value) {
  constexpr std::string_view kThousands[] = {"",       "セン",     "ニセン",   "サンゼン", "ヨンセン",
                                             "ゴセン", "ロクセン", "ナナセン", "ハッセン", "キューセン"};
  constexpr std::string_view kHundreds[] = {"",           "ヒャク",      "ニヒャク",   "サンビャク",
                                            "ヨンヒャク", "ゴヒャク",    "ロッピャク", "ナナヒャク",
                                            "ハッピャク", "キューヒャク"};
  std::string out(kThousands[value / 1000 % 10]);
  out += kHundreds[value / 100 % 10];
  const uint64_t tens = value / 10 % 10;
  if (tens > 1) out += kOnes[tens];
  if (tens > 0) out += "ジュー";
  if (value % 10 > 0) out += kOnes[value % 10];
  return out;
}

bool ReplaceEnd(std::string& text, std::string_view from, std::string_view to) {
  if (!text.ends_with(from)) return false;
  text.replace(text.size() - from.size(), from.size(), to);
  return true;
}

// The number's last sound before a hard consonant.
void Harden(std::string& number, Change change) {
  const bool also_six_and_hundred =
      change == Change::kK || change == Change::kG || change == Change::kH || change == Change::kP;
  if (ReplaceEnd(number, "イチ", "イッ") || ReplaceEnd(number, "ハチ", "ハッ") ||
      ReplaceEnd(number, "ジュー", "ジュッ"))
    return;
  if (!also_six_and_hundred) return;
  if (ReplaceEnd(number, "ロク", "ロッ")) return;
  for (const std::string_view hundred : {"ヒャク", "ビャク", "ピャク"}) {
    if (ReplaceEnd(number, hundred, std::string(hundred.substr(0, hundred.size() - 3)) + "ッ")) return;
  }
}

// The first kana of a counter in ハ's row with the mark of バ's row or パ's row.
std::string Voiced(std::string_view counter, bool half) {
  constexpr std::pair<std::string_view, std::string_view> kRows[] = {
      {"ハ", "バパ"}, {"ヒ", "ビピ"}, {"フ", "ブプ"}, {"ヘ", "ベペ"},
      {"ホ", "ボポ"}, {"カ", "ガガ"}, {"ケ", "ゲゲ"}};
  for (const auto& [plain, marked] : kRows) {
    if (!counter.starts_with(plain)) continue;
    return std::string(marked.substr(half ? plain.size() : 0, plain.size()))
        .append(counter.substr(plain.size()));
  }
  return std::string(counter);
}

std::string Days(uint64_t value) {
  constexpr std::string_view kDays[] = {"フツカ", "ミッカ", "ヨッカ",   "イツカ", "ムイカ",
                                        "ナノカ", "ヨーカ", "ココノカ", "トーカ"};
  if (value >= 2 && value <= 10) return std::string(kDays[value - 2]);
  if (value == 20) return "ハツカ";
  std::string number = JapaneseCardinal(value);
  if (ReplaceEnd(number, "ヨン", "ヨッカ")) return number;
  if (!ReplaceEnd(number, "ナナ", "シチ")) ReplaceEnd(number, "キュー", "ク");
  return number + "ニチ";
}

std::string Join(uint64_t value, const Counter& counter) {
  if (counter.change == Change::kDay) return Days(value).append(counter.said);
  std::string number = JapaneseCardinal(value);
  if (counter.change == Change::kNone) return number.append(counter.said);
  if (counter.change == Change::kClock && !ReplaceEnd(number, "ナナ", "シチ"))
    ReplaceEnd(number, "キュー", "ク");
  if (counter.change == Change::kYo || counter.change == Change::kClock) {
    ReplaceEnd(number, "ヨン", "ヨ");
    return number.append(counter.said);
  }
  std::string said(counter.said);
  const std::string before = number;
  Harden(number, counter.change);
  const bool hard = number != before;
  if (counter.change == Change::kH || counter.change == Change::kP) {
    const bool three = number.ends_with("サン") || number.ends_with("セン") || number.ends_with("マン") ||
                       number.ends_with("ゼン");
    const bool four = counter.change == Change::kP && number.ends_with("ヨン");
    if (hard || four || (three && counter.change == Change::kP)) {
      said = Voiced(said, true);
    } else if (three) {
      said = Voiced(said, false);
    }
  } else if (counter.change == Change::kG && number.ends_with("サン")) {
    said = Voiced(said, false);
  }
  return number.append(said);
}

}  // namespace

std::string JapaneseCardinal(uint64_t value) {
  if (value == 0) return std::string(kOnes[0]);
  constexpr std::pair<uint64_t, std::string_view> kScales[] = {
      {1'000'000'000'000ULL, "チョー"}, {100'000'000ULL, "オク"}, {10'000ULL, "マン"}};
  std::string out;
  for (const auto& [scale, name] : kScales) {
    const uint64_t group = value / scale % 10'000;
    if (group == 0) continue;
    // A thousand of them is said with its one: イッセンマン.
    std::string said =
        group / 1000 == 1 ? "イッセン" + UnderTenThousandInKana(group % 1000) : UnderTenThousandInKana(group);
    if (name == "チョー") Harden(said, Change::kS);
    out += said;
    out += name;
  }
  return out + UnderTenThousandInKana(value % 10'000);
}

std::string_view JapaneseCounterAt(std::string_view text) {
  const auto begins = [text](std::string_view word) { return text.starts_with(word); };
  if (std::ranges::any_of(kOtherWords, begins)) return {};
  std::string_view longest;
  for (const Counter& known : kCounters) {
    if (begins(known.written) && known.written.size() > longest.size()) longest = known.written;
  }
  return longest;
}

std::string JapaneseCounted(uint64_t value, std::string_view counter) {
  const std::string written = std::to_string(value).append(counter);
  for (const auto& [known, said] : kIrregular) {
    if (known == written) return std::string(said);
  }
  if (counter == "つ") return {};
  for (const Counter& known : kCounters) {
    if (known.written == counter) return Join(value, known);
  }
  return {};
}

}  // namespace trunkline::text
