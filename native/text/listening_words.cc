#include "text/listening_words.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::text {
namespace {

// Signs that are no words in any language, as recognition models write them.
constexpr std::array kWordless = {"mm",   "mmm",  "mhm", "mmhmm", "hm",  "hmm", "hmmm", "uhhuh",
                                  "uh",   "huh",  "ah",  "aha",   "oh",  "ohh", "eh",   "um",
                                  "mmmm", "uhuh", "ha",  "m",     "हम्म", "हूँ",   "हम",   "ओह"};

struct Words {
  std::string_view language;
  std::vector<std::string_view> words;
};

const std::vector<Words>& Listening() {
  static const std::vector<Words> kWords = {
      {"en", {"yeah",    "yep",  "yes",    "yup", "right",  "okay", "ok",     "sure", "alright",
              "i",       "see",  "got",    "it",  "gotcha", "cool", "great",  "good", "fine",
              "exactly", "true", "really", "wow", "nice",   "of",   "course", "all",  "so"}},
      {"es",
       {"sí", "si", "ya", "claro", "vale", "bueno", "bien", "ajá", "okay", "ok", "entiendo", "exacto", "de",
        "acuerdo"}},
      {"fr",
       {"oui", "ouais", "d'accord", "accord", "d", "bien", "ok", "okay", "voilà", "ah", "je", "vois", "exact",
        "bon"}},
      {"de",
       {"ja", "genau", "okay", "ok", "gut", "aha", "stimmt", "klar", "ach", "so", "richtig", "verstehe"}},
      {"hi", {"हाँ", "हां", "जी", "अच्छा", "ठीक", "है", "सही", "ओके", "बिल्कुल"}},
  };
  return kWords;
}

// A run of these words is a statement all the same ("of course I see it all" is unlikely under somebody's
// voice).
constexpr size_t kMostWords = 3;

bool IsSeparator(unsigned char byte) {
  return byte < 0x80 && std::isalnum(byte) == 0 && byte != '\'';
}

// Lower case for ASCII; dots, commas and dashes part words, but a dash inside a wordless sign ("uh-huh")
// joins it.
std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  char closing = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (closing != 0) {
      if (c == closing) closing = 0;
      continue;
    }
    if (c == '[' || c == '(' || c == '*') {
      closing = c == '[' ? ']' : c == '(' ? ')' : '*';
      continue;
    }
    if (c == '-' && !word.empty()) continue;
    if (IsSeparator(static_cast<unsigned char>(c))) {
      if (!word.empty()) words.push_back(std::exchange(word, {}));
    } else {
      word.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

bool IsWordless(std::string_view word) {
  return std::find(kWordless.begin(), kWordless.end(), word) != kWordless.end();
}

bool IsListening(std::string_view word, std::string_view language) {
  for (const Words& known : Listening()) {
    if (known.language != language) continue;
    return std::find(known.words.begin(), known.words.end(), word) != known.words.end();
  }
  return false;
}

Utterance Judge(const std::vector<std::string>& words, std::string_view language) {
  if (words.empty()) return Utterance::kNothing;
  size_t spoken = 0;
  for (const auto& word : words) {
    if (IsWordless(word)) continue;
    if (!IsListening(word, language)) return Utterance::kSaying;
    ++spoken;
  }
  return spoken <= kMostWords ? Utterance::kListening : Utterance::kSaying;
}

std::vector<std::string> Distinct(std::string_view text) {
  auto words = WordsOf(text);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

}  // namespace

Utterance ListenTo(std::string_view text, std::string_view language) {
  return Judge(WordsOf(text), language);
}

Utterance ListenToStart(std::string_view text, std::string_view language) {
  return Judge(Distinct(text), language);
}

bool OpensListening(std::string_view piece, std::string_view language) {
  // Said as often at the start of a statement.
  constexpr std::array kOpenAnything = {"i",   "it", "of", "all", "so", "got",
                                        "see", "um", "uh", "ah",  "oh", "m"};
  constexpr std::array kBrokenUp = {"yeah", "yes", "okay", "right", "sure", "alright", "mmhmm", "uhhuh"};
  constexpr size_t kLeastPiece = 3;
  std::string word;
  for (const char c : piece) word.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  const auto is = [&](std::string_view known) { return known == word; };
  if (std::any_of(kOpenAnything.begin(), kOpenAnything.end(), is)) return false;
  if (IsWordless(word) || IsListening(word, language)) return true;
  return word.size() >= kLeastPiece &&
         std::any_of(kBrokenUp.begin(), kBrokenUp.end(),
                     [&](std::string_view known) { return known.starts_with(word); });
}

size_t DistinctWords(std::string_view text) {
  return Distinct(text).size();
}

}  // namespace trunkline::text
