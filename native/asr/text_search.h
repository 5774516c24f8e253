// Which texts of a window are followed, and when the search for the best is over. Knows nothing of the model:
// it is given the logits of each text and says which token each goes on with.
//
//   temperature 0   beam search: of all ways to go on, the `width` likeliest; a width of 1 is greedy
//   above           `width` texts, each drawn by chance on its own
//
// Ends as Whisper's own decoder does: once `width` texts are complete (patience 1). The best is the one whose
// tokens, its marks of time and its end counted, are likeliest on average.
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
  std::vector<text::TokenId> tokens;  // of its words: marks of time are not kept
  std::vector<float> logprobs;        // of these, as the model gave them
  text::TokenId last = -1;            // the newest token, a mark of time or not
  size_t steps = 0;                   // tokens written, marks and end counted
  float all = 0;                      // the logarithms of these
  float lifts = 0;                    // what its terms were raised by
  bool looped = false;                // it went round in a circle and was cut before that
  TokenRules::Written written;
  Vocabulary::Progress progress;

  float sum() const { return all + lifts; }
  // What texts are compared by.
  float score() const { return steps == 0 ? 0 : sum() / static_cast<float>(steps); }
  // How likely the model finds it.
  float mean_logprob() const { return steps == 0 ? 0 : all / static_cast<float>(steps); }
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
    // Of speech, for which the text is.
    double seconds = 0;
    // The texts have marks of time, and so does what is given.
    bool marks = false;
    const TokenRules* rules = nullptr;
    // Null: none.
    const Vocabulary* vocabulary = nullptr;
  };

  // `given`: how the text begins, marks of time and all; it is neither chosen nor counted. `chance` must live
  // until the search ends.
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
  void CutLoop(Hypothesis& text) const;
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
