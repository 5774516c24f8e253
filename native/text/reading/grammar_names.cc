#include <algorithm>

#include "text/reading/grammar.h"
#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

constexpr std::string_view kTopLevels[] = {
    "com",  "org",   "net",    "edu",   "gov",  "info",   "biz",  "io",      "ai",   "app",  "dev",
    "co",   "uk",    "us",     "ca",    "eu",   "de",     "fr",   "es",      "it",   "pt",   "br",
    "in",   "mx",    "ar",     "nl",    "ch",   "at",     "be",   "au",      "ie",   "me",   "tv",
    "shop", "store", "online", "cloud", "tech", "health", "bank", "example", "test", "local"};
constexpr std::string_view kSaidTopLevels[] = {
    "com",    "org",   "net",  "info",   "biz",  "app",     "dev",  "co",    "shop", "store",
    "online", "cloud", "tech", "health", "bank", "example", "test", "local", "gov"};

bool IsAddressByte(char c) {
  const auto u = static_cast<unsigned char>(c);
  return u > 0x20 && u != '"' && u != '<' && u != '>' && u != '(' && u != ')' && u != ',' && u != ';';
}

bool IsHostLabel(std::string_view label) {
  if (label.empty() || label.size() > 63) return false;
  return std::all_of(label.begin(), label.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return u >= 0x80 || IsLetter(u) || IsDigit(u) || c == '-';
  });
}

// example.com, shop.example.co.uk: small letters, labels with full stops, a known ending.
bool IsHost(std::string_view host, bool anyEnding) {
  size_t labels = 0;
  std::string_view last;
  for (size_t from = 0; from <= host.size();) {
    size_t to = host.find('.', from);
    if (to == std::string_view::npos) to = host.size();
    last = host.substr(from, to - from);
    if (!IsHostLabel(last)) return false;
    ++labels;
    from = to + 1;
  }
  if (labels < 2) return false;
  const bool letters = std::all_of(last.begin(), last.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (anyEnding) return last.size() >= 2;
  return letters && Contains(kTopLevels, last) && host.size() > last.size() + 2;
}

size_t SchemeLength(std::string_view text) {
  for (const std::string_view scheme : {"https://", "http://", "HTTPS://", "HTTP://"}) {
    if (text.starts_with(scheme)) return scheme.size();
  }
  return 0;
}

// The part before '@' or between dots is read as a word if it can be pronounced, else letter by
// letter.
bool SaidAsWord(std::string_view part) {
  if (part.size() == 2) return !IsPronounceable(part.substr(0, 1)) && IsPronounceable(part.substr(1));
  if (part.size() < 2) return false;
  return IsPronounceable(Lower(part));
}

}  // namespace

std::string Grammar::SayAddress(std::string_view address) const {
  std::string out;
  for (size_t i = 0; i < address.size();) {
    const auto u = static_cast<unsigned char>(address[i]);
    size_t end = i;
    if (IsDigit(u)) {
      while (end < address.size() && IsDigit(static_cast<unsigned char>(address[end]))) ++end;
      Say(out, reader_.Digits(address.substr(i, end - i)));
    } else if (u >= 0x80 || IsLetter(u)) {
      while (end < address.size() && (static_cast<unsigned char>(address[end]) >= 0x80 ||
                                      IsLetter(static_cast<unsigned char>(address[end])))) {
        ++end;
      }
      const std::string_view part = address.substr(i, end - i);
      const bool ending = i > 0 && address[i - 1] == '.' && Contains(kTopLevels, part);
      const bool word = ending ? Contains(kSaidTopLevels, part) : SaidAsWord(part);
      Say(out, word ? Lower(part) : reader_.Spell(part));
    } else {
      end = i + 1;
      switch (address[i]) {
        case '.':
          Say(out, words_.dot);
          break;
        case '@':
          Say(out, words_.at);
          break;
        case '-':
          Say(out, words_.dash);
          break;
        case '_':
          Say(out, words_.underscore);
          break;
        case '/':
          Say(out, words_.slash);
          break;
        case '+':
          Say(out, words_.plus);
          break;
        case ':':
          Say(out, words_.colon);
          break;
        case '#':
          Say(out, words_.hash);
          break;
        case '=':
          Say(out, words_.equals);
          break;
        case '&':
          Say(out, words_.and_);
          break;
        default:
          break;
      }
    }
    i = end;
  }
  return out;
}

