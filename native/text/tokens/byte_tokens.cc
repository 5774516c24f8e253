#include "text/tokens/byte_tokens.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>

#include "text/tokens/bpe_split.h"

namespace trunkline::text {
namespace {

constexpr uint32_t kTokensMagic = 0x4b544c54;  // "TLTK"
constexpr uint32_t kTokensVersion = 1;
constexpr uint32_t kMax = 1u << 20;

uint64_t PairKey(TokenId left, TokenId right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

base::Status Corrupt(std::string_view what) {
  return base::Status(base::Code::kBadModel, "the token table is corrupt: " + std::string(what));
}

}  // namespace

base::Result<ByteTokens> ByteTokens::Load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return base::Status(base::Code::kNotFound, "cannot read " + path);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return Parse(bytes);
}

base::Result<ByteTokens> ByteTokens::Parse(base::ByteView file) {
  base::ByteReader reader(file);
  if (reader.Read<uint32_t>() != kTokensMagic) return Corrupt("no signature");
  if (reader.Read<uint32_t>() != kTokensVersion) {
    return base::Status(base::Code::kBadVersion, "the token table has another version");
  }
  ByteTokens tokens;
  TRUNKLINE_RETURN_IF_FAILED(tokens.ParseTokens(reader));
  TRUNKLINE_RETURN_IF_FAILED(tokens.ParseMerges(reader));
  return tokens;
}

base::Status ByteTokens::ParseTokens(base::ByteReader& reader) {
  const uint32_t count = reader.Read<uint32_t>();
  if (count == 0 || count > kMax) return Corrupt("count of tokens");
  tokens_.reserve(count);
  std::fill(std::begin(of_byte_), std::end(of_byte_), -1);
  first_special_ = static_cast<TokenId>(count);
  for (uint32_t id = 0; id < count && reader.ok(); ++id) {
    const bool is_special = reader.Read<uint8_t>() == 1;
    const uint16_t length = reader.Read<uint16_t>();
    std::string text(base::AsText(reader.ReadBytes(length)));
    if (is_special) {
      first_special_ = std::min(first_special_, static_cast<TokenId>(id));
      specials_.emplace(std::move(text), static_cast<TokenId>(id));
      tokens_.emplace_back();
    } else {
      if (text.size() == 1) of_byte_[static_cast<uint8_t>(text[0])] = static_cast<TokenId>(id);
      tokens_.push_back(std::move(text));
    }
  }
  if (!reader.ok()) return Corrupt("it ends early");
  if (std::find(std::begin(of_byte_), std::end(of_byte_), -1) != std::end(of_byte_)) {
    return Corrupt("a byte has no token");
  }
  return base::Ok();
}

base::Status ByteTokens::ParseMerges(base::ByteReader& reader) {
  const uint32_t count = reader.Read<uint32_t>();
  if (count > kMax) return Corrupt("count of merges");
  merges_.reserve(count);
  const auto size = static_cast<TokenId>(tokens_.size());
  for (uint32_t rank = 0; rank < count && reader.ok(); ++rank) {
    const auto left = reader.Read<TokenId>(), right = reader.Read<TokenId>(), result = reader.Read<TokenId>();
    if (std::min({left, right, result}) < 0 || std::max({left, right, result}) >= size) {
      return Corrupt("a merge names no token");
    }
    merges_.emplace(PairKey(left, right), Merge{rank, result});
  }
  return reader.ok() ? base::Ok() : Corrupt("it ends early");
}

std::string_view ByteTokens::bytes(TokenId id) const {
  if (id < 0 || static_cast<size_t>(id) >= tokens_.size()) return {};
  return tokens_[static_cast<size_t>(id)];
}

TokenId ByteTokens::special(std::string_view name) const {
  const auto found = specials_.find(std::string(name));
  return found == specials_.end() ? -1 : found->second;
}

std::string ByteTokens::Decode(const std::vector<TokenId>& ids) const {
  std::string out;
  for (const TokenId id : ids) out += bytes(id);
  return out;
}

std::vector<TokenId> ByteTokens::Encode(std::string_view text) const {
  std::vector<TokenId> out;
  for (const std::string_view piece : SplitForBpe(text)) EncodePiece(piece, out);
  return out;
}

// Joins the pair of best rank until no pair joins. Pieces are words, so the quadratic time is short.
void ByteTokens::EncodePiece(std::string_view piece, std::vector<TokenId>& out) const {
  std::vector<TokenId> parts;
  for (const char c : piece) parts.push_back(of_byte_[static_cast<uint8_t>(c)]);
  while (parts.size() > 1) {
    uint32_t best = std::numeric_limits<uint32_t>::max();
    size_t at = 0;
    TokenId result = 0;
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto found = merges_.find(PairKey(parts[i], parts[i + 1]));
      if (found == merges_.end() || found->second.rank >= best) continue;
      best = found->second.rank;
      at = i;
      result = found->second.result;
    }
    if (best == std::numeric_limits<uint32_t>::max()) break;
    parts[at] = result;
    parts.erase(parts.begin() + static_cast<ptrdiff_t>(at) + 1);
  }
  out.insert(out.end(), parts.begin(), parts.end());
}

}  // namespace trunkline::text
