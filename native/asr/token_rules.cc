#include "asr/token_rules.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace trunkline::asr {
namespace {

bool IsLatinLetter(uint8_t byte) {
  return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

// Devanagari is E0 A4 80 to E0 A5 BF. ASCII digits, spaces and punctuation may stand between its letters.
std::optional<Letter> Walk(std::string_view bytes, Letter letter) {
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    switch (letter) {
      case Letter::kWhole:
        if (byte < 0x80 && !IsLatinLetter(byte)) break;
        if (byte != 0xE0) return std::nullopt;
        letter = Letter::kOneByte;
        break;
      case Letter::kOneByte:
        if (byte != 0xA4 && byte != 0xA5) return std::nullopt;
        letter = Letter::kTwoBytes;
        break;
      case Letter::kTwoBytes:
        if (byte < 0x80 || byte > 0xBF) return std::nullopt;
        letter = Letter::kWhole;
        break;
    }
  }
  return letter;
}

}  // namespace

TokenRules::TokenRules(const text::ByteTokens& tokens, const WhisperSettings& settings,
                       text::TokenId end_of_text, text::TokenId first_mark)
    : suppress_(settings.suppress), suppress_begin_(settings.suppress_begin), end_of_text_(end_of_text) {
  if (first_mark >= 0) marks_.emplace(first_mark, end_of_text);
  for (size_t letter = 0; letter < kLetters; ++letter) {
    std::vector<uint8_t>& next = next_[letter];
    next.assign(static_cast<size_t>(end_of_text_) + 1, kForbidden);
    for (text::TokenId id = 0; id < end_of_text_; ++id) {
      const auto after = Walk(tokens.bytes(id), static_cast<Letter>(letter));
      if (after && !tokens.bytes(id).empty()) next[static_cast<size_t>(id)] = static_cast<uint8_t>(*after);
    }
    if (letter == 0) next.back() = 0;  // a text ends only with a whole letter
  }
}

TokenRules::Written TokenRules::Begin(bool marks) const {
  Written written;
  if (marks && marks_) written.marks.emplace();
  return written;
}

void TokenRules::Apply(std::span<float> logits, Language language, const Written& written) const {
  for (const int32_t id : suppress_) logits[static_cast<size_t>(id)] = kNever;
  if (written.nothing) {
    for (const int32_t id : suppress_begin_) logits[static_cast<size_t>(id)] = kNever;
  }
  // Special tokens follow the text's own, and timestamps follow them; of the special ones only the end of the
  // text may come. A timestamp does not come inside a letter.
  const bool marks = written.marks && written.letter == Letter::kWhole;
  const auto specials = logits.subspan(static_cast<size_t>(end_of_text_) + 1);
  const size_t count = marks ? static_cast<size_t>(marks_->first() - end_of_text_) - 1 : specials.size();
  std::fill_n(specials.begin(), count, kNever);
  if (language == Language::kHi) {
    const std::vector<uint8_t>& next = next_[static_cast<size_t>(written.letter)];
    for (size_t id = 0; id < next.size(); ++id) {
      if (next[id] == kForbidden) logits[id] = kNever;
    }
  }
  if (marks) marks_->Apply(logits, *written.marks);
}

TokenRules::Written TokenRules::Next(Language language, Written written, text::TokenId token) const {
  written.nothing = false;
  written.letter = NextLetter(language, written.letter, token);
  if (written.marks) written.marks = marks_->After(*written.marks, token);
  return written;
}

Letter TokenRules::NextLetter(Language language, Letter letter, text::TokenId token) const {
  if (language != Language::kHi || token < 0 || token >= end_of_text_) return Letter::kWhole;
  const uint8_t next = next_[static_cast<size_t>(letter)][static_cast<size_t>(token)];
  return next == kForbidden ? Letter::kWhole : static_cast<Letter>(next);
}

}  // namespace trunkline::asr
