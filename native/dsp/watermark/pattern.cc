#include "dsp/watermark/pattern.h"

#include <charconv>

namespace trunkline::watermark {
namespace {

constexpr size_t kDigits = 16;

uint64_t Scramble(uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

bool ParseHex(std::string_view text, uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

bool ParseWatermarkCode(std::string_view text, WatermarkCode& code) {
  return text.size() == 2 * kDigits && ParseHex(text.substr(0, kDigits), code.deployment) &&
         ParseHex(text.substr(kDigits), code.tag);
}

Pattern::Pattern(const WatermarkCode& code) {
  for (size_t cell = 0; cell < kCells; ++cell) {
    for (size_t band = 0; band < kBands; ++band) {
      const uint64_t drawn = Scramble(code.deployment ^ Scramble(cell * kBands + band));
      const float carrier = (drawn & 1) != 0 ? 1.0F : -1.0F;
      const bool tagged = ((cell + band) & 1) != 0;
      const auto bit = static_cast<uint8_t>((drawn >> 8) % kTagBits);
      const bool set = ((code.tag >> bit) & 1) != 0;
      carriers_[cell][band] = carrier;
      bits_[cell][band] = tagged ? bit : static_cast<uint8_t>(kTagBits);
      common_[cell][band] = tagged ? 0.0F : carrier;
      signs_[cell][band] = tagged && !set ? -carrier : carrier;
    }
  }
}

}  // namespace trunkline::watermark
