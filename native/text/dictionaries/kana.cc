#include "text/dictionaries/kana.h"

#include <utility>
#include <vector>

#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr Pair kKana[] = {
    {"ァ", "a"},   {"ア", "a"},   {"ィ", "i"},   {"イ", "i"},  {"ゥ", "ɯ"},  {"ウ", "ɯ"},   {"ェ", "e"},
    {"エ", "e"},   {"ォ", "o"},   {"オ", "o"},   {"カ", "ka"}, {"ガ", "ɡa"}, {"キ", "kʲi"}, {"ギ", "ɡʲi"},
    {"ク", "kɯ"},  {"グ", "ɡɯ"},  {"ケ", "ke"},  {"ゲ", "ɡe"}, {"コ", "ko"}, {"ゴ", "ɡo"},  {"サ", "sa"},
    {"ザ", "ʣa"},  {"シ", "ɕi"},  {"ジ", "ʥi"},  {"ス", "sɨ"}, {"ズ", "zɨ"}, {"セ", "se"},  {"ゼ", "ʣe"},
    {"ソ", "so"},  {"ゾ", "ʣo"},  {"タ", "ta"},  {"ダ", "da"}, {"チ", "ʨi"}, {"ヂ", "ʥi"},  {"ツ", "ʦɨ"},
    {"ヅ", "zɨ"},  {"テ", "te"},  {"デ", "de"},  {"ト", "to"}, {"ド", "do"}, {"ナ", "na"},  {"ニ", "ɲi"},
    {"ヌ", "nɯ"},  {"ネ", "ne"},  {"ノ", "no"},  {"ハ", "ha"}, {"バ", "ba"}, {"パ", "pa"},  {"ヒ", "çi"},
    {"ビ", "bʲi"}, {"ピ", "pʲi"}, {"フ", "ɸɯ"},  {"ブ", "bɯ"}, {"プ", "pɯ"}, {"ヘ", "he"},  {"ベ", "be"},
    {"ペ", "pe"},  {"ホ", "ho"},  {"ボ", "bo"},  {"ポ", "po"}, {"マ", "ma"}, {"ミ", "mʲi"}, {"ム", "mɯ"},
    {"メ", "me"},  {"モ", "mo"},  {"ャ", "ja"},  {"ヤ", "ja"}, {"ュ", "jɯ"}, {"ユ", "jɯ"},  {"ョ", "jo"},
    {"ヨ", "jo"},  {"ラ", "ɾa"},  {"リ", "ɾʲi"}, {"ル", "ɾɯ"}, {"レ", "ɾe"}, {"ロ", "ɾo"},  {"ヮ", "βa"},
    {"ワ", "βa"},  {"ヰ", "i"},   {"ヱ", "e"},   {"ヲ", "o"},  {"ヴ", "vɯ"}, {"ヵ", "ka"},  {"ヶ", "ke"},
    {"ヷ", "va"},  {"ヸ", "vʲi"}, {"ヹ", "ve"},  {"ヺ", "vo"}};
