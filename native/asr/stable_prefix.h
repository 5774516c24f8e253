// Finds the words of a growing text that will not change any more: those on which two passes in a
// row agree, except for the last few, which change as speech continues.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace trunkline::asr {

class StablePrefix {
 public:
  // `held_back` words at the end are never stable.
  explicit StablePrefix(size_t held_back = 2) : held_back_(held_back) {}

  void Reset();
  // Takes the words of a new pass, which begins with the stable ones. Returns true when more words became stable.
  bool Pass(const std::vector<std::string>& words);
  size_t size() const { return stable_; }
  std::span<const std::string> words() const { return {last_.data(), stable_}; }

 private:
  size_t held_back_;
  size_t stable_ = 0;
  std::vector<std::string> last_;
};

std::vector<std::string> SplitWords(const std::string& text);
// Words with single spaces.
std::string TextOf(std::span<const std::string> words);

}  // namespace trunkline::asr
