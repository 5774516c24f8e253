// Japanese text to the kana with which it is said: MeCab's cheapest path through the words of Open JTalk's dictionary.
// models/recipes/japanese/build.py makes the table. Immutable, so any thread may use it.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "text/dictionaries/word_table.h"

namespace trunkline::text {

// A part of a text between kReadAs and kSaidAs is said as the kana between kSaidAs and kReadEnd are.
inline constexpr char32_t kReadAs = 0xE002, kSaidAs = 0xE003, kReadEnd = 0xE004;

class Japanese {
 public:
  static base::Result<std::shared_ptr<const Japanese>> Load(const std::string& path);
  static base::Result<std::shared_ptr<const Japanese>> Parse(base::ByteView file);

  // The text with its Japanese words in katakana as they are said, and a space between words.
  std::string SeparateWords(std::string_view text) const;

 private:
  // A word of the dictionary, or of no dictionary, in its context.
  struct Entry {
    uint16_t left = 0, right = 0;
    int16_t cost = 0;
  };
  struct Kind {
    bool always = false, runs = false;
    uint8_t length = 0;
    std::vector<Entry> entries;
  };
  struct Range {
    uint32_t first = 0, kinds = 0, usual = 0;
  };
  struct Sentence;
  struct Node;

  Japanese() = default;
  bool ReadMatrix(base::ByteReader& reader);
  bool ReadEntries(base::ByteReader& reader);
  bool ReadUnknown(base::ByteReader& reader);
  const Range& RangeOf(char32_t c) const;
  int64_t Join(uint16_t right, uint16_t left) const { return matrix_[right + size_t{lefts_} * left]; }
  std::string Reading(size_t entry) const;
  std::vector<Node> Path(const Sentence& sentence) const;
  void AddUnknown(const Sentence& sentence, size_t at, bool known, std::vector<Node>& nodes) const;
  std::string Say(const Sentence& sentence) const;

  uint16_t lefts_ = 0, rights_ = 0;
  std::vector<int16_t> matrix_;
  WordTable words_;
  std::vector<uint32_t> first_entry_;
  std::vector<uint16_t> left_, right_;
  std::vector<int16_t> cost_;
  std::vector<uint32_t> readings_;
  std::string kana_;
  WordTable together_;
  std::vector<Kind> kinds_;
  std::vector<Range> ranges_;
};

}  // namespace trunkline::text
