#include "asr/stable_prefix.h"

#include <algorithm>
#include <sstream>

namespace trunkline::asr {

void StablePrefix::Reset() {
  stable_ = 0;
  last_.clear();
}

bool StablePrefix::Pass(const std::vector<std::string>& words) {
  const auto [mine, theirs] = std::mismatch(last_.begin(), last_.end(), words.begin(), words.end());
  const auto agreed = static_cast<size_t>(mine - last_.begin());
  const size_t shorter = std::min(last_.size(), words.size());
  const size_t most = shorter > held_back_ ? shorter - held_back_ : 0;
  // Stable words stay, whatever a later pass contains.
  if (stable_ > 0 && agreed < stable_) return false;
  last_ = words;
  const size_t before = stable_;
  stable_ = std::max(stable_, std::min(agreed, most));
  return stable_ > before;
}

std::string TextOf(std::span<const std::string> words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) out += (i > 0 ? " " : "") + words[i];
  return out;
}

std::vector<std::string> SplitWords(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace trunkline::asr
