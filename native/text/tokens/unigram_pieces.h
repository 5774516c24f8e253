// SentencePiece's unigram tokenizer, as XLM-RoBERTa uses it: the pieces whose scores sum to most, '▁' for a space.
// Read from pieces.bin (models/recipes/e5/build.py has the layout). Immutable once read, so any thread may use it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"

namespace trunkline::text {

class UnigramPieces {
 public:
  static base::Result<UnigramPieces> Load(const std::string& path);
  static base::Result<UnigramPieces> Parse(base::ByteView file);

  size_t size() const { return pieces_.size(); }
  // Includes the opening and the closing token. A longer text is cut before the closing token, so that
  // `limit` tokens remain.
  std::vector<int64_t> Encode(std::string_view text, size_t limit) const;

 private:
  struct Piece {
    int64_t id = 0;
    float score = 0;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  // The text with '▁' for spaces, and the byte at which each character begins.
  struct Spelling {
    std::string text;
    std::vector<size_t> begins;
  };

  Spelling Spell(std::string_view text) const;

  std::unordered_map<std::string, Piece, Hash, std::equal_to<>> pieces_;
  // The normalization's replacement for a character.
  std::unordered_map<char32_t, std::u32string> rules_;
  size_t longest_ = 0;  // bytes of a piece
  float unknown_score_ = 0;
  int64_t open_ = 0;
  int64_t close_ = 0;
  int64_t unknown_ = 0;
};

}  // namespace trunkline::text
