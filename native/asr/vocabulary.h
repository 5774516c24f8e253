// Vocabulary biasing by keyterms: names, products, jargon that a customer expects. They bias recognition
// twice, and never its language or script: a term of another script than the language's is left out.
//   while decoding   a token that begins or continues a term gets a bonus if it was near to being chosen; a
//                    text that leaves a term before its end loses the bonus
//   afterwards       a run of words that sounds like a term, and that the model was unsure of, becomes the
//                    term if the model finds that not much less likely
// Immutable; made once for a session or request.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "asr/language.h"
#include "asr/word_times.h"
#include "text/tokens/tokens.h"

namespace trunkline::asr {

struct Term {
  std::string text;
  std::vector<std::string> sounds_like;
};

class Vocabulary {
 public:
  Vocabulary() = default;
  // `before`: preceding words, whose style the text follows; may be empty.
  Vocabulary(std::span<const Term> terms, const text::ByteTokens& tokens, std::string_view before = {});

  std::span<const text::TokenId> before() const { return before_; }
  bool empty() const { return terms_.empty(); }

  // Terms in progress. Belongs to one text.
  struct Progress {
    std::vector<int32_t> nodes;
    float lent = 0;
  };
  struct Lift {
    text::TokenId token;
    float by;
  };
  // Adds bonuses to the logits and records them in `lifts`.
  void Raise(const Progress& progress, Language language, std::span<float> logits,
             std::vector<Lift>& lifts) const;
  // `token` was chosen with the bonus `lift`. Returns the bonuses that the text loses with a term
  // that it has left.
  float Advance(Progress& progress, text::TokenId token, float lift) const;

  struct Repair {
    size_t at = 0, count = 0;
    std::string text;    // the text to write: the term, and the marks after the words
    bool exact = false;  // the words differ from the term only in case
  };
  // Returns the first run from word `at` on that sounds like a term and that the model was unsure
  // of.
  std::optional<Repair> FindRepair(Language language, size_t at, std::span<const Word> words) const;
  // Replaces the words by the term; their times stay.
  static void Apply(const Repair& repair, std::vector<Word>& words);

  // Gives words that match a term except for case the term's spelling; stable words stay
  // unchanged. Only the case may differ from the pass.
  void WriteTerms(Language language, std::span<const std::string> stable, std::span<std::string> words) const;

  // Returns how many words, from the first `stable` on, precede any that may be repaired. With preceding text, all
  // may be repaired.
  size_t BeforeMendable(Language language, size_t stable, std::span<const std::string> words) const;

 private:
  struct Node {
    std::unordered_map<text::TokenId, int32_t> next;
    bool latin = false;
    bool devanagari = false;
    bool whole = false;
  };
  struct Sound {
    size_t term;
    size_t words;
    std::string key;
  };

  void AddTokens(const std::vector<text::TokenId>& ids, bool devanagari);
  void AddSound(size_t term, const std::string& spoken);
  struct Push {
    float window, by;
  };
  void RaiseChildren(const Node& node, bool devanagari, const Push& push, float best, std::span<float> logits,
                     std::vector<Lift>& lifts) const;
  struct Similarity {
    const Sound* sound = nullptr;
    double similarity = 0;
    size_t words = 0;
  };
  Similarity Match(std::span<const Word> run, bool devanagari) const;
  Similarity BestFrom(std::span<const Word> words, size_t at, bool devanagari) const;

  struct Entry {
    std::string text;
    bool devanagari;
  };
  std::vector<text::TokenId> before_;
  std::vector<Entry> terms_;
  std::vector<Sound> sounds_;
  std::vector<Node> nodes_;
  size_t longest_ = 0;
};

}  // namespace trunkline::asr
