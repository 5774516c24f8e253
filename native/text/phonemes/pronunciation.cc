#include "text/phonemes/pronunciation.h"

#include <array>
#include <utility>

#include "text/unicode/unicode.h"

namespace trunkline::text {

using base::Code;
using base::Result;
using base::Status;

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// Longest first, so that a shorter one does not match the start of a longer.
constexpr Pair kEnglish[] = {
    {"ʔˌn\u0329", "tn"}, {"ʔn\u0329", "tn"}, {"a^ɪ", "I"},  {"a^ʊ", "W"},  {"d^ʒ", "ʤ"}, {"e^ɪ", "A"},
    {"t^ʃ", "ʧ"},        {"ɔ^ɪ", "Y"},       {"ə^l", "ᵊl"}, {"ʔn", "tn"},  {"ʲo", "jo"}, {"ʲə", "jə"},
    {"ʔ", "t"},          {"e", "A"},         {"ʲ", ""},     {"ɚ", "əɹ"},   {"r", "ɹ"},   {"x", "k"},
    {"ç", "k"},          {"ɐ", "ə"},         {"ɬ", "l"},    {"\u0303", ""}};
constexpr Pair kOthers[] = {{"a^ɪ", "I"}, {"a^ʊ", "W"}, {"d^z", "ʣ"}, {"d^ʒ", "ʤ"}, {"e^ɪ", "A"},
                            {"o^ʊ", "O"}, {"ə^ʊ", "Q"}, {"s^s", "S"}, {"t^s", "ʦ"}, {"t^ʃ", "ʧ"},
                            {"ɔ^ɪ", "Y"}, {"^", ""},    {"-", ""}};
constexpr Pair kAmerican[] = {{"o^ʊ", "O"}, {"ɜːɹ", "ɜɹ"}, {"ɜː", "ɜɹ"}, {"ɪə", "iə"}, {"ː", ""}, {"^", ""}};
constexpr Pair kBritish[] = {{"e^ə", "ɛː"}, {"iə", "ɪə"}, {"ə^ʊ", "Q"}, {"^", ""}};
// German sounds that the model lacks are replaced by their nearest neighbours.
constexpr Pair kGerman[] = {{"ʏ", "y"}, {"ʔ", ""}, {"\u032f", ""}, {"\u0329", ""}, {"ɜ", "ə"}};
// Retroflex stops and one sound for v and w, as English is spoken in India.
constexpr Pair kIndian[] = {{"t", "ʈ"}, {"d", "ɖ"}, {"w", "ʋ"}, {"v", "ʋ"}, {"θ", "t"}, {"ð", "d"}};

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

template <size_t N>
void ReplaceEach(std::string& text, const Pair (&pairs)[N]) {
  for (const auto& [from, to] : pairs) ReplaceAll(text, from, to);
}

// One pass, so that "θ" to "t" is not turned into "ʈ" again.
void ReplaceIndian(std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    DecodeOne(text, at);
    std::string_view symbol(text.data() + start, at - start);
    for (const auto& [from, to] : kIndian) {
      if (symbol == from) {
        symbol = to;
        break;
      }
    }
    out.append(symbol);
  }
  text = std::move(out);
}

// Writes the vowel of a syllabic consonant (n̩) before it.
void WriteSyllabics(std::string& text) {
  constexpr std::string_view kMark = "\u0329";
  for (size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark)) {
    text.erase(at, kMark.size());
    size_t consonant = at;
    while (consonant > 0 && (static_cast<unsigned char>(text[consonant - 1]) & 0xC0) == 0x80) --consonant;
    if (consonant > 0) --consonant;
    if (at > 0 && text[consonant] != ' ') text.insert(consonant, "ᵊ");
  }
}

// Drops the library's marks of language changes: "(en)word(hi)".
void DropLanguageMarks(std::string& text) {
  for (size_t open = text.find('('); open != std::string::npos; open = text.find('(', open)) {
    const size_t close = text.find(')', open);
    if (close == std::string::npos || close - open > 10) {
      text.erase(open, 1);
    } else {
      text.erase(open, close + 1 - open);
    }
  }
}

bool IsMark(char32_t c) {
  constexpr std::u32string_view kMarks = U";:,.!?¡¿—…\"«»“”()।॥";
  return kMarks.find(c) != std::u32string_view::npos;
}

