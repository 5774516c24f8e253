#include "text/dictionaries/pinyin.h"

#include <utility>

namespace trunkline::text {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// Two letters come before one, so that "zh" is not read as "z".
constexpr Pair kInitials[] = {
    {"zh", "ꭧ"}, {"ch", "ꭧʰ"}, {"sh", "ʂ"}, {"b", "p"}, {"p", "pʰ"}, {"m", "m"},  {"f", "f"},
    {"d", "t"},    {"t", "tʰ"},     {"n", "n"},  {"l", "l"}, {"g", "k"},  {"k", "kʰ"}, {"h", "x"},
    {"j", "ʨ"},    {"q", "ʨʰ"},     {"x", "ɕ"},  {"r", "ɻ"}, {"z", "ʦ"},  {"c", "ʦʰ"}, {"s", "s"}};

// A final in full spelling, what precedes its tone, and what follows it.
struct Final {
  std::string_view written, before, after;
};
constexpr Final kFinals[] = {
    {"a", "a", ""},      {"ai", "ai", ""},   {"an", "a", "n"},    {"ang", "a", "ŋ"},  {"ao", "au", ""},
    {"e", "ɤ", ""},      {"ei", "ei", ""},   {"en", "ə", "n"},    {"eng", "ə", "ŋ"},  {"i", "i", ""},
    {"ia", "ja", ""},    {"ian", "jɛ", "n"}, {"iang", "ja", "ŋ"}, {"iao", "jau", ""}, {"ie", "je", ""},
    {"in", "i", "n"},    {"ing", "i", "ŋ"},  {"iong", "jʊ", "ŋ"}, {"iou", "jou", ""}, {"io", "jɔ", ""},
    {"o", "wo", ""},     {"ong", "ʊ", "ŋ"},  {"ou", "ou", ""},    {"u", "u", ""},     {"ua", "wa", ""},
    {"uai", "wai", ""},  {"uan", "wa", "n"}, {"uang", "wa", "ŋ"}, {"uei", "wei", ""}, {"uen", "wə", "n"},
    {"ueng", "wə", "ŋ"}, {"uo", "wo", ""},   {"uong", "wʊ", "ŋ"}, {"v", "y", ""},     {"ve", "ɥe", ""},
    {"van", "ɥɛ", "n"},  {"vn", "y", "n"}};
// Syllables that are no initial and final.
constexpr Pair kAlone[] = {{"er", "ɚ"}, {"r", "ɚ"},  {"o", "ɔ"},   {"ê", "ɛ"},   {"m", "m"},
                           {"n", "n"},  {"ng", "ŋ"}, {"hm", "hm"}, {"hng", "hŋ"}};
constexpr std::string_view kTones[] = {"→", "↗", "↓", "↘", ""};

// Writes the shortened spellings in full: "y" and "w" stand for the vowel that begins the syllable, "u" behind j, q and x for
// ü, and iu, ui and un for iou, uei and uen.
std::string FullFinal(std::string_view initial, std::string_view written) {
  std::string final(written);
  if (initial.empty() && (final.starts_with('y') || final.starts_with('w'))) {
    const bool front = final.front() == 'y';
    final.erase(0, 1);
    if (front && final.starts_with('u')) {
      final.front() = 'v';
    } else if (!final.starts_with(front ? 'i' : 'u')) {
      final.insert(0, 1, front ? 'i' : 'u');
    }
  }
  if ((initial == "j" || initial == "q" || initial == "x") && final.starts_with('u')) final.front() = 'v';
  if (final == "iu") return "iou";
  if (final == "ui") return "uei";
  if (final == "un") return "uen";
  return final;
}

}  // namespace

std::string PinyinPhonemes(std::string_view syllable) {
  if (syllable.size() < 2 || syllable.back() < '1' || syllable.back() > '5') return {};
  const std::string_view tone = kTones[syllable.back() - '1'];
  syllable.remove_suffix(1);
  for (const auto& [written, said] : kAlone) {
    if (written == syllable) return std::string(said).append(tone);
  }
  Pair initial;
  for (const Pair& known : kInitials) {
    if (!syllable.starts_with(known.first)) continue;
    initial = known;
    break;
  }
  const std::string final = FullFinal(initial.first, syllable.substr(initial.first.size()));
  // The vowel behind these two rows of initials is a buzz that has no letter of its own in pinyin.
  const bool buzzes = final == "i" && (initial.first == "zh" || initial.first == "ch" ||
                                       initial.first == "sh" || initial.first == "r" ||
                                       initial.first == "z" || initial.first == "c" || initial.first == "s");
  if (buzzes) return std::string(initial.second).append("ɨ").append(tone);
  for (const Final& known : kFinals) {
    if (known.written == final)
      return std::string(initial.second).append(known.before).append(tone).append(known.after);
  }
  return {};
}

}  // namespace trunkline::text
