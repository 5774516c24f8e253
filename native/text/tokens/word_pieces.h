// WordPiece, the tokenizer of BERT: in lower case, without accents, each word as the longest pieces of the
// vocabulary. Read from vocab.txt, one piece a line. Immutable once read, so any thread may use it.
//
// Accents are removed from Latin letters; combining marks that stand alone are dropped. Letters of other
// scripts stay, since the models that use this know English only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"

namespace trunkline::text {

class WordPieces {
 public:
  static base::Result<WordPieces> Load(const std::string& path);
  static base::Result<WordPieces> Parse(std::string_view vocabulary);

  size_t size() const { return ids_.size(); }
  // Includes the opening and the closing token; ids beyond `limit` are left out.
  std::vector<int64_t> Encode(std::string_view text, size_t limit) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  int64_t Find(std::string_view piece) const;
  void EncodeWord(std::string_view word, std::vector<int64_t>& out) const;

  std::unordered_map<std::string, int64_t, Hash, std::equal_to<>> ids_;
  int64_t open_ = 0;
  int64_t close_ = 0;
  int64_t unknown_ = 0;
};

}  // namespace trunkline::text
