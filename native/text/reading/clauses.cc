#include "text/reading/clauses.h"

#include <algorithm>

#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

bool IsSentenceEnd(char32_t c) {
  return c == '.' || c == '!' || c == '?' || c == 0x964 || c == 0x965 || c == 0x2026;
}
bool IsPause(char32_t c) {
  return c == ',' || c == ';' || c == ':' || c == 0x2014 || c == 0x2013;
}

struct Piece {
  std::vector<char32_t> codes;
  ClauseEnd end = ClauseEnd::kSentence;
};

std::vector<Piece> SplitAtMarks(std::string_view text) {
  std::vector<Piece> pieces;
  Piece piece;
  const std::vector<char32_t> codes = ToCodePoints(text);
  for (size_t i = 0; i < codes.size(); ++i) {
    const char32_t c = codes[i];
    if (IsSpace(c) && piece.codes.empty()) continue;
    piece.codes.push_back(c);
    const bool closes = i + 1 >= codes.size() || IsSpace(codes[i + 1]);
    if (closes && (IsSentenceEnd(c) || IsPause(c))) {
      piece.end = IsSentenceEnd(c) ? ClauseEnd::kSentence : ClauseEnd::kPause;
      pieces.push_back(std::move(piece));
      piece = Piece{};
    }
  }
  while (!piece.codes.empty() && IsSpace(piece.codes.back())) piece.codes.pop_back();
  if (!piece.codes.empty()) pieces.push_back(std::move(piece));
  return pieces;
}

void SplitLong(Piece piece, size_t most, std::vector<Piece>& out) {
  while (piece.codes.size() > most) {
    size_t cut = most;
    while (cut > most / 2 && !IsSpace(piece.codes[cut])) --cut;
    if (!IsSpace(piece.codes[cut])) cut = most;  // one endless word
    Piece head{{piece.codes.begin(), piece.codes.begin() + static_cast<std::ptrdiff_t>(cut)},
               ClauseEnd::kJoin};
    while (!head.codes.empty() && IsSpace(head.codes.back())) head.codes.pop_back();
    while (cut < piece.codes.size() && IsSpace(piece.codes[cut])) ++cut;
    piece.codes.erase(piece.codes.begin(), piece.codes.begin() + static_cast<std::ptrdiff_t>(cut));
    if (!head.codes.empty()) out.push_back(std::move(head));
  }
  if (!piece.codes.empty()) out.push_back(std::move(piece));
}

Clause ToClause(const Piece& piece) {
  Clause clause;
  clause.end = piece.end;
  for (const char32_t c : piece.codes) AppendUtf8(c, clause.text);
  return clause;
}

bool HasWord(const Piece& piece) {
  return std::any_of(piece.codes.begin(), piece.codes.end(),
                     [](char32_t c) { return IsLetter(c) || IsDigit(c); });
}

}  // namespace

std::vector<Clause> SplitClauses(std::string_view normalized, const ClauseLimits& limits) {
  std::vector<Clause> clauses;
  Piece current;
  const auto flush = [&] {
    if (HasWord(current)) clauses.push_back(ToClause(current));
    current = Piece{};
  };
  for (Piece& whole : SplitAtMarks(normalized)) {
    std::vector<Piece> parts;
    // Only the first piece has the short limit, and only where a pause allows it; words are split at `most`.
    SplitLong(std::move(whole), limits.most, parts);
    for (Piece& part : parts) {
      const bool first = clauses.empty();
      const size_t most = first ? limits.first : limits.most;
      if (!current.codes.empty() && current.codes.size() + 1 + part.codes.size() > most) flush();
      if (!current.codes.empty()) current.codes.push_back(' ');
      current.codes.insert(current.codes.end(), part.codes.begin(), part.codes.end());
      current.end = part.end;
      const bool enough = current.codes.size() >= limits.least;
      if (enough && (current.end == ClauseEnd::kSentence || clauses.empty())) flush();
    }
  }
  flush();
  return clauses;
}

}  // namespace trunkline::text
