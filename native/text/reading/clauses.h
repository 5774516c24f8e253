#pragma once

// Splits normalised text into the pieces that are synthesized one after another. A piece ends where a speaker
// may breathe: at the end of a sentence, else at a comma, else before a joining word, else between words. The
// first piece is short, so that first audio comes soon; the others are as long as the voice reads well.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::text {

enum class ClauseEnd { kSentence, kPause, kJoin };

struct Clause {
  std::string text;  // includes its closing mark
  ClauseEnd end = ClauseEnd::kSentence;
};

// The limits count code points of the text.
struct ClauseLimits {
  size_t first = 60;  // the first piece ends at the first pause after `least`, at the latest here
  size_t most = 220;  // every other piece
  size_t least = 12;  // shorter pieces are joined to the next: "Yes, I do." is one breath
};

std::vector<Clause> SplitClauses(std::string_view normalized, const ClauseLimits& limits);

}  // namespace trunkline::text
