#include "text/tokens/unigram_pieces.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>

#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

constexpr std::string_view kPiecesMagic = "TLUP";
constexpr uint32_t kPiecesVersion = 1;
constexpr char32_t kSpaceMark = 0x2581;  // '▁'
// A character without a piece scores this much worse than the worst piece, as in SentencePiece.
constexpr float kUnknownPenalty = 10;

}  // namespace

base::Result<UnigramPieces> UnigramPieces::Load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return base::Status(base::Code::kNotFound, "cannot read " + path);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return Parse(bytes);
}

base::Result<UnigramPieces> UnigramPieces::Parse(base::ByteView file) {
  UnigramPieces table;
  base::ByteReader reader(file);
  if (base::AsText(reader.ReadBytes(kPiecesMagic.size())) != kPiecesMagic ||
      reader.Read<uint32_t>() != kPiecesVersion) {
    return base::Status(base::Code::kBadModel, "expected a table of unigram pieces");
  }
  table.open_ = reader.Read<uint32_t>();
  table.close_ = reader.Read<uint32_t>();
  table.unknown_ = reader.Read<uint32_t>();
  const auto count = reader.Read<uint32_t>();
  float worst = std::numeric_limits<float>::max();
  for (uint32_t id = 0; id < count && reader.ok(); ++id) {
    const auto score = reader.Read<float>();
    const std::string_view piece = base::AsText(reader.ReadBytes(reader.Read<uint8_t>()));
    worst = std::min(worst, score);
    table.longest_ = std::max(table.longest_, piece.size());
    if (id != table.unknown_) table.pieces_.emplace(piece, Piece{id, score});
  }
  table.unknown_score_ = worst - kUnknownPenalty;
  const auto rules = reader.Read<uint32_t>();
  for (uint32_t rule = 0; rule < rules && reader.ok(); ++rule) {
    const auto from = static_cast<char32_t>(reader.Read<uint32_t>());
    std::u32string to(reader.Read<uint8_t>(), U'\0');
    for (char32_t& c : to) c = static_cast<char32_t>(reader.Read<uint32_t>());
    table.rules_.emplace(from, std::move(to));
  }
  if (!reader.ok() || reader.remaining() > 0 || table.pieces_.empty()) {
    return base::Status(base::Code::kBadModel, "the table of unigram pieces has another length than it says");
  }
  return table;
}

UnigramPieces::Spelling UnigramPieces::Spell(std::string_view text) const {
  std::u32string normal;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = DecodeOne(text, at);
    const auto rule = rules_.find(c);
    if (rule == rules_.end()) {
      normal += c;
    } else {
      normal += rule->second;
    }
  }
  Spelling spelling;
  // The text begins with a space, and several spaces count as one.
  bool spaced = false;
  const auto append = [&](char32_t c) {
    if (c == U' ' && spaced) return;
    spaced = c == U' ';
    spelling.begins.push_back(spelling.text.size());
    AppendUtf8(spaced ? kSpaceMark : c, spelling.text);
  };
  append(U' ');
  for (const char32_t c : normal) append(c);
  spelling.begins.push_back(spelling.text.size());
  return spelling;
}

std::vector<int64_t> UnigramPieces::Encode(std::string_view text, size_t limit) const {
  const Spelling spelling = Spell(text);
  const size_t characters = spelling.begins.size() - 1;
  struct Best {
    float score = std::numeric_limits<float>::lowest();
    size_t from = 0;
    int64_t id = 0;
  };
  std::vector<Best> best(characters + 1);
  best[0].score = 0;
  const auto offer = [&](size_t from, size_t to, float score, int64_t id) {
    if (best[from].score + score > best[to].score) best[to] = {best[from].score + score, from, id};
  };
  for (size_t from = 0; from < characters; ++from) {
    for (size_t to = from + 1; to <= characters; ++to) {
      const size_t length = spelling.begins[to] - spelling.begins[from];
      if (length > longest_) break;
      const auto piece = pieces_.find(std::string_view(spelling.text).substr(spelling.begins[from], length));
      if (piece != pieces_.end()) offer(from, to, piece->second.score, piece->second.id);
    }
    offer(from, from + 1, unknown_score_, unknown_);
  }
  std::vector<int64_t> ids;
  for (size_t at = characters; at > 0; at = best[at].from) ids.push_back(best[at].id);
  ids.push_back(open_);
  std::reverse(ids.begin(), ids.end());
  ids.resize(std::min(ids.size(), std::max<size_t>(limit, 2) - 1));
  ids.push_back(close_);
  return ids;
}

}  // namespace trunkline::text
