#include "text/tokens/word_pieces.h"

#include <array>
#include <fstream>
#include <iterator>

#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

constexpr size_t kLongestWord = 100;

// The letters of U+00C0 to U+017F without their accents; a space stands for a letter that has none to lose.
constexpr std::string_view kBare =
    "aaaaaa ceeeeiiii nooooo  uuuuy  aaaaaa ceeeeiiii nooooo  uuuuy y"
    "aaaaaaccccccccdd  eeeeeeeeeegggggggghh  iiiiiiiii   jjkk llllll    nnnnnn   oooooo  rrrrrrsssssssstttt  "
    "uuuuuuuuuuuuwwyyyzzzzzz ";
static_assert(kBare.size() == 0x180 - 0xC0);

char32_t Fold(char32_t c) {
  const char bare = c < 0xC0 || c >= 0x180 ? ' ' : kBare[c - 0xC0];
  return bare == ' ' ? ToLower(c) : static_cast<char32_t>(bare);
}

bool IsCombining(char32_t c) {
  return c >= 0x300 && c < 0x370;
}

bool IsControl(char32_t c) {
  return c == 0 || c == kBadCodePoint || c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD ||
         (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) || c == 0xFEFF;
}

bool IsIdeograph(char32_t c) {
  return (c >= 0x3400 && c < 0x4DC0) || (c >= 0x4E00 && c < 0xA000) || (c >= 0xF900 && c < 0xFB00) ||
         (c >= 0x20000 && c < 0x2FA20);
}

bool IsPunctuation(char32_t c) {
  if (c < 0x80)
    return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) || (c >= 123 && c <= 126);
  constexpr std::array<char32_t, 9> kLatin = {0xA1, 0xA7, 0xAB, 0xB6, 0xB7, 0xBB, 0xBF, 0x964, 0x965};
  for (const char32_t mark : kLatin) {
    if (c == mark) return true;
  }
  return (c >= 0x2010 && c < 0x2028) || (c >= 0x2030 && c < 0x205F && c != 0x2044 && c != 0x2052) ||
         (c >= 0x3001 && c <= 0x3003) || (c >= 0x3008 && c <= 0x3011);
}

size_t PieceStart(std::string_view word, size_t at) {
  while (at > 0 && (static_cast<unsigned char>(word[at]) & 0xC0) == 0x80) --at;
  return at;
}

// Words and single marks, folded.
std::vector<std::string> SplitWords(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto close = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (size_t at = 0; at < text.size();) {
    const char32_t c = DecodeOne(text, at);
    if (IsSpace(c)) {
      close();
    } else if (IsPunctuation(c) || IsIdeograph(c)) {
      close();
      AppendUtf8(c, word);
      close();
    } else if (!IsControl(c) && !IsCombining(c)) {
      AppendUtf8(Fold(c), word);
    }
  }
  close();
  return words;
}

}  // namespace

base::Result<WordPieces> WordPieces::Load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return base::Status(base::Code::kNotFound, "cannot read " + path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return Parse(text);
}

base::Result<WordPieces> WordPieces::Parse(std::string_view vocabulary) {
  WordPieces pieces;
  int64_t id = 0;
  while (!vocabulary.empty()) {
    const size_t end = vocabulary.find('\n');
    std::string_view line = vocabulary.substr(0, end);
    vocabulary.remove_prefix(end == std::string_view::npos ? vocabulary.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    pieces.ids_.emplace(line, id++);
  }
  pieces.open_ = pieces.Find("[CLS]");
  pieces.close_ = pieces.Find("[SEP]");
  pieces.unknown_ = pieces.Find("[UNK]");
  if (pieces.open_ < 0 || pieces.close_ < 0 || pieces.unknown_ < 0) {
    return base::Status(base::Code::kBadModel, "the vocabulary of word pieces lacks its special tokens");
  }
  return pieces;
}

int64_t WordPieces::Find(std::string_view piece) const {
  const auto found = ids_.find(piece);
  return found == ids_.end() ? -1 : found->second;
}

std::vector<int64_t> WordPieces::Encode(std::string_view text, size_t limit) const {
  std::vector<int64_t> ids = {open_};
  for (const std::string& word : SplitWords(text)) {
    if (ids.size() + 1 >= limit) break;
    EncodeWord(word, ids);
  }
  if (ids.size() + 1 > limit) ids.resize(limit - 1);
  ids.push_back(close_);
  return ids;
}

// Takes the longest piece at the word's beginning, then the longest at the beginning of the rest; a word
// with a part that is in no piece is unknown as a whole.
void WordPieces::EncodeWord(std::string_view word, std::vector<int64_t>& out) const {
  if (CountCodePoints(word) > kLongestWord) {
    out.push_back(unknown_);
    return;
  }
  const size_t before = out.size();
  std::string piece;
  for (size_t at = 0; at < word.size();) {
    int64_t id = -1;
    size_t end = word.size();
    for (; end > at; end = PieceStart(word, end - 1)) {
      piece.assign(at == 0 ? "" : "##").append(word.substr(at, end - at));
      id = Find(piece);
      if (id >= 0) break;
    }
    if (id < 0) {
      out.resize(before);
      out.push_back(unknown_);
      return;
    }
    out.push_back(id);
    at = end;
  }
}

}  // namespace trunkline::text