size_t Grammar::Address(size_t at) {
  if (!(IsWord(at) || IsNumber(at)) || !StartsHere(at)) return 0;
  const size_t begin = static_cast<size_t>(tokens_[at].text.data() - text_.data());
  size_t end = begin;
  while (end < text_.size() && end - begin < 300 && IsAddressByte(text_[end])) ++end;
  while (end > begin && std::string_view(".,:;!?'*_-").find(text_[end - 1]) != std::string_view::npos) --end;
  std::string_view chunk = text_.substr(begin, end - begin);
  const size_t mail = chunk.find('@');
  bool known = false;
  if (mail != std::string_view::npos) {
    known = mail > 0 && chunk.find('@', mail + 1) == std::string_view::npos &&
            IsHost(chunk.substr(mail + 1), true);
  } else {
    const size_t scheme = SchemeLength(chunk);
    chunk.remove_prefix(scheme);
    const size_t path = chunk.find_first_of("/?#:");
    const std::string_view host = chunk.substr(0, path);
    known = scheme > 0 ? !host.empty() : IsHost(host, host.starts_with("www."));
    while (!chunk.empty() && chunk.back() == '/') chunk.remove_suffix(1);
  }
  if (!known) return 0;
  // Only whole tokens are taken; the end was cut at a mark, which is a token of its own.
  size_t next = at;
  while (next < tokens_.size() && tokens_[next].text.data() < text_.data() + end) ++next;
  PutWord(SayAddress(chunk));
  return next - at;
}

// U.S., U.S.A., e.g., p.ej.: single letters with full stops.
size_t Grammar::DottedLetters(size_t at) {
  size_t next = at;
  std::string letters;
  while (IsWord(next) && ToCodePoints(tokens_[next].text).size() == 1 && IsMark(next + 1, '.')) {
    letters += tokens_[next].text;
    next += 2;
    const size_t gap = SkipSpace(next);
    // "EE. UU." and "a. C." are abbreviations of their own; letters here stand without spaces.
    if (gap != next) break;
  }
  if (next - at < 4) return 0;
  std::string dotted;
  for (size_t i = at; i < next; ++i) dotted += tokens_[i].text;
  for (const Expansion& known : words_.abbreviations) {
    if (known.written != Lower(dotted)) continue;
    PutWord(known.said);
    if (next >= tokens_.size()) PutPause(".");
    return next - at;
  }
  PutWord(reader_.Spell(letters));
  if (EndsSentence(next)) PutPause(".");
  return next - at;
}

size_t Grammar::Abbreviation(size_t at) {
  if (!IsWord(at)) return 0;
  size_t best = 0;
  std::string_view said;
  for (const Expansion& known : words_.abbreviations) {
    std::string_view written = known.written;
    size_t i = at;
    size_t matched = 0;
    while (i < tokens_.size() && matched < written.size()) {
      const std::string token = Lower(tokens_[i].text);
      if (!written.substr(matched).starts_with(token)) break;
      matched += token.size();
      ++i;
    }
    if (matched == written.size() && i - at > best && !(written.back() != '.' && IsWord(i))) {
      best = i - at;
      said = known.said;
    }
  }
  if (best == 0) return 0;
  const bool stopped = IsMark(at + best - 1, '.');
  // "No." before anything but a number is the word "no" at the end of a sentence.
  if (said == words_.number && !IsNumber(SkipSpace(at + best))) return 0;
  PutWord(said);
  if (stopped && at + best >= tokens_.size()) PutPause(".");
  return best;
}

// Letters and digits that stand together: 4G, AB-1234, COVID-19, iPhone15.
size_t Grammar::Code(size_t at) {
  if (!IsWord(at) && !IsNumber(at)) return 0;
  size_t next = at;
  size_t words = 0;
  size_t numbers = 0;
  bool capitals = true;
  while (
      IsWord(next) || IsNumber(next) ||
      ((IsMark(next, '-') || IsMark(next, '_')) && next > at && (IsWord(next + 1) || IsNumber(next + 1)))) {
    if (IsWord(next)) {
      ++words;
      capitals = capitals && (IsAllUpper(tokens_[next].text) || ToCodePoints(tokens_[next].text).size() == 1);
    }
    if (IsNumber(next)) ++numbers;
    ++next;
  }
  if (words == 0 || numbers == 0) return 0;
  const bool label = words == 1 && numbers == 1 && IsWord(at);
  const bool cued = CueBefore(at, words_.codeCues);
  std::string said;
  for (size_t i = at; i < next; ++i) {
    const std::string_view part = tokens_[i].text;
    if (IsWord(i)) {
      if (!capitals && part.size() >= 3 && IsPronounceable(Lower(part))) {
        Say(said, part);
      } else {
        Say(said, IsAllUpper(part) && part.size() > 1 ? SayCapitals(part) : reader_.Spell(part));
      }
    } else if (IsNumber(i)) {
      const bool small = part.size() <= 2 && part[0] != '0' && (label || !capitals) && !cued;
      Say(said, small || part.size() == 1 ? reader_.Cardinal(std::stoul(std::string(part)), Gender::kBare)
                                          : SayLongDigits(part));
    } else if (i + 1 < next && numbers + words > 2 && capitals) {
      said += ",";
    }
  }
  PutWord(said);
  return next - at;
}

