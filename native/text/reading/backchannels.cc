#include "text/reading/backchannels.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

// Backchannels that are not words in any language, as recognition models write them.
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
       {"sí",  "si",       "ya",       "claro",    "vale",   "bueno",     "bien",     "ajá",      "okay",
        "ok",  "okey",     "entiendo", "exacto",   "de",     "acuerdo",   "muy",      "perfecto", "veo",
        "por", "supuesto", "cierto",   "correcto", "genial", "estupendo", "comprendo"}},
      {"fr", {"oui",  "ouais",   "d'accord", "accord",     "d",       "bien",    "ok",
              "okay", "voilà",   "ah",       "je",         "vois",    "exact",   "bon",
              "très", "parfait", "sûr",      "exactement", "compris", "entendu", "super"}},
      {"de",
       {"ja", "genau", "okay", "ok", "gut", "aha", "stimmt", "klar", "ach", "so", "richtig", "verstehe"}},
      {"hi",
       {"हाँ", "हां", "जी", "अच्छा", "ठीक", "है", "सही", "ओके", "बिल्कुल", "समझ", "गया", "गई", "गयी", "बहुत", "बढ़िया",
        "ज़रूर"}},
  };
  return kWords;
}

// A longer run of these words is a statement ("of course I see it all" is unlikely as a
// backchannel).
constexpr size_t kMaxWords = 3;

constexpr char32_t kApostrophe = 0x2019;

// Returns the character's spelling inside a word, empty for a separator. Both apostrophes are
// one.
std::string_view InAWord(char32_t code, std::string_view written) {
  if (code == kApostrophe) return "'";
  return code == '\'' || IsDigit(code) || IsLetter(code) ? written : std::string_view();
}

// No known word is longer; the rest of a word does not count.
constexpr size_t kLongestWord = 64;

// Lower-cases ASCII; dots, commas and dashes separate words, also those of other languages ("¡Sí!", "जी।"). A
// dash inside a wordless backchannel ("uh-huh") joins it. `take` returns whether to go on. No allocation.
template <typename Take>
void EachWord(std::string_view text, Take take) {
  std::array<char, kLongestWord> word;
  size_t size = 0;
  char32_t closing = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t from = at;
    const char32_t code = DecodeOne(text, at);
    if (closing != 0) {
      if (code == closing) closing = 0;
      continue;
    }
    if (code == '[' || code == '(' || code == '*') {
      closing = code == '[' ? ']' : code == '(' ? ')' : '*';
      continue;
    }
    if (code == '-' && size > 0) continue;
    const std::string_view letter = InAWord(code, text.substr(from, at - from));
    for (const char c : letter) {
      if (size < word.size()) word[size++] = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    if (letter.empty() && size > 0) {
      if (!take(std::string_view(word.data(), size))) return;
      size = 0;
    }
  }
  if (size > 0) take(std::string_view(word.data(), size));
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

class Judge {
 public:
  explicit Judge(std::string_view language) : language_(language) {}

  // Returns false when nothing that follows can change the answer.
  bool Take(std::string_view word) {
    any_ = true;
    if (IsWordless(word)) return true;
    says_ = !IsListening(word, language_) || ++spoken_ > kMaxWords;
    return !says_;
  }
  Utterance Answer() const {
    if (!any_) return Utterance::kNothing;
    return says_ ? Utterance::kTurn : Utterance::kBackchannel;
  }

 private:
  const std::string_view language_;
  bool any_ = false, says_ = false;
  size_t spoken_ = 0;
};

std::vector<std::string> Distinct(std::string_view text) {
  std::vector<std::string> words;
  EachWord(text, [&](std::string_view word) {
    words.emplace_back(word);
    return true;
  });
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

}  // namespace

Utterance ClassifyUtterance(std::string_view text, std::string_view language) {
  Judge judge(language);
  EachWord(text, [&](std::string_view word) { return judge.Take(word); });
  return judge.Answer();
}

Utterance ClassifyUtteranceStart(std::string_view text, std::string_view language) {
  Judge judge(language);
  for (const std::string& word : Distinct(text)) {
    if (!judge.Take(word)) break;
  }
  return judge.Answer();
}

bool OpensListening(std::string_view piece, std::string_view language) {
  // These words also open statements.
  constexpr std::array kOpenAnything = {"i",   "it", "of", "all", "so", "got",
                                        "see", "um", "uh", "ah",  "oh", "m"};
  constexpr std::array kBrokenUp = {"yeah", "yes", "okay", "right", "sure", "alright", "mmhmm", "uhhuh"};
  constexpr size_t kMinPiece = 3;
  std::string word;
  for (const char c : piece) word.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  const auto is = [&](std::string_view known) { return known == word; };
  if (std::any_of(kOpenAnything.begin(), kOpenAnything.end(), is)) return false;
  if (IsWordless(word) || IsListening(word, language)) return true;
  return word.size() >= kMinPiece &&
         std::any_of(kBrokenUp.begin(), kBrokenUp.end(),
                     [&](std::string_view known) { return known.starts_with(word); });
}

size_t DistinctWords(std::string_view text) {
  return Distinct(text).size();
}

}  // namespace trunkline::text
