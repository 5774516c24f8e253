#include "text/tokens/piece_tokens.h"

#include <fstream>
#include <iterator>

namespace trunkline::text {
namespace {

constexpr std::string_view kSpace = "\xE2\x96\x81";
constexpr int32_t kControls = 3;  // <unk> <s> </s>

bool IsControl(std::string_view piece) {
  return piece.starts_with("<<") && piece.ends_with(">>");
}

}  // namespace

base::Result<PieceTokens> PieceTokens::Load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return base::Status(base::Code::kNotFound, "cannot read " + path);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return Parse(bytes);
}

base::Result<PieceTokens> PieceTokens::Parse(base::ByteView file) {
  PieceTokens tokens;
  base::ByteReader reader(file);
  while (reader.ok() && reader.remaining() > 0) {
    size_t length = reader.Read<uint8_t>();
    if (length >= 128) length = (length - 128) + 128 * static_cast<size_t>(reader.Read<uint8_t>());
    tokens.pieces_.emplace_back(base::AsText(reader.ReadBytes(length)));
  }
  if (!reader.ok() || tokens.pieces_.size() <= kControls) {
    return base::Status(base::Code::kBadModel, "the table of sentence pieces ends early");
  }
  return tokens;
}

bool PieceTokens::OpensWord(int32_t id) const {
  return id >= 0 && static_cast<size_t>(id) < pieces_.size() &&
         pieces_[static_cast<size_t>(id)].starts_with(kSpace);
}

std::string PieceTokens::Decode(const std::vector<int32_t>& ids) const {
  std::string out;
  for (const int32_t id : ids) {
    if (id < kControls || static_cast<size_t>(id) >= pieces_.size()) continue;
    std::string_view piece = pieces_[static_cast<size_t>(id)];
    if (IsControl(piece)) continue;
    while (piece.starts_with(kSpace)) {
      if (!out.empty()) out += ' ';
      piece.remove_prefix(kSpace.size());
    }
    out += piece;
  }
  return out;
}

}  // namespace trunkline::text