struct Stretch {
  std::string words;
  std::string marks;
  bool stressed = false;
};

std::string MarkFor(char32_t c) {
  if (c == 0x964 || c == 0x965) return ".";  // danda
  if (c == U'¡' || c == U'¿') return "";
  if (c == U'«') return "“";
  if (c == U'»') return "”";
  std::string out;
  AppendUtf8(c, out);
  return out;
}

// A stressed word is a run of its own: the library pronounces it as it would alone, and its
// position is known.
std::vector<Stretch> SplitStretches(std::string_view text) {
  std::vector<Stretch> stretches(1);
  const auto begin = [&stretches](bool stressed) {
    if (!stretches.back().words.empty() || !stretches.back().marks.empty()) stretches.emplace_back();
    stretches.back().stressed = stressed;
  };
  for (size_t at = 0; at < text.size();) {
    const char32_t c = DecodeOne(text, at);
    if (IsMark(c)) {
      stretches.back().marks += MarkFor(c);
    } else if (c == kStress) {
      begin(true);
    } else if (IsSpace(c)) {
      if (stretches.back().stressed && !stretches.back().words.empty())
        begin(false);
      else if (stretches.back().marks.empty())
        AppendUtf8(c, stretches.back().words);
    } else {
      if (!stretches.back().marks.empty()) begin(false);
      AppendUtf8(c, stretches.back().words);
    }
  }
  return stretches;
}

Result<std::vector<Stretch>> PronounceStretches(PhonemePool& process, std::string_view text,
                                                const Accent& accent, bool tie) {
  std::vector<Stretch> stretches = SplitStretches(SpellBackchannels(ProtectLetters(text, accent), accent));
  std::vector<std::string> lines;
  for (const Stretch& stretch : stretches) lines.push_back(stretch.words);
  TRUNKLINE_ASSIGN_OR_RETURN(const auto said, process.Pronounce(accent.espeak, tie, lines));
  for (size_t i = 0; i < stretches.size(); ++i) {
    stretches[i].words = said[i];
    DropLanguageMarks(stretches[i].words);
  }
  return stretches;
}

std::string Join(const std::vector<Stretch>& stretches) {
  std::string out;
  for (const Stretch& stretch : stretches) {
    if (!out.empty() && !stretch.words.empty() && out.back() != ' ') out.push_back(' ');
    const bool stressed = stretch.stressed && !stretch.words.empty();
    if (stressed) out += kStressText;
    out += stretch.words;
    if (stressed) out += kStressEndText;
    out += stretch.marks;
  }
  return out;
}

bool IsOwn(char32_t c, const Accent& accent) {
  return accent.mandarin != nullptr ? IsChinese(c) : IsKatakana(c);
}

// Calls `visit` with each run of words in the language's own characters, and of others, in order.
template <typename Visit>
void EachScript(std::string_view words, const Accent& accent, Visit visit) {
  for (size_t from = 0; from < words.size();) {
    size_t at = from;
    const bool own = IsOwn(DecodeOne(words, at), accent);
    size_t to = from;
    while (to < words.size()) {
      at = to;
      if (IsOwn(DecodeOne(words, at), accent) != own) break;
      to = std::min(words.find(' ', at), words.size());
      if (to < words.size()) ++to;
    }
    visit(own, words.substr(from, to - from));
    from = to;
  }
}

// Gives the word a primary stress, which small words lack and many others have even when they are not
// emphasized.
void GiveStress(std::string& word) {
  constexpr std::string_view kMain = "ˈ", kSecond = "ˌ";
  constexpr std::u32string_view kVowels = U"aeiouyæøœɐɑɒɔɘəɚɛɜɤɨɪɯɵɶʉʊʌʏɞIWAYOQᵊ";
  if (word.find(kMain) != std::string::npos) return;
  if (const size_t at = word.find(kSecond); at != std::string::npos) {
    word.replace(at, kSecond.size(), kMain);
    return;
  }
  for (size_t at = 0; at < word.size();) {
    const size_t start = at;
    if (kVowels.find(DecodeOne(word, at)) == std::u32string_view::npos) continue;
    word.insert(start, kMain);
    return;
  }
}

