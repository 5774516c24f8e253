// Beam search and sampling over the texts of a window. It is independent of the model: it takes the logits of
// each text and chooses the tokens.
//
//   temperature 0   beam search with `width` beams; a width of 1 is greedy
//   above           `width` texts, each sampled independently
//
// It ends like Whisper's own decoder, once `width` texts are complete (patience 1). The best text has the
// highest mean log probability over its tokens, timestamps and end included.
#pragma once

#include <span>
#include <vector>

#include "asr/language.h"
#include "asr/softmax.h"
#include "asr/token_rules.h"
#include "asr/vocabulary.h"

namespace trunkline::asr {

// A text in progress; its tokens exclude the given ones.
struct Hypothesis {
  std::vector<text::TokenId> tokens;
  std::vector<float> logprobs;
  text::TokenId last = -1;  // the newest token, timestamps included
  size_t steps = 0;         // tokens chosen, timestamps and end included
  float all = 0;            // the sum of their log probabilities
  float lifts = 0;
  bool looped = false;  // it repeated itself and was cut before that
  TokenRules::Written written;
  Vocabulary::Progress progress;

  float sum() const { return all + lifts; }
  // The search compares texts by it.
  float score() const { return steps == 0 ? 0 : sum() / static_cast<float>(steps); }
  // The mean log probability by the model alone.
  float mean_logprob() const { return steps == 0 ? 0 : all / static_cast<float>(steps); }
};

class TextSearch {
 public:
  struct Terms {
    size_t width = 1;
    float temperature = 0;
    Language language = Language::kEn;
    text::TokenId end_of_text = 0;
    size_t max_tokens = 0;
    // The seconds of speech in the window.
    double seconds = 0;
    // The texts and the given tokens have timestamps.
    bool marks = false;
    const TokenRules* rules = nullptr;
    const Vocabulary* vocabulary = nullptr;
  };

  // `given`: the tokens at the beginning, timestamps included; they are neither chosen nor counted. `chance`
  // must live until the search ends.
  void Begin(const Terms& terms, std::span<const text::TokenId> given, Chance& chance);

  // Returns how many texts are open: at first one, whose logits Advance() takes.
  size_t open() const { return open_.size(); }
  // `logits` holds the logits of each open text one after another, `vocabulary` numbers each, and is
  // changed. Returns true when the search is over. Otherwise tokens() and parents() describe the open
  // texts.
  bool Advance(std::span<float> logits);
  std::span<const text::TokenId> tokens() const { return last_; }
  // The parent of each open text, by its previous place. One child of each parent stays in the parent's place
  // while that exists, so that data stored by place can be copied in any order.
  std::span<const size_t> parents() const { return parents_; }

  // Valid once the search is over.
  const Hypothesis& best() const { return best_; }

 private:
  struct Candidate {
    size_t parent;
    text::TokenId token;
    float logprob;
    float lift;
    float sum;
  };

  void Rate(size_t place, std::span<float> logits);
  void TrimLoop(Hypothesis& text) const;
  void Follow(const Candidate& candidate, std::vector<Hypothesis>& next, std::vector<size_t>& parents);
  void Settle(std::vector<Hypothesis>& next, const std::vector<size_t>& parents);
  bool Conclude();
  Hypothesis Continued(const Candidate& candidate) const;

  Terms terms_;
  Chance* chance_ = nullptr;
  std::vector<text::TokenId> given_;
  bool looping_ = false;  // the most likely candidate was a loop
  std::vector<Hypothesis> open_, complete_;
  std::vector<Candidate> candidates_;
  std::vector<Vocabulary::Lift> lifts_;
  std::vector<text::TokenId> last_;
  std::vector<size_t> parents_;
  Hypothesis best_;
};

}  // namespace trunkline::asr
