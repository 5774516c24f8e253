// Sentence pieces of Moonshine: '▁' opens a word, and 256 tokens are single bytes. Read from tokenizer.bin:
// one or two bytes of length, then the piece, for each token in turn.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"

namespace trunkline::text {

class PieceTokens {
 public:
  static base::Result<PieceTokens> Load(const std::string& path);
  static base::Result<PieceTokens> Parse(base::ByteView file);

  size_t size() const { return pieces_.size(); }
  // Writes '▁' as a space and no space before the first word. Control tokens write nothing.
  std::string Decode(const std::vector<int32_t>& ids) const;
  bool OpensWord(int32_t id) const;

 private:
  std::vector<std::string> pieces_;
};

}  // namespace trunkline::text