// The model was trained with "ˈI" for the pronoun; the library leaves it unstressed.
void StressPronoun(std::string& text) {
  for (size_t at = text.find('I'); at != std::string::npos; at = text.find('I', at + 1)) {
    const bool alone = (at == 0 || text[at - 1] == ' ') && (at + 1 == text.size() || text[at + 1] == ' ');
    if (!alone) continue;
    text.insert(at, "ˌ");
    at += std::string_view("ˌ").size();
  }
}

bool IsLetterWord(std::string_view word) {
  return word.size() == 1 && word[0] >= 'A' && word[0] <= 'Z';
}

bool IsAsciiLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The library would read them as "ˈʌmhəm" and "hˈəm".
constexpr Pair kBackchannelSpellings[] = {
    {"mm-hmm", "umhum"}, {"mm-hm", "umhum"}, {"m-hm", "umhum"}, {"mmhmm", "umhum"}, {"mhmm", "umhum"},
    {"mhm", "umhum"},    {"mm", "hmm"},      {"mmm", "hmm"},    {"hm", "hmm"},      {"hmmm", "hmm"}};

// Punctuation around the sound stays.
std::string SpellBackchannel(std::string_view word) {
  size_t from = 0, to = word.size();
  while (from < to && !IsAsciiLetter(word[from])) ++from;
  while (to > from && !IsAsciiLetter(word[to - 1])) --to;
  std::string letters(word.substr(from, to - from));
  for (char& c : letters) c = static_cast<char>(c | (IsAsciiLetter(c) ? 0x20 : 0));
  for (const auto& [sound, spelled] : kBackchannelSpellings) {
    if (letters != sound) continue;
    return std::string(word.substr(0, from)).append(spelled).append(word.substr(to));
  }
  return std::string(word);
}

}  // namespace

bool ParseAccent(std::string_view code, Accent& accent) {
  static constexpr struct {
    std::string_view code, espeak;
    bool indian;
    Dictionary dictionary = Dictionary::kNone;
  } kAccents[] = {{"en-us", "en-us", false},
                  {"en-gb", "en", false},
                  {"en-in", "en", true},
                  {"es", "es", false},
                  {"fr", "fr", false},
                  {"hi", "hi", false},
                  {"it", "it", false},
                  {"pt", "pt-br", false},
                  {"de", "de", false},
                  {"fr-fr", "fr", false},
                  {"pt-br", "pt-br", false},
                  {"zh", "en-us", false, Dictionary::kMandarin},
                  {"ja", "en-us", false, Dictionary::kJapanese}};
  for (const auto& known : kAccents) {
    if (known.code == code) {
      accent = {std::string(known.espeak), known.indian, known.dictionary, nullptr, nullptr};
      return true;
    }
  }
  return false;
}

std::string ProtectLetters(std::string_view text, const Accent& accent) {
  if (!accent.espeak.starts_with("en")) return std::string(text);
  std::vector<std::string_view> words;
  for (size_t from = 0; from < text.size();) {
    const size_t to = std::min(text.find(' ', from), text.size());
    words.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out.push_back(' ');
    const std::string_view letter = words[i].substr(0, 1);
    const std::string_view mark = words[i].empty() ? words[i] : words[i].substr(1);
    const bool spelled =
        (i > 0 && IsLetterWord(words[i - 1])) ||
        (i + 1 < words.size() && IsLetterWord(words[i + 1].substr(0, 1)) && words[i + 1].size() <= 2);
    const bool bare = mark.empty() || (mark.size() == 1 && IsMark(static_cast<unsigned char>(mark[0])));
    if (letter == "A" && bare && spelled) {
      out.append("eigh").append(mark);
    } else {
      out.append(words[i]);
    }
  }
  return out;
}

std::string SpellBackchannels(std::string_view text, const Accent& accent) {
  if (!accent.espeak.starts_with("en")) return std::string(text);
  std::string out;
  for (size_t from = 0; from <= text.size();) {
    const size_t to = std::min(text.find(' ', from), text.size());
    if (from > 0) out.push_back(' ');
    out += SpellBackchannel(text.substr(from, to - from));
    from = to + 1;
  }
  return out;
}