constexpr Pair kDigraphs[] = {
    {"イェ", "je"},  {"ウィ", "βi"},  {"ウェ", "βe"},  {"ウォ", "βo"},  {"キェ", "kʲe"}, {"キャ", "kʲa"},
    {"キュ", "kʲɨ"}, {"キョ", "kʲo"}, {"ギャ", "ɡʲa"}, {"ギュ", "ɡʲɨ"}, {"ギョ", "ɡʲo"}, {"クァ", "kᵝa"},
    {"クィ", "kᵝi"}, {"クェ", "kᵝe"}, {"クォ", "kᵝo"}, {"グァ", "ɡᵝa"}, {"グィ", "ɡᵝi"}, {"グェ", "ɡᵝe"},
    {"グォ", "ɡᵝo"}, {"シェ", "ɕe"},  {"シャ", "ɕa"},  {"シュ", "ɕɨ"},  {"ショ", "ɕo"},  {"ジェ", "ʥe"},
    {"ジャ", "ʥa"},  {"ジュ", "ʥɨ"},  {"ジョ", "ʥo"},  {"チェ", "ʨe"},  {"チャ", "ʨa"},  {"チュ", "ʨɨ"},
    {"チョ", "ʨo"},  {"ヂャ", "ʥa"},  {"ヂュ", "ʥɨ"},  {"ヂョ", "ʥo"},  {"ツァ", "ʦa"},  {"ツィ", "ʦʲi"},
    {"ツェ", "ʦe"},  {"ツォ", "ʦo"},  {"ティ", "tʲi"}, {"テュ", "tʲɨ"}, {"ディ", "dʲi"}, {"デュ", "dʲɨ"},
    {"トゥ", "tɯ"},  {"ドゥ", "dɯ"},  {"ニェ", "ɲe"},  {"ニャ", "ɲa"},  {"ニュ", "ɲɨ"},  {"ニョ", "ɲo"},
    {"ヒェ", "çe"},  {"ヒャ", "ça"},  {"ヒュ", "çɨ"},  {"ヒョ", "ço"},  {"ビャ", "bʲa"}, {"ビュ", "bʲɨ"},
    {"ビョ", "bʲo"}, {"ピャ", "pʲa"}, {"ピュ", "pʲɨ"}, {"ピョ", "pʲo"}, {"ファ", "ɸa"},  {"フィ", "ɸʲi"},
    {"フェ", "ɸe"},  {"フォ", "ɸo"},  {"フュ", "ɸʲɨ"}, {"フョ", "ɸʲo"}, {"ミャ", "mʲa"}, {"ミュ", "mʲɨ"},
    {"ミョ", "mʲo"}, {"リャ", "ɾʲa"}, {"リュ", "ɾʲɨ"}, {"リョ", "ɾʲo"}, {"ヴァ", "va"},  {"ヴィ", "vʲi"},
    {"ヴェ", "ve"},  {"ヴォ", "vo"},  {"ヴュ", "bʲɨ"}, {"ヴョ", "bʲo"}};

constexpr char32_t kLong = U'ー', kDouble = U'ッ', kNasal = U'ン';

bool IsSmall(char32_t c) {
  return std::u32string_view(U"ャュョァィゥェォ").find(c) != std::u32string_view::npos;
}

std::string_view SoundOf(char32_t c) {
  std::string kana;
  AppendUtf8(c, kana);
  for (const auto& [written, said] : kKana) {
    if (written == kana) return said;
  }
  return {};
}

std::string_view SoundOf(char32_t first, char32_t second) {
  std::string kana;
  AppendUtf8(first, kana);
  AppendUtf8(second, kana);
  for (const auto& [written, said] : kDigraphs) {
    if (written == kana) return said;
  }
  return {};
}

std::string WithoutLast(std::string_view text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.remove_suffix(1);
  if (!text.empty()) text.remove_suffix(1);
  return std::string(text);
}

// The nasal takes the place of the consonant that follows it.
std::string_view Nasal(std::string_view next) {
  const auto begins = [next](std::initializer_list<std::string_view> sounds) {
    for (const std::string_view sound : sounds) {
      if (next.starts_with(sound)) return true;
    }
    return false;
  };
  if (begins({"m", "p", "b"})) return "m";
  if (begins({"k", "ɡ"})) return "ŋ";
  if (begins({"ɲ", "ʨ", "ʥ"})) return "ɲ";
  if (begins({"n", "t", "d", "ɾ", "z"})) return "n";
  return "ɴ";
}

}  // namespace

bool IsKatakana(char32_t c) {
  return c >= 0x30A1 && c <= 0x30FC && c != 0x30FB;
}

bool IsHiragana(char32_t c) {
  return c >= 0x3041 && c <= 0x3096;
}

std::string ToKatakana(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = DecodeOne(text, at);
    AppendUtf8(IsHiragana(c) ? c + 0x60 : c, out);
  }
  return out;
}

std::string KanaPhonemes(std::string_view word) {
  const std::vector<char32_t> kana = ToCodePoints(word);
  std::string out;
  for (size_t i = 0; i < kana.size(); ++i) {
    const char32_t c = kana[i];
    const char32_t before = i > 0 ? kana[i - 1] : 0, behind = i + 1 < kana.size() ? kana[i + 1] : 0;
    if (before != 0 && !SoundOf(before, c).empty()) {
      out += SoundOf(before, c);
    } else if (behind != 0 && !SoundOf(c, behind).empty()) {
      continue;
    } else if (IsSmall(behind)) {
      if (c != kDouble) out.append(WithoutLast(SoundOf(c))).append(SoundOf(behind));
    } else if (IsSmall(c)) {
      continue;
    } else if (c == kLong) {
      out += "ː";
    } else if (c == kDouble) {
      out += "ʔ";
    } else if (c == kNasal) {
      out += Nasal(SoundOf(behind));
    } else {
      out += SoundOf(c);
    }
  }
  return out;
}

}  // namespace trunkline::text
