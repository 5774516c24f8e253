// Which texts of a window are followed, and when the search for the best is over. Knows nothing of the model:
// it is given the logits of each text and says which token each goes on with.
//
//   temperature 0   beam search: of all ways to go on, the `width` likeliest; a width of 1 is greedy
//   above           `width` texts, each drawn by chance on its own
//
// Ends as Whisper's own decoder does: once `width` texts are complete (patience 1). The best is the one whose
// tokens, its end counted, are likeliest on average.
#pragma once

#include <span>
#include <vector>

#include "asr/language.h"
#include "asr/softmax.h"
#include "asr/token_rules.h"
#include "asr/vocabulary.h"

namespace trunkline::asr {

// A text in work, without the tokens that it was given.
struct Hypothesis {
  std::vector<text::TokenId> tokens;
  std::vector<float> logprobs;  // as the model gave them; one more than tokens when the end was written
  float sum = 0;                // of them, and of what its terms were raised by
  bool looped = false;          // it went round in a circle and was cut before that
  Letter letter = Letter::kWhole;
  Vocabulary::Progress progress;

  // What texts are compared by.
  float score() const { return logprobs.empty() ? 0 : sum / static_cast<float>(logprobs.size()); }
  // How likely the model finds it.
  float mean_logprob() const;
};

class TextSearch {
 public:
  struct Terms {
    size_t width = 1;
    float temperature = 0;
    Language language = Language::kEn;
    text::TokenId end_of_text = 0;
    // Tokens after which a text ends, whatever it says.
    size_t most_tokens = 0;
    const TokenRules* rules = nullptr;
    // Null: none.
    const Vocabulary* vocabulary = nullptr;
  };

  // `given`: how the text begins; it is neither chosen nor counted. `chance` must live until the search ends.
  void Begin(const Terms& terms, std::span<const text::TokenId> given, Chance& chance);

  // How many texts are open: at first one, whose logits Advance() is given.
  size_t open() const { return open_.size(); }
  // `logits`: of each open text one after another, `vocabulary` numbers each; they are changed.
  // True when the search is over. Otherwise tokens() and parents() say how the open texts go on.
  bool Advance(std::span<float> logits);
  // The last token of each open text.
  std::span<const text::TokenId> tokens() const { return last_; }
  // Whose continuation each open text is, by its place before. One of each parent's stays in the parent's
  // place, where that still is one: so what is kept by place can be copied in any order.
  std::span<const size_t> parents() const { return parents_; }

  // Once the search is over.
  const Hypothesis& best() const { return best_; }

 private:
  struct Way {
    size_t parent;
    text::TokenId token;
    float logprob;  // as the model gave it
    float lift;     // of a term
    float sum;      // of the text with it
  };

  void Rate(size_t place, std::span<float> logits);
  void Follow(const Way& way, std::vector<Hypothesis>& next, std::vector<size_t>& parents);
  void Settle(std::vector<Hypothesis>& next, const std::vector<size_t>& parents);
  bool Conclude();
  Hypothesis Continued(const Way& way) const;

  Terms terms_;
  Chance* chance_ = nullptr;
  std::vector<text::TokenId> given_;
  bool circling_ = false;  // the likeliest way was a circle
  std::vector<Hypothesis> open_, complete_;
  std::vector<Way> ways_;
  std::vector<Vocabulary::Lift> lifts_;
  std::vector<text::TokenId> last_;
  std::vector<size_t> parents_;
  Hypothesis best_;
};

}  // namespace trunkline::asr