std::string FixForKokoro(std::string ipa, const Accent& accent) {
  if (!accent.espeak.starts_with("en")) {
    ReplaceEach(ipa, kOthers);
    if (accent.espeak == "de") ReplaceEach(ipa, kGerman);
    return ipa;
  }
  ReplaceEach(ipa, kEnglish);
  WriteSyllabics(ipa);
  if (accent.espeak == "en") {
    ReplaceEach(ipa, kBritish);
    if (accent.indian) ReplaceIndian(ipa);
  } else {
    ReplaceEach(ipa, kAmerican);
  }
  StressPronoun(ipa);
  return ipa;
}

namespace {

// A stressed word keeps its tones: only its length, pitch and loudness change.
Result<std::string> DictionaryPhonemes(PhonemePool& process, std::string_view text, const Accent& accent) {
  std::vector<Stretch> stretches = SplitStretches(text);
  std::vector<std::string> foreign;
  for (const Stretch& stretch : stretches) {
    EachScript(stretch.words, accent, [&](bool own, std::string_view run) {
      if (!own) foreign.push_back(ProtectLetters(run, accent));
    });
  }
  std::vector<std::string> said;
  if (!foreign.empty()) {
    TRUNKLINE_ASSIGN_OR_RETURN(said, process.Pronounce(accent.espeak, true, foreign));
  }
  size_t next = 0;
  for (Stretch& stretch : stretches) {
    std::string spoken;
    const auto append = [&spoken](std::string_view word) {
      // A doubled consonant at a word's edge belongs to the next word.
      const bool joins = word.starts_with("ʔ") || spoken.ends_with("ʔ");
      if (!spoken.empty() && !word.empty() && !joins) spoken.push_back(' ');
      spoken.append(word);
    };
    EachScript(stretch.words, accent, [&](bool own, std::string_view run) {
      if (!own) {
        DropLanguageMarks(said[next]);
        append(FixForKokoro(std::move(said[next++]), accent));
        return;
      }
      for (size_t from = 0; from < run.size();) {
        const size_t to = std::min(run.find(' ', from), run.size());
        const std::string_view word = run.substr(from, to - from);
        append(accent.mandarin != nullptr ? accent.mandarin->Pronounce(word) : KanaPhonemes(word));
        from = to + 1;
      }
    });
    stretch.words = std::move(spoken);
  }
  return Join(stretches);
}

}  // namespace

namespace {

// A voice without the dictionary is given the kana of a part whose reading is known, in place of the part.
std::string WithReadings(std::string_view text) {
  std::string out;
  bool written = false;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = DecodeOne(text, at);
    if (c == kReadAs || c == kSaidAs) {
      written = c == kReadAs;
    } else if (c != kReadEnd && !written) {
      out.append(text.substr(begin, at - begin));
    }
  }
  return out;
}

}  // namespace

std::string SeparateWords(std::string_view text, const Accent& accent) {
  if (accent.mandarin != nullptr) return accent.mandarin->SeparateWords(text);
  if (accent.japanese != nullptr) return accent.japanese->SeparateWords(text);
  return WithReadings(text);
}

Result<std::string> KokoroPhonemes(PhonemePool& process, std::string_view text, const Accent& accent) {
  if (accent.mandarin != nullptr || accent.japanese != nullptr)
    return DictionaryPhonemes(process, text, accent);
  TRUNKLINE_ASSIGN_OR_RETURN(auto stretches, PronounceStretches(process, text, accent, true));
  for (Stretch& stretch : stretches) {
    stretch.words = FixForKokoro(std::move(stretch.words), accent);
    if (stretch.stressed) GiveStress(stretch.words);
  }
  return Join(stretches);
}

Result<std::string> PiperPhonemes(PhonemePool& process, std::string_view text, const Accent& accent) {
  std::string plain(text);
  ReplaceAll(plain, kStressText, "");
  TRUNKLINE_ASSIGN_OR_RETURN(auto stretches, PronounceStretches(process, plain, accent, false));
  for (Stretch& stretch : stretches) ReplaceAll(stretch.words, "ç", "c\u0327");
  return Join(stretches);
}

std::string PiperCharacters(std::string_view text) {
  std::string plain(text);
  ReplaceAll(plain, kStressText, "");
  return plain;
}

}  // namespace trunkline::text