std::string Grammar::SayCapitals(std::string_view word) const {
  const std::string lower = Lower(word);
  if (Contains(words_.wordAcronyms, lower)) return lower;
  const size_t letters = ToCodePoints(word).size();
  if (Contains(words_.shouted, lower)) return lower;
  if (shouting_ ? IsPronounceable(lower) && letters >= 2 : IsPronounceable(lower) && letters >= 5)
    return lower;
  return reader_.Spell(word);
}

size_t Grammar::Acronym(size_t at) {
  if (!IsWord(at)) return 0;
  const std::string_view word = tokens_[at].text;
  const std::vector<char32_t> codes = ToCodePoints(word);
  if (codes.size() < 2) {
    // AT&T, R&D, Q&A.
    if (IsAllUpper(word) && IsMark(at + 1, '&') && IsWord(at + 2) && IsAllUpper(tokens_[at + 2].text) &&
        tokens_[at + 2].text.size() <= 2) {
      std::string said = reader_.Spell(word);
      Say(said, words_.and_);
      Say(said, reader_.Spell(tokens_[at + 2].text));
      PutWord(said);
      return 3;
    }
    return 0;
  }
  if (IsAllUpper(word)) {
    if (codes.size() == 2 && IsMark(at + 1, '&') && IsWord(at + 2) && tokens_[at + 2].text.size() == 1) {
      std::string said = reader_.Spell(word);
      Say(said, words_.and_);
      Say(said, reader_.Spell(tokens_[at + 2].text));
      PutWord(said);
      return 3;
    }
    PutWord(SayCapitals(word));
    return 1;
  }
  // FAQs, PCs, PDF's: capitals and a small s.
  std::string_view stem = word;
  if (stem.ends_with("'s")) {
    stem.remove_suffix(2);
  } else if (stem.ends_with("s")) {
    stem.remove_suffix(1);
  } else {
    return 0;
  }
  if (stem.size() < 2 || !IsAllUpper(stem)) return 0;
  const std::string lower = Lower(stem);
  PutWord(Contains(words_.wordAcronyms, lower) ? lower + "s" : reader_.Spell(stem) + "'s");
  return 1;
}

uint64_t ParseRoman(std::string_view word) {
  static constexpr struct {
    std::string_view text;
    uint64_t value;
  } kParts[] = {{"X", 10}, {"IX", 9}, {"V", 5}, {"IV", 4}, {"I", 1}};
  uint64_t value = 0;
  for (const auto& part : kParts) {
    int times = 0;
    while (word.starts_with(part.text) && times < (part.value == 10 || part.value == 1 ? 3 : 1)) {
      value += part.value;
      word.remove_prefix(part.text.size());
      ++times;
    }
  }
  return word.empty() ? value : 0;
}

// Henry VIII, World War II, siglo XX, le XIXe siècle.
size_t Grammar::Roman(size_t at) {
  if (!IsWord(at) || shouting_) return 0;
  const std::string_view word = tokens_[at].text;
  size_t capitals = 0;
  while (capitals < word.size() && (word[capitals] == 'I' || word[capitals] == 'V' || word[capitals] == 'X'))
    ++capitals;
  const uint64_t value = ParseRoman(word.substr(0, capitals));
  if (value == 0) return 0;
  if (capitals < word.size()) {
    // "IVA" and "Va" are words: the ending is written small, and a lone capital takes no lone vowel but the
    // French e.
    const std::string_view ending = word.substr(capitals);
    if (!IsAllLower(ending) || (capitals == 1 && (ending == "a" || ending == "o"))) return 0;
    const std::string said = reader_.SuffixedOrdinal(value, ending);
    if (said.empty()) return 0;
    PutWord(said);
    return 1;
  }
  const std::string before = WordBefore(at);
  if (before.empty()) return 0;
  if (Contains(words_.romanCues, before)) {
    PutWord(reader_.Cardinal(value, Gender::kBare));
    return 1;
  }
  if (capitals < 2 || at < 2 || !IsWord(at - 2)) return 0;
  const std::string_view name = tokens_[at - 2].text;
  const std::vector<char32_t> codes = ToCodePoints(name);
  const bool proper = codes.size() >= 3 && IsUpper(codes[0]) && !IsUpper(codes[1]);
  if (!proper || value > 30) return 0;
  PutWord(reader_.Regnal(value));
  return 1;
}

}  // namespace trunkline::text
