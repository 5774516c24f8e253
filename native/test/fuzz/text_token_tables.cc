// Any bytes as a table of tokens, then any bytes as a text: a table is refused or whole, and what it encodes
// it decodes to the same bytes.
#include <cstdlib>
#include <string>
#include <vector>

#include "text/tokens/byte_tokens.h"
#include "text/tokens/piece_tokens.h"

namespace {

// A table that is always whole: the bytes, and pairs that the input chooses as merges.
trunkline::text::ByteTokens TableOf(const uint8_t* pairs, size_t count) {
  std::vector<uint8_t> file = {'T', 'L', 'T', 'K', 1, 0, 0, 0};
  const auto number = [&](uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) file.push_back(static_cast<uint8_t>(value >> shift));
  };
  number(static_cast<uint32_t>(256 + count));
  for (size_t id = 0; id < 256 + count; ++id) {
    file.push_back(0);
    const uint8_t length = id < 256 ? 1 : 2;
    file.push_back(length);
    file.push_back(0);
    if (id < 256) {
      file.push_back(static_cast<uint8_t>(id));
    } else {
      file.push_back(pairs[2 * (id - 256)]);
      file.push_back(pairs[2 * (id - 256) + 1]);
    }
  }
  number(static_cast<uint32_t>(count));
  for (size_t i = 0; i < count; ++i) {
    number(pairs[2 * i]);
    number(pairs[2 * i + 1]);
    number(static_cast<uint32_t>(256 + i));
  }
  auto parsed = trunkline::text::ByteTokens::Parse(file);
  if (!parsed.ok()) std::abort();
  return *parsed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trunkline;
  if (size == 0) return 0;
  const base::ByteView bytes(data + 1, size - 1);
  if (const auto table = text::PieceTokens::Parse(bytes); table.ok()) {
    std::vector<int32_t> ids;
    for (size_t i = 0; i < bytes.size(); ++i) ids.push_back(static_cast<int32_t>(bytes[i]) - 3);
    table->Decode(ids);
    for (const int32_t id : ids) table->OpensWord(id);
  }
  if (const auto table = text::ByteTokens::Parse(bytes); table.ok()) table->Encode("any text");
  const size_t merges = std::min<size_t>(data[0] % 16, bytes.size() / 2);
  const text::ByteTokens table = TableOf(bytes.data(), merges);
  const std::string_view said = base::AsText(bytes);
  const std::vector<text::TokenId> ids = table.Encode(said);
  if (table.Decode(ids) != said) std::abort();
  for (const text::TokenId id : ids) {
    if (id < 0 || static_cast<size_t>(id) >= table.size()) std::abort();
  }
  return 0;
}
