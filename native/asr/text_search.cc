#include "asr/text_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "asr/hallucination.h"

namespace trunkline::asr {
namespace {

constexpr size_t kNowhere = std::numeric_limits<size_t>::max();

bool Better(const Hypothesis& a, const Hypothesis& b) {
  return a.looped == b.looped ? a.score() > b.score() : b.looped;
}

}  // namespace

void TextSearch::Begin(const Terms& terms, std::span<const text::TokenId> given, Chance& chance) {
  terms_ = terms;
  terms_.width = std::max<size_t>(1, terms.width);
  chance_ = &chance;
  given_.assign(given.begin(), given.end());
  open_.assign(1, {});
  complete_.clear();
  looping_ = false;
  last_.clear();
  parents_.clear();
  best_ = {};
  open_[0].written = terms_.rules->Begin(terms_.marks);
  for (const text::TokenId token : given) {
    open_[0].written = terms_.rules->Next(terms_.language, open_[0].written, token);
  }
}

bool TextSearch::Advance(std::span<float> logits) {
  const size_t size = logits.size() / open_.size();
  candidates_.clear();
  for (size_t place = 0; place < open_.size(); ++place) Rate(place, logits.subspan(place * size, size));
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [](const Candidate& a, const Candidate& b) { return a.sum > b.sum; });
  std::vector<Hypothesis> next;
  std::vector<size_t> parents;
  for (const Candidate& candidate : candidates_) {
    // A continuation less likely than `width` others is dropped, ends of texts included. A sampled text has
    // one continuation, and all are followed.
    if (next.size() >= terms_.width) break;
    Follow(candidate, next, parents);
  }
  Settle(next, parents);
  return Conclude();
}

// Lists the most likely continuations of one text, or a sampled one.
void TextSearch::Rate(size_t place, std::span<float> logits) {
  const Hypothesis& text = open_[place];
  terms_.rules->Apply(logits, terms_.language, text.written);
  const float all = LogSumExp(logits);
  lifts_.clear();
  if (terms_.vocabulary != nullptr) terms_.vocabulary->Raise(text.progress, terms_.language, logits, lifts_);
  const auto add = [&](text::TokenId token) {
    const float raised = logits[static_cast<size_t>(token)] - all;
    if (!std::isfinite(raised)) return;
    const auto found =
        std::find_if(lifts_.begin(), lifts_.end(), [&](const auto& lift) { return lift.token == token; });
    const float lift = found == lifts_.end() ? 0 : found->by;
    candidates_.push_back({place, token, raised - lift, lift, text.sum() + raised});
  };
  if (terms_.temperature > 0) {
    // The first step has one text, from which all others are sampled.
    const size_t draws = text.steps == 0 ? terms_.width : 1;
    for (size_t i = 0; i < draws; ++i) add(Draw(logits, terms_.temperature, *chance_));
    return;
  }
  std::vector<text::TokenId> likeliest(terms_.width + 1);
  likeliest.resize(Likeliest(logits, likeliest));
  for (const text::TokenId token : likeliest) add(token);
}

Hypothesis TextSearch::Continued(const Candidate& candidate) const {
  Hypothesis text = open_[candidate.parent];
  text.last = candidate.token;
  ++text.steps;
  text.all += candidate.logprob;
  text.lifts += candidate.lift;
  if (terms_.vocabulary != nullptr) {
    text.lifts -= terms_.vocabulary->Advance(text.progress, candidate.token, candidate.lift);
  }
  return text;
}

void TextSearch::Follow(const Candidate& candidate, std::vector<Hypothesis>& next,
                        std::vector<size_t>& parents) {
  Hypothesis text = Continued(candidate);
  if (candidate.token == terms_.end_of_text) {
    complete_.push_back(std::move(text));
    return;
  }
  text.written = terms_.rules->Next(terms_.language, text.written, candidate.token);
  if (!terms_.rules->is_timestamp(candidate.token)) {
    text.tokens.push_back(candidate.token);
    text.logprobs.push_back(candidate.logprob);
    TrimLoop(text);
  }
  looping_ = looping_ || (text.looped && &candidate == &candidates_.front());
  if (text.looped || given_.size() + text.steps >= terms_.max_tokens) {
    complete_.push_back(std::move(text));
    return;
  }
  next.push_back(std::move(text));
  parents.push_back(candidate.parent);
}

void TextSearch::TrimLoop(Hypothesis& text) const {
  const size_t keep = TokensBeforeLoop(text.tokens, terms_.seconds);
  if (keep == text.tokens.size()) return;
  text.looped = true;
  for (size_t i = keep; i < text.logprobs.size(); ++i) text.all -= text.logprobs[i];
  text.steps -= text.tokens.size() - keep;
  text.tokens.resize(keep);
  text.logprobs.resize(keep);
}

// Assigns places: the parent's to its first child, the free ones to the others.
void TextSearch::Settle(std::vector<Hypothesis>& next, const std::vector<size_t>& parents) {
  const size_t count = next.size();
  std::vector<size_t> child_at(count, kNowhere), homeless;
  for (size_t i = 0; i < count; ++i) {
    if (parents[i] < count && child_at[parents[i]] == kNowhere) {
      child_at[parents[i]] = i;
    } else {
      homeless.push_back(i);
    }
  }
  auto other = homeless.begin();
  open_.clear();
  last_.clear();
  parents_.clear();
  for (size_t place = 0; place < count; ++place) {
    const size_t child = child_at[place] != kNowhere ? child_at[place] : *other++;
    open_.push_back(std::move(next[child]));
    last_.push_back(open_.back().last);
    parents_.push_back(parents[child]);
  }
}

bool TextSearch::Conclude() {
  const auto whole =
      std::count_if(complete_.begin(), complete_.end(), [](const auto& t) { return !t.looped; });
  const bool drawn = terms_.temperature > 0;
  if (!open_.empty() && static_cast<size_t>(whole) < terms_.width && (drawn || !looping_)) return false;
  for (Hypothesis& text : complete_) {
    if (&text == &complete_.front() || Better(text, best_)) best_ = std::move(text);
  }
  return true;
}

}  // namespace trunkline::asr
