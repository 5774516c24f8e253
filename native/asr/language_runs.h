// Finds changes of language within a window. A phrase counts by its length, and a change has a
// cost, so that a name or a "Hello?" takes the language of the phrases around it.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "asr/language.h"

namespace trunkline::asr {

using LanguageOdds = std::array<float, kLanguageCodes.size()>;

// The odds among the languages of a set, which sum to 1 again.
LanguageOdds Among(const LanguageOdds& odds, LanguageSet languages);

struct PhraseOdds {
  double seconds = 0;
  // A phrase with too little speech to identify has none.
  std::optional<LanguageOdds> odds;

  // Returns whether the phrase is long enough and its language certain.
  bool IsClearly(Language language) const;
};

// The language of each phrase. A language other than `known` needs a phrase that is clearly in it.
// `expected`: the language before the first.
std::vector<Language> LanguagesOf(std::span<const PhraseOdds> phrases, Language known,
                                  std::optional<Language> expected);
Language LanguageOf(const PhraseOdds& whole, std::optional<Language> expected);

}  // namespace trunkline::asr
