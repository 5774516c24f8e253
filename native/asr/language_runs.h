// Who changes the language within a window, and where. A phrase counts for as much as was heard of it, and a
// change has to be worth what it costs: a name or a "Hello?" is in the language of what is said around it.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "asr/language.h"

namespace trunkline::asr {

// The probability of each language.
using LanguageOdds = std::array<float, kLanguageCodes.size()>;

struct PhraseOdds {
  double seconds = 0;
  // Absent where too little was said to ask.
  std::optional<LanguageOdds> odds;

  // Long enough, and its language beyond doubt.
  bool IsClearly(Language language) const;
};

// The language of each phrase. A language other than `known` needs a phrase that is clearly in it.
// `expected`: what was spoken before the first.
std::vector<Language> LanguagesOf(std::span<const PhraseOdds> phrases, Language known,
                                  std::optional<Language> expected);
// The language of a window as a whole.
Language LanguageOf(const PhraseOdds& whole, std::optional<Language> expected);

}  // namespace trunkline::asr
