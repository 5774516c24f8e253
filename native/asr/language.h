// The eight languages of recognition, with the codes of the specification.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace trunkline::asr {

enum class Language : uint8_t { kEn, kEs, kFr, kDe, kHi, kIt, kPt, kNl };

inline constexpr std::array<std::string_view, 8> kLanguageCodes = {"en", "es", "fr", "de",
                                                                   "hi", "it", "pt", "nl"};

// Bit i stands for language i.
using LanguageSet = uint8_t;
inline constexpr LanguageSet kAllLanguages = 0xFF;

constexpr LanguageSet SetOf(Language language) {
  return static_cast<LanguageSet>(1U << static_cast<unsigned>(language));
}

constexpr std::string_view CodeOf(Language language) {
  return kLanguageCodes[static_cast<size_t>(language)];
}

constexpr std::optional<Language> LanguageOf(std::string_view code) {
  for (size_t i = 0; i < kLanguageCodes.size(); ++i) {
    if (kLanguageCodes[i] == code) return static_cast<Language>(i);
  }
  return std::nullopt;
}

}  // namespace trunkline::asr
