// Normalised text to the phonemes that a voice was trained on.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "text/phonemes/pool.h"

namespace trunkline::text {

// How a clause is pronounced. `accent` is the library's voice: "en-us", "en" (British), "es", "fr", "hi",
// "it", "pt-br", "de".
struct Accent {
  std::string espeak;
  bool indian = false;  // English with the consonants of India
};

// False for a code of the catalogue that no accent is known for.
bool ParseAccent(std::string_view code, Accent& accent);

// The Kokoro spelling: one code point a phoneme, marks and spaces kept; a stressed word between kStress and kStressEnd.
base::Result<std::string> KokoroPhonemes(PhonemePool& process, std::string_view text, const Accent& accent);

// The Piper spelling: plain IPA, decomposed, marks and spaces kept. No word is stressed.
base::Result<std::string> PiperPhonemes(PhonemePool& process, std::string_view text, const Accent& accent);

// What the library says for one Kokoro clause, put into Kokoro's spelling; exposed for its tests.
std::string FixForKokoro(std::string ipa, const Accent& accent);

// Spoken letters that the library would take for words: the article in "A B C".
std::string ProtectLetters(std::string_view text, const Accent& accent);

// Hums that the library would spell letter by letter: "mm-hmm" is no M, no M and no hum.
std::string SpellHums(std::string_view text, const Accent& accent);

}  // namespace trunkline::text
