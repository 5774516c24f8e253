#include <array>
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
  kP,   // 一分 イップン, 三分 サンプン, 四分 ヨンプン
  kYo,  // 四年 ヨネン
};

struct Counter {
  std::string_view written, said;
  Change change = Change::kNone;
};

// The longest come first.
constexpr Counter kCounters[] = {{"パーセント", "パーセント"},
                                 {"センチ", "センチ"},
                                 {"メートル", "メートル"},
                                 {"キロ", "キロ"},
                                 {"グラム", "グラム"},
                                 {"リットル", "リットル"},
                                 {"ページ", "ページ"},
                                 {"ポイント", "ポイント"},
                                 {"か月", "カゲツ", Change::kK},
                                 {"ヶ月", "カゲツ", Change::kK},
                                 {"カ月", "カゲツ", Change::kK},
                                 {"箇所", "カショ", Change::kK},
                                 {"か所", "カショ", Change::kK},
                                 {"ヶ所", "カショ", Change::kK},
                                 {"週間", "シューカン", Change::kS},
                                 {"年間", "ネンカン", Change::kYo},
                                 {"時間", "ジカン", Change::kYo},
                                 {"分間", "フンカン", Change::kP},
                                 {"秒間", "ビョーカン"},
                                 {"日間", "ニチカン"},
                                 {"世紀", "セーキ", Change::kS},
                                 {"種類", "シュルイ", Change::kS},
                                 {"ドル", "ドル"},
                                 {"ユーロ", "ユーロ"},
                                 {"ポンド", "ポンド"},
                                 {"元", "ゲン"},
                                 {"本", "ホン", Change::kH},
                                 {"匹", "ヒキ", Change::kH},
                                 {"杯", "ハイ", Change::kH},
                                 {"泊", "ハク", Change::kP},
                                 {"分", "フン", Change::kP},
                                 {"票", "ヒョー", Change::kH},
                                 {"個", "コ", Change::kK},
                                 {"回", "カイ", Change::kK},
                                 {"階", "カイ", Change::kG},
                                 {"件", "ケン", Change::kK},
                                 {"校", "コー", Change::kK},
                                 {"曲", "キョク", Change::kK},
                                 {"巻", "カン", Change::kK},
                                 {"軒", "ケン", Change::kG},
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
                                 {"円", "エン", Change::kYo},
                                 {"年", "ネン", Change::kYo},
                                 {"枚", "マイ"},
                                 {"台", "ダイ"},
                                 {"名", "メー"},
                                 {"番", "バン"},
                                 {"番線", "バンセン"},
                                 {"番目", "バンメ"},
                                 {"号", "ゴー"},
                                 {"度", "ド"},
                                 {"倍", "バイ"},
                                 {"部", "ブ"},
                                 {"秒", "ビョー"},
                                 {"問", "モン"},
                                 {"位", "イ"},
                                 {"割", "ワリ"},
                                 {"行", "ギョー"},
                                 {"台目", "ダイメ"},
                                 {"箱", "ハコ"},
                                 {"食", "ショク", Change::kS}};

constexpr std::pair<std::string_view, std::string_view> kIrregular[] = {{"1人", "ヒトリ"},
                                                                        {"2人", "フタリ"},
                                                                        {"4人", "ヨニン"},
                                                                        {"7人", "シチニン"},
                                                                        {"4時", "ヨジ"},
                                                                        {"7時", "シチジ"},
                                                                        {"9時", "クジ"},
                                                                        {"0時", "レージ"},
                                                                        {"4月", "シガツ"},
                                                                        {"7月", "シチガツ"},
                                                                        {"9月", "クガツ"},
                                                                        {"1日", "ツイタチ"},
                                                                        {"2日", "フツカ"},
                                                                        {"3日", "ミッカ"},
                                                                        {"4日", "ヨッカ"},
                                                                        {"5日", "イツカ"},
                                                                        {"6日", "ムイカ"},
                                                                        {"7日", "ナノカ"},
                                                                        {"8日", "ヨーカ"},
                                                                        {"9日", "ココノカ"},
                                                                        {"10日", "トーカ"},
                                                                        {"14日", "ジューヨッカ"},
                                                                        {"17日", "ジューシチニチ"},
                                                                        {"19日", "ジュークニチ"},
                                                                        {"20日", "ハツカ"},
                                                                        {"24日", "ニジューヨッカ"},
                                                                        {"27日", "ニジューシチニチ"},
                                                                        {"29日", "ニジュークニチ"},
                                                                        {"1つ", "ヒトツ"},
                                                                        {"2つ", "フタツ"},
                                                                        {"3つ", "ミッツ"},
                                                                        {"4つ", "ヨッツ"},
                                                                        {"5つ", "イツツ"},
                                                                        {"6つ", "ムッツ"},
                                                                        {"7つ", "ナナツ"},
                                                                        {"8つ", "ヤッツ"},
                                                                        {"9つ", "ココノツ"},
                                                                        {"20歳", "ハタチ"},
                                                                        {"20才", "ハタチ"}};

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

std::string Join(std::string number, const Counter& counter) {
  if (counter.change == Change::kNone) return number.append(counter.said);
  if (counter.change == Change::kYo) {
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

std::string JapaneseCounted(uint64_t value, std::string_view counter) {
  const std::string written = std::to_string(value).append(counter);
  for (const auto& [known, said] : kIrregular) {
    if (known == written) return std::string(said);
  }
  // The last digit of a larger number is irregular too, before 人, 時 and 月: 十四人 is ジューヨニン.
  if ((counter == "人" || counter == "時") && value > 10) {
    const uint64_t last = value % 10;
    std::string head = JapaneseCardinal(value - last);
    if (counter == "人" && last == 4) return head + "ヨニン";
    if (counter == "時" && last == 4) return head + "ヨジ";
    if (counter == "時" && last == 7) return head + "シチジ";
    if (counter == "時" && last == 9) return head + "クジ";
  }
  if (counter == "人") return JapaneseCardinal(value) + "ニン";
  if (counter == "時") return JapaneseCardinal(value) + "ジ";
  if (counter == "月") return JapaneseCardinal(value) + "ガツ";
  if (counter == "日") return JapaneseCardinal(value) + "ニチ";
  if (counter == "つ") return {};
  for (const Counter& known : kCounters) {
    if (known.written == counter) return Join(JapaneseCardinal(value), known);
  }
  return {};
}

}  // namespace trunkline::text
