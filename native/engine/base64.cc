#include "engine/base64.h"

#include <array>

namespace trunkline::engine {
namespace {

constexpr uint8_t kBad = 0xff;

constexpr std::array<uint8_t, 256> MakeTable() {
  std::array<uint8_t, 256> table{};
  for (uint8_t& value : table) value = kBad;
  const char* alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (uint8_t i = 0; i < 64; ++i) table[static_cast<uint8_t>(alphabet[i])] = i;
  return table;
}

constexpr std::array<uint8_t, 256> kValues = MakeTable();

}  // namespace

std::optional<size_t> DecodeBase64(std::string_view text, base::MutableBytes into) {
  if (text.size() % 4 == 0) {
    for (int i = 0; i < 2 && !text.empty() && text.back() == '='; ++i) text.remove_suffix(1);
  }
  const size_t rest = text.size() % 4;
  const size_t size = text.size() / 4 * 3 + (rest == 0 ? 0 : rest - 1);
  if (rest == 1 || size > into.size()) return std::nullopt;
  const auto* in = reinterpret_cast<const uint8_t*>(text.data());
  uint8_t* out = into.data();
  uint8_t bad = 0;  // gathers the high bit of kBad, so that the loop has no branch
  for (size_t i = 0; i + 4 <= text.size(); i += 4, in += 4, out += 3) {
    const uint8_t a = kValues[in[0]], b = kValues[in[1]], c = kValues[in[2]], d = kValues[in[3]];
    bad |= a | b | c | d;
    out[0] = static_cast<uint8_t>(a << 2 | b >> 4);
    out[1] = static_cast<uint8_t>(b << 4 | c >> 2);
    out[2] = static_cast<uint8_t>(c << 6 | d);
  }
  if (rest >= 2) {
    const uint8_t a = kValues[in[0]], b = kValues[in[1]], c = rest == 3 ? kValues[in[2]] : 0;
    bad |= a | b | c;
    out[0] = static_cast<uint8_t>(a << 2 | b >> 4);
    if (rest == 3) out[1] = static_cast<uint8_t>(b << 4 | c >> 2);
  }
  if ((bad & 0x80) != 0) return std::nullopt;
  return size;
}

}  // namespace trunkline::engine
