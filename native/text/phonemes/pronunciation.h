// Converts normalised text to the phonemes that a voice was trained on.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "text/phonemes/pool.h"

namespace trunkline::text {

// `espeak` is the library's voice: "en-us", "en" (British), "es", "fr", "hi", "it", "pt-br",
// "de".
struct Accent {
  std::string espeak;
  bool indian = false;  // English with the consonants of India
};

// Returns false for a code without a known accent.
bool ParseAccent(std::string_view code, Accent& accent);

// The Kokoro spelling: one code point a phoneme, with punctuation and spaces; a stressed word stands between
// kStress and kStressEnd.
base::Result<std::string> KokoroPhonemes(PhonemePool& process, std::string_view text, const Accent& accent);

// The Piper spelling: plain IPA, decomposed, with punctuation and spaces. No word is stressed.
base::Result<std::string> PiperPhonemes(PhonemePool& process, std::string_view text, const Accent& accent);

// The characters of the text, for a Piper voice that was trained without phonemes; no stress.
std::string PiperCharacters(std::string_view text);

// Converts the library's answer for a Kokoro clause to Kokoro's spelling; exposed for its tests.
std::string FixForKokoro(std::string ipa, const Accent& accent);

// Protects spelled letters that the library would take for words: the article in "A B C".
std::string ProtectLetters(std::string_view text, const Accent& accent);

// Respells hums that the library would spell letter by letter, such as "mm-hmm".
std::string SpellBackchannels(std::string_view text, const Accent& accent);

}  // namespace trunkline::text
