// Converts normalised text to the phonemes that a voice was trained on.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "text/dictionaries/dictionaries.h"
#include "text/phonemes/pool.h"

namespace trunkline::text {

// `espeak` is the library's voice: "en-us", "en" (British), "es", "fr", "hi", "it", "pt-br",
// "de".
enum class Dictionary { kNone, kMandarin, kJapanese };

struct Accent {
  std::string espeak;
  bool indian = false;  // English with the consonants of India
  // A language that writes no spaces: its own characters are read by a dictionary, and words in Latin letters by the library.
  Dictionary dictionary = Dictionary::kNone;
  const Mandarin* mandarin = nullptr;
  const Japanese* japanese = nullptr;
};

// Returns false for a code without a known accent.
bool ParseAccent(std::string_view code, Accent& accent);

// The text with spaces between its words where the language writes none; Japanese words in the kana with which they are said.
std::string SeparateWords(std::string_view text, const Accent& accent);

// The Kokoro spelling of a text whose words are separate: one code point a phoneme, with punctuation and spaces; a stressed word stands between
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
