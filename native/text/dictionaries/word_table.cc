#include "text/dictionaries/word_table.h"

#include <algorithm>

namespace trunkline::text {

bool WordTable::Read(base::ByteReader& reader) {
  const auto count = reader.Read<uint32_t>();
  begins_ = ReadNumbers<uint32_t>(reader, size_t{count} + 1);
  if (begins_.empty() || begins_.front() != 0) return false;
  bytes_ = std::string(base::AsText(reader.ReadBytes(begins_.back())));
  if (!reader.ok()) return false;
  for (size_t word = 0; word < count; ++word) {
    if (begins_[word] >= begins_[word + 1] || begins_[word + 1] > bytes_.size()) return false;
    if (word > 0 && (*this)[word - 1] >= (*this)[word]) return false;
  }
  return true;
}

size_t WordTable::Find(std::string_view word) const {
  size_t found = kAbsent;
  EachPrefix(word, [&](size_t known) {
    if ((*this)[known].size() == word.size()) found = known;
  });
  return found;
}

void WordTable::Narrow(size_t at, char byte, size_t& first, size_t& last) const {
  // A word that ends at `at` comes before those that go on.
  const auto next = [&](size_t word) {
    return begins_[word] + at < begins_[word + 1]
               ? static_cast<int>(static_cast<unsigned char>(bytes_[begins_[word] + at]))
               : -1;
  };
  const auto bound = [&](int wanted) {
    size_t low = first, high = last;
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (next(middle) < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  const int wanted = static_cast<unsigned char>(byte);
  const size_t begin = bound(wanted);
  last = bound(wanted + 1);
  first = begin;
}

}  // namespace trunkline::text
