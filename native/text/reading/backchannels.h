// Backchannels: words by which a listener signals attention ("mhm", "right") without taking the turn.
#pragma once

#include <cstddef>
#include <string_view>

namespace trunkline::text {

enum class Utterance { kNothing, kBackchannel, kTurn };

// `language` is a code of two letters; for an unknown one only the wordless backchannels count. Text in
// brackets or between asterisks describes a sound and is ignored. Realtime: no allocation after the first
// call.
Utterance ClassifyUtterance(std::string_view text, std::string_view language);

// Classifies the first moments of an utterance, as a quick recognizer transcribes them: with too little
// audio it repeats itself, so repeats do not count.
Utterance ClassifyUtteranceStart(std::string_view text, std::string_view language);
size_t DistinctWords(std::string_view text);

// Returns whether a recognizer that writes this first piece of a word may be about to write a backchannel. Words that
// open statements as often ("I", "so") do not count.
bool OpensListening(std::string_view piece, std::string_view language);

}  // namespace trunkline::text
