#include "text/reading/grammar.h"

#include <algorithm>

#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

size_t CountLetters(std::string_view word) {
  size_t letters = 0;
  for (const char32_t c : ToCodePoints(word)) letters += IsLetter(c) ? 1 : 0;
  return letters;
}

// A shouted text has at least three words of two letters or more, and no small letter in them.
bool IsShouting(const std::vector<Token>& tokens) {
  size_t words = 0;
  for (const Token& token : tokens) {
    if (token.kind != Token::Kind::kWord || CountLetters(token.text) < 2) continue;
    if (!IsAllUpper(token.text)) return false;
    ++words;
  }
  return words >= 3;
}

bool IsPauseMark(char32_t c) {
  return c == '.' || c == ',' || c == ';' || c == ':' || c == '!' || c == '?' || c == 0x2026 || c == 0x964 ||
         c == 0x965;
}

bool IsOpening(char32_t c) {
  return c == '(' || c == '"' || c == '\'' || c == 0xBF || c == 0xA1 || c == 0x2014 || c == kStress;
}

}  // namespace

bool Contains(std::span<const std::string_view> list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool IsAllUpper(std::string_view word) {
  bool any = false;
  for (const char32_t c : ToCodePoints(word)) {
    if (c == '\'') continue;
    if (!IsUpper(c)) return false;
    any = true;
  }
  return any;
}

bool IsAllLower(std::string_view word) {
  for (const char32_t c : ToCodePoints(word)) {
    if (IsUpper(c)) return false;
  }
  return !word.empty();
}

bool IsPronounceable(std::string_view lower) {
  static constexpr std::string_view kVowels = "aeiouy";
  size_t vowels = 0;
  size_t run = 0;
  size_t longest = 0;
  for (const char32_t c : ToCodePoints(lower)) {
    const bool vowel = c >= 0x80 || kVowels.find(static_cast<char>(c)) != std::string_view::npos;
    vowels += vowel ? 1 : 0;
    run = vowel ? 0 : run + 1;
    longest = std::max(longest, run);
  }
  return vowels > 0 && longest <= 3;
}

Grammar::Grammar(std::string_view cleaned, const Reader& reader)
    : reader_(reader), words_(reader.words()), text_(cleaned), tokens_(Tokenize(cleaned)) {
  shouting_ = IsShouting(tokens_);
  out_.reserve(cleaned.size() * 2);
}

std::string Grammar::Read() {
  for (size_t at = 0; at < tokens_.size();) at += ReadOne(at);
  while (!out_.empty() && out_.back() == ' ') out_.pop_back();
  return std::move(out_);
}

size_t Grammar::ReadOne(size_t at) {
  using Recogniser = size_t (Grammar::*)(size_t);
  static constexpr Recogniser kOrder[] = {
      &Grammar::Address, &Grammar::CalendarDate, &Grammar::ClockTimeOfDay, &Grammar::Amount,
      &Grammar::Phone,   &Grammar::Quantity,     &Grammar::DottedLetters,  &Grammar::Abbreviation,
      &Grammar::Roman,   &Grammar::Code,         &Grammar::Acronym};
  if (IsSpace(at)) return 1;
  for (const Recogniser recognise : kOrder) {
    if (const size_t taken = (this->*recognise)(at); taken != 0) return taken;
  }
  if (IsWord(at)) {
    PutWord(tokens_[at].text);
    return 1;
  }
  if (IsNumber(at)) {
    PutWord(SayLongDigits(tokens_[at].text));
    return 1;
  }
  return Mark(at);
}

void Grammar::PutWord(std::string_view words) {
  if (glue_) {
    out_.append(words);
  } else {
    Say(out_, words);
  }
  glue_ = false;
}

void AppendPause(std::string& out, std::string_view mark) {
  while (!out.empty() && out.back() == ' ') out.pop_back();
  const char last = out.empty() ? '\0' : out.back();
  if (last == ',' || last == ';' || last == ':') {
    if (mark == ",") return;
    out.pop_back();
  } else if (last == '.' || last == '!' || last == '?') {
    if (mark == "," || mark == "." || mark == ";" || mark == ":") return;
  }
  out.append(mark);
}

void Grammar::PutPause(std::string_view mark) {
  glue_ = false;
  if (!out_.empty()) AppendPause(out_, mark);
}

size_t Grammar::Mark(size_t at) {
  const Token& token = tokens_[at];
  const char32_t c = token.mark;
  if (IsPauseMark(c)) {
    PutPause(token.text);
    return 1;
  }
  if (c == '(' || c == ')') {
    if (at + 1 < tokens_.size()) PutPause(",");
    return 1;
  }
  if (c == 0xBF || c == 0xA1 || c == kStress) {  // they stand before the word to which they belong
    Say(out_, token.text);
    glue_ = true;
    return 1;
  }
  if (c == '-' || c == 0x2013 || c == 0x2014) return DashMark(at);
  if (c == '\'' && at > 0 && IsWord(at - 1) && IsNumber(at + 1)) {  // l'11
    out_.push_back('\'');
    glue_ = true;
    return 1;
  }
  if (c == '\'' || c == '"' || c == '*' || c == '|' || c == '_') return 1;
  if (c == '#') {
    PutWord(IsNumber(at + 1) ? words_.number : IsWord(at + 1) ? words_.hashtag : words_.hash);
    return 1;
  }
  if (c == '/' && (StartsHere(at) || EndsHere(at + 1))) {
    PutPause(",");
    return 1;
  }
  for (const Expansion& symbol : words_.symbols) {
    if (symbol.written == token.text) {
      PutWord(symbol.said);
      return 1;
    }
  }
  return 1;  // a sign that is not spoken
}

size_t Grammar::DashMark(size_t at) {
  const bool between = at > 0 && !IsSpace(at - 1) && at + 1 < tokens_.size() && !IsSpace(at + 1);
  if (between && tokens_[at].mark == '-') {
    const bool plain = IsWord(at - 1) && IsWord(at + 1) && !out_.empty() && out_.back() != ' ';
    if (plain && !IsAllUpper(tokens_[at - 1].text) && !IsAllUpper(tokens_[at + 1].text)) {
      out_.push_back('-');
      glue_ = true;
    }
    return 1;
  }
  if (out_.empty() || at + 1 >= tokens_.size()) return 1;
  PutPause(",");
  return 1;
}

bool Grammar::StartsHere(size_t at) const {
  if (at == 0 || IsSpace(at - 1)) return true;
  return Is(at - 1, Token::Kind::kPunct) &&
         (IsOpening(tokens_[at - 1].mark) || IsPauseMark(tokens_[at - 1].mark));
}

bool Grammar::EndsHere(size_t at) const {
  if (at >= tokens_.size() || IsSpace(at)) return true;
  if (!Is(at, Token::Kind::kPunct)) return false;
  const char32_t c = tokens_[at].mark;
  return IsPauseMark(c) || c == ')' || c == '"' || c == '\'' || c == 0x2014;
}

// Returns whether a full stop taken as part of an abbreviation also ended the sentence: the text ends, or a capital
// follows.
bool Grammar::EndsSentence(size_t at) const {
  while (at < tokens_.size() && (IsSpace(at) || IsMark(at, '"') || IsMark(at, ')') || IsMark(at, '\''))) ++at;
  if (at >= tokens_.size()) return true;
  if (!IsWord(at)) return false;
  size_t first = 0;
  return IsUpper(DecodeOne(tokens_[at].text, first)) && IsAllLower(tokens_[at].text.substr(first)) &&
         tokens_[at].text.size() > first;
}

std::string Grammar::WordBefore(size_t at, size_t back) const {
  for (size_t i = at; i > 0; --i) {
    const Token& token = tokens_[i - 1];
    if (token.kind == Token::Kind::kSpace || IsMark(i - 1, ':') || IsMark(i - 1, '#') || IsMark(i - 1, '"') ||
        IsMark(i - 1, kStress))
      continue;
    // The full stop in "ext. 204" belongs to a short abbreviation, not to a sentence.
    const bool stop =
        IsMark(i - 1, '.') && i >= 2 && IsWord(i - 2) && tokens_[i - 2].text.size() <= 4 && back == 0;
    if (stop) continue;
    if (token.kind != Token::Kind::kWord) return {};
    if (back == 0) return Lower(token.text);
    --back;
  }
  return {};
}

bool Grammar::CueBefore(size_t at, std::span<const std::string_view> cues) const {
  for (size_t back = 0; back < 3; ++back) {
    const std::string word = WordBefore(at, back);
    if (word.empty()) return false;
    if (Contains(cues, word)) return true;
  }
  return false;
}

}  // namespace trunkline::text
