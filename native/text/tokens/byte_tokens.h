// Byte-level BPE of Whisper: a token is a string of bytes, and a letter may be split between two. Read from
// tokens.bin (models/recipes/whisper/tokens.py describes its layout). Immutable once read, so any thread may
// use it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"

namespace trunkline::text {

using TokenId = int32_t;

class ByteTokens {
 public:
  static base::Result<ByteTokens> Load(const std::string& path);
  static base::Result<ByteTokens> Parse(base::ByteView file);

  size_t size() const { return tokens_.size(); }
  // The ids of languages, tasks and timestamps begin here, after the text tokens.
  TokenId first_special() const { return first_special_; }
  // A special token has no bytes.
  std::string_view bytes(TokenId id) const;
  // Returns -1 without a special token of this name, such as "<|en|>".
  TokenId special(std::string_view name) const;

  // Bytes of all tokens in order; an incomplete letter at either end stays as its bytes.
  std::string Decode(const std::vector<TokenId>& ids) const;
  std::vector<TokenId> Encode(std::string_view text) const;

 private:
  struct Merge {
    uint32_t rank;
    TokenId result;
  };

  base::Status ParseTokens(base::ByteReader& reader);
  base::Status ParseMerges(base::ByteReader& reader);
  void EncodePiece(std::string_view piece, std::vector<TokenId>& out) const;

  std::vector<std::string> tokens_;
  std::unordered_map<std::string, TokenId> specials_;
  std::unordered_map<uint64_t, Merge> merges_;
  TokenId first_special_ = 0;
  TokenId of_byte_[256] = {};
};

}  // namespace trunkline::text
