// Words in the order of their UTF-8, as recipes write them: u32 count, u32 begins of count + 1 words, their bytes.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace trunkline::text {

class WordTable {
 public:
  static constexpr size_t kAbsent = std::numeric_limits<size_t>::max();

  // Returns false for words that are not in order or that end beyond their bytes.
  bool Read(base::ByteReader& reader);
  size_t size() const { return begins_.empty() ? 0 : begins_.size() - 1; }
  std::string_view operator[](size_t word) const {
    return std::string_view(bytes_).substr(begins_[word], begins_[word + 1] - begins_[word]);
  }
  // Returns the number of the word, or kAbsent.
  size_t Find(std::string_view word) const;
  // Calls `visit` with the number of each word that `text` begins with, the shortest first.
  template <typename Visit>
  void EachPrefix(std::string_view text, Visit visit) const {
    size_t first = 0, last = size();
    for (size_t length = 1; length <= text.size() && first < last; ++length) {
      Narrow(length - 1, text[length - 1], first, last);
      if (first < last && begins_[first + 1] - begins_[first] == length) visit(first);
    }
  }

 private:
  // Leaves those of the words from `first` to `last`, which share their first `at` bytes, whose next one is `byte`.
  void Narrow(size_t at, char byte, size_t& first, size_t& last) const;

  std::string bytes_;
  std::vector<uint32_t> begins_;
};

// Reads `count` numbers; an empty list where the bytes end before.
template <typename T>
std::vector<T> ReadNumbers(base::ByteReader& reader, size_t count) {
  const base::ByteView bytes =
      count > reader.remaining() ? base::ByteView() : reader.ReadBytes(count * sizeof(T));
  std::vector<T> numbers(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

}  // namespace trunkline::text
