#include "text/phonemes/phonetic.h"

#include <algorithm>
#include <vector>

#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

// The plain letter under an accent of Latin-1 and Latin Extended-A; 0 where there is none.
char Plain(char32_t c) {
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? static_cast<char>(c) : 0;
  struct Row {
    char32_t first, last;
    char letter;
  };
  static constexpr Row kRows[] = {
      {0xE0, 0xE6, 'a'},   {0xE7, 0xE7, 's'},   {0xE8, 0xEB, 'e'},   {0xEC, 0xEF, 'i'},   {0xF1, 0xF1, 'n'},
      {0xF2, 0xF6, 'o'},   {0xF8, 0xF8, 'o'},   {0xF9, 0xFC, 'u'},   {0xFD, 0xFF, 'y'},   {0xDF, 0xDF, 's'},
      {0x101, 0x105, 'a'}, {0x107, 0x10D, 's'}, {0x113, 0x11B, 'e'}, {0x11F, 0x11F, 'g'}, {0x129, 0x131, 'i'},
      {0x142, 0x142, 'l'}, {0x144, 0x148, 'n'}, {0x14D, 0x153, 'o'}, {0x155, 0x159, 'r'}, {0x15B, 0x161, 's'},
      {0x163, 0x165, 't'}, {0x169, 0x173, 'u'}, {0x17A, 0x17E, 's'}};
  for (const Row& row : kRows) {
    if (c >= row.first && c <= row.last) return row.letter;
  }
  return 0;
}

bool Soft(char next) {
  return next == 'e' || next == 'i' || next == 'y';
}

// Returns 0 for a silent letter.
char Class(char c, char next, bool first) {
  switch (c) {
    case 'a':
      return 'A';
    case 'e':
    case 'i':
    case 'y':
      return 'I';
    case 'o':
    case 'u':
      return 'U';
    case 'b':
    case 'p':
      return next == 'h' ? 'F' : 'P';
    case 'f':
    case 'v':
      return 'F';
    case 'w':
      return first ? 'W' : 'U';
    case 'd':
    case 't':
      return 'T';
    case 'c':
      return next == 'h' || Soft(next) ? 'S' : 'K';
    case 'g':
      return next == 'h' ? 0 : Soft(next) ? 'S' : 'K';
    case 'k':
    case 'q':
      return 'K';
    case 'x':
      return 'K';
    case 's':
    case 'z':
    case 'j':
      return 'S';
    case 'l':
      return 'L';
    case 'm':
      return 'M';
    case 'n':
      return 'N';
    case 'r':
      return 'R';
    case 'h':
      return first ? 'H' : 0;
    default:
      return c;  // digits
  }
}

bool IsVowel(char c) {
  return c == 'A' || c == 'I' || c == 'U';
}

// Signs of Devanagari in which two spellings of one sound differ: vowel length, nasal dots, nukta,
// aspiration.
char32_t DevanagariClass(char32_t c) {
  switch (c) {
    case 0x0908:
      return 0x0907;
    case 0x090A:
      return 0x0909;
    case 0x0940:
      return 0x093F;
    case 0x0942:
      return 0x0941;
    case 0x0948:
      return 0x0947;
    case 0x094C:
      return 0x094B;
    case 0x0916:
      return 0x0915;
    case 0x0918:
      return 0x0917;
    case 0x091B:
      return 0x091A;
    case 0x091D:
      return 0x091C;
    case 0x0920:
    case 0x0924:
    case 0x0925:
      return 0x091F;
    case 0x0922:
    case 0x0926:
    case 0x0927:
      return 0x0921;
    case 0x092B:
      return 0x092A;
    case 0x092D:
      return 0x092C;
    case 0x0936:
    case 0x0937:
      return 0x0938;
    case 0x0923:
    case 0x0902:
    case 0x0901:
      return 0x0928;
    case 0x093C:
    case 0x094D:
      return 0;
    default:
      return c;
  }
}

}  // namespace

std::string SoundKey(std::string_view utf8) {
  std::string letters, key;
  std::string devanagari;
  for (const char32_t c : ToCodePoints(utf8)) {
    if (c >= 0x0900 && c <= 0x097F) {
      // One byte for each sign: the block is 128 long.
      if (const char32_t plain = DevanagariClass(c); plain != 0 && plain != 0x0964) {
        devanagari += static_cast<char>(0x80 + (plain - 0x0900));
      }
    } else if (const char plain = Plain(ToLower(c)); plain != 0) {
      letters += plain;
    }
  }
  for (size_t i = 0; i < letters.size(); ++i) {
    const char next = i + 1 < letters.size() ? letters[i + 1] : 0;
    const char sound = Class(letters[i], next, i == 0);
    if (sound != 0 && (key.empty() || key.back() != sound || (sound >= '0' && sound <= '9'))) key += sound;
    if (letters[i] == 'x') key += 'S';
  }
  return key + devanagari;
}

double SoundSimilarity(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a == b ? 1 : 0;
  std::vector<double> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<double>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    double diagonal = row[0];
    row[0] = static_cast<double>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool vowels = IsVowel(a[i - 1]) && IsVowel(b[j - 1]);
      const double change = a[i - 1] == b[j - 1] ? 0 : vowels ? 0.5 : 1;
      const double best = std::min({row[j] + 1, row[j - 1] + 1, diagonal + change});
      diagonal = row[j];
      row[j] = best;
    }
  }
  return std::max(0.0, 1 - row[b.size()] / static_cast<double>(std::max(a.size(), b.size())));
}

}  // namespace trunkline::text
