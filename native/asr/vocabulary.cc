#include "asr/vocabulary.h"

#include <algorithm>
#include <cmath>

#include "asr/stable_prefix.h"
#include "text/phonemes/phonemes.h"
#include "text/unicode/unicode.h"

namespace trunkline::asr {
namespace {

// A token that begins a term is raised by kBeginBy when it is within kBeginWindow of the best; one that
// continues a term by more, and from further away.
constexpr float kBeginWindow = 3.0f, kBeginBy = 1.5f;
constexpr float kContinueWindow = 8.0f, kContinueBy = 3.5f;
// Words that the model was more sure of than this are replaced only by a term that differs in case and
// accents.
constexpr float kSureScore = -0.25f;
constexpr double kAlike = 0.8;
constexpr double kExact = 2;  // the similarity of the same letters, above any sound's
constexpr size_t kShortestKey = 3;
constexpr ptrdiff_t kMaxContext = 64;

bool IsDevanagari(std::string_view text) {
  for (const char32_t c : text::ToCodePoints(text)) {
    if (c >= 0x0900 && c <= 0x097F) return true;
  }
  return false;
}

// The punctuation after a word, which stays when the word is replaced.
std::string_view MarksAfter(std::string_view word) {
  const size_t last = word.find_last_not_of(".,;:!?\"')]");
  return last == std::string_view::npos ? word : word.substr(last + 1);
}

std::string Digits(const std::string& key) {
  std::string out;
  std::copy_if(key.begin(), key.end(), std::back_inserter(out), [](char c) { return c >= '0' && c <= '9'; });
  return out;
}

std::vector<Word> Spoken(std::span<const std::string> words) {
  std::vector<Word> spoken(words.size());
  for (size_t i = 0; i < words.size(); ++i) spoken[i].text = words[i];
  return spoken;
}

size_t CountWords(std::string_view text) {
  size_t count = 0;
  bool inside = false;
  for (const char c : text) {
    const bool letter = c != ' ';
    count += letter && !inside;
    inside = letter;
  }
  return count;
}

}  // namespace

Vocabulary::Vocabulary(std::span<const Term> terms, const text::ByteTokens& tokens, std::string_view before) {
  if (!before.empty()) before_ = tokens.Encode(" " + std::string(before));
  // Only the end of the preceding text, nearest to the speech, is used.
  if (std::ssize(before_) > kMaxContext) before_.erase(before_.begin(), before_.end() - kMaxContext);
  nodes_.emplace_back();
  for (const Term& term : terms) {
    if (term.text.empty()) continue;
    const bool devanagari = IsDevanagari(term.text);
    terms_.push_back({term.text, devanagari});
    AddTokens(tokens.Encode(" " + term.text), devanagari);
    AddSound(terms_.size() - 1, term.text);
    for (const std::string& spoken : term.sounds_like) {
      if (IsDevanagari(spoken) == devanagari) AddSound(terms_.size() - 1, spoken);
    }
  }
}

void Vocabulary::AddTokens(const std::vector<text::TokenId>& ids, bool devanagari) {
  int32_t at = 0;
  for (const text::TokenId id : ids) {
    const auto [found, is_new] =
        nodes_[static_cast<size_t>(at)].next.emplace(id, static_cast<int32_t>(nodes_.size()));
    const int32_t child = found->second;
    if (is_new) nodes_.emplace_back();
    at = child;
    Node& node = nodes_[static_cast<size_t>(at)];
    (devanagari ? node.devanagari : node.latin) = true;
  }
  nodes_[static_cast<size_t>(at)].whole = at != 0;
}

void Vocabulary::AddSound(size_t term, const std::string& spoken) {
  std::string key = text::SoundKey(spoken);
  if (key.size() < kShortestKey) return;
  const size_t words = std::max<size_t>(1, CountWords(spoken));
  longest_ = std::max(longest_, words);
  sounds_.push_back({term, words, std::move(key)});
}

void Vocabulary::RaiseChildren(const Node& node, bool devanagari, const Push& push, float best,
                               std::span<float> logits, std::vector<Lift>& lifts) const {
  for (const auto& [token, child] : node.next) {
    const Node& next = nodes_[static_cast<size_t>(child)];
    if (!(devanagari ? next.devanagari : next.latin)) continue;
    float& logit = logits[static_cast<size_t>(token)];
    const bool raised =
        std::any_of(lifts.begin(), lifts.end(), [&](const Lift& lift) { return lift.token == token; });
    if (raised || !std::isfinite(logit) || logit < best - push.window) continue;
    logit += push.by;
    lifts.push_back({token, push.by});
  }
}

void Vocabulary::Raise(const Progress& progress, Language language, std::span<float> logits,
                       std::vector<Lift>& lifts) const {
  lifts.clear();
  if (empty()) return;
  const bool devanagari = language == Language::kHi;
  const float best = *std::max_element(logits.begin(), logits.end());
  for (const int32_t node : progress.nodes) {
    RaiseChildren(nodes_[static_cast<size_t>(node)], devanagari, {kContinueWindow, kContinueBy}, best, logits,
                  lifts);
  }
  RaiseChildren(nodes_[0], devanagari, {kBeginWindow, kBeginBy}, best, logits, lifts);
}

float Vocabulary::Advance(Progress& progress, text::TokenId token, float lift) const {
  if (empty()) return 0;
  std::vector<int32_t> after;
  bool whole = false, goes_on = false;
  const auto follow = [&](int32_t node) {
    const auto& next = nodes_[static_cast<size_t>(node)].next;
    const auto found = next.find(token);
    if (found == next.end()) return false;
    after.push_back(found->second);
    whole = whole || nodes_[static_cast<size_t>(found->second)].whole;
    return true;
  };
  for (const int32_t node : progress.nodes) goes_on = follow(node) || goes_on;
  follow(0);
  progress.nodes = std::move(after);
  // A complete term keeps its bonus. A text that leaves a term early gives it back; the token that leaves it
  // may begin another.
  const float back = goes_on ? 0 : progress.lent;
  progress.lent = whole ? 0 : lift + (goes_on ? progress.lent : 0);
  return back;
}

Vocabulary::Similarity Vocabulary::Match(std::span<const Word> run, bool devanagari) const {
  const std::string spoken = TextOf(run);
  const std::string key = text::SoundKey(spoken);
  const std::string plain = text::Lower(spoken.substr(0, spoken.size() - MarksAfter(spoken).size()));
  Similarity best;
  for (const Sound& sound : sounds_) {
    if (terms_[sound.term].devanagari != devanagari) continue;
    if (plain == text::Lower(terms_[sound.term].text)) return {&sound, kExact};
    // A term may be recognized as one word more or fewer than it has.
    if (run.size() > sound.words + 1) continue;
    if (key.size() < kShortestKey || key[0] != sound.key[0] || Digits(key) != Digits(sound.key)) continue;
    const double similarity = text::SoundSimilarity(key, sound.key);
    if (similarity < kAlike || similarity <= best.similarity) continue;
    best = {&sound, similarity};
  }
  return best;
}

// Chooses the run from `at` on that sounds most like a term, so that a neighbouring word is not
// swallowed.
Vocabulary::Similarity Vocabulary::BestFrom(std::span<const Word> words, size_t at, bool devanagari) const {
  Similarity best;
  for (size_t count = 1; count <= std::min(longest_ + 1, words.size() - at); ++count) {
    Similarity found = Match(words.subspan(at, count), devanagari);
    if (found.sound == nullptr || found.similarity <= best.similarity) continue;
    found.words = count;
    best = found;
  }
  return best;
}

void Vocabulary::WriteTerms(Language language, std::span<const std::string> stable,
                            std::span<std::string> words) const {
  const size_t retained = std::min(stable.size(), words.size());
  for (size_t at = 0; at < retained; ++at) {
    if (text::Lower(words[at]) == text::Lower(stable[at])) words[at] = stable[at];
  }
  const std::vector<Word> spoken = Spoken(words);
  for (size_t at = retained; at < words.size(); ++at) {
    const Similarity found = BestFrom(spoken, at, language == Language::kHi);
    if (found.similarity < kExact) continue;
    std::vector<std::string> term = SplitWords(terms_[found.sound->term].text);
    if (term.size() != found.words) continue;
    term.back() += MarksAfter(words[at + found.words - 1]);
    std::copy(term.begin(), term.end(), words.begin() + static_cast<ptrdiff_t>(at));
    at += found.words - 1;
  }
}

size_t Vocabulary::BeforeMendable(Language language, size_t stable,
                                  std::span<const std::string> words) const {
  if (!before_.empty()) return stable;
  const std::vector<Word> spoken = Spoken(words);
  for (size_t at = stable; at < words.size(); ++at) {
    const Similarity found = BestFrom(spoken, at, language == Language::kHi);
    if (found.sound != nullptr && found.similarity < kExact) return at;
  }
  return words.size();
}

std::optional<Vocabulary::Repair> Vocabulary::FindRepair(Language language, size_t at,
                                                         std::span<const Word> words) const {
  if (sounds_.empty()) return std::nullopt;
  for (; at < words.size(); ++at) {
    const Similarity found = BestFrom(words, at, language == Language::kHi);
    if (found.sound == nullptr) continue;
    const std::span<const Word> run = words.subspan(at, found.words);
    const bool exact = found.similarity == kExact;
    const bool unsure =
        std::any_of(run.begin(), run.end(), [](const Word& w) { return w.logprob < kSureScore; });
    if (!exact && !unsure) continue;
    const std::string marks(MarksAfter(run.back().text));
    return Repair{at, found.words, terms_[found.sound->term].text + marks, exact};
  }
  return std::nullopt;
}

void Vocabulary::Apply(const Repair& repair, std::vector<Word>& words) {
  const auto first = words.begin() + static_cast<ptrdiff_t>(repair.at);
  const auto end = first + static_cast<ptrdiff_t>(repair.count);
  first->text = repair.text;
  first->end = (end - 1)->end;
  words.erase(first + 1, end);
}

}  // namespace trunkline::asr
