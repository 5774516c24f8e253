// Chinese text to the phonemes with which Kokoro learnt it: jieba's division into words, pypinyin's readings of each, and
// misaki's spelling of them. models/recipes/mandarin/build.py makes the table. Immutable, so any thread may use it.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "text/dictionaries/word_table.h"

namespace trunkline::text {

bool IsChinese(char32_t c);

class Mandarin {
 public:
  static base::Result<std::shared_ptr<const Mandarin>> Load(const std::string& path);
  static base::Result<std::shared_ptr<const Mandarin>> Parse(base::ByteView file);

  // The text with a space between its words, and between Chinese characters and others.
  std::string SeparateWords(std::string_view text) const;
  // The phonemes of one word of Chinese characters; characters without a reading are silent.
  std::string Pronounce(std::string_view word) const;

 private:
  enum State : uint8_t { kBegin, kEnd, kMiddle, kSingle };
  static constexpr size_t kStates = 4;
  // A run of Chinese characters, and the byte at which each begins.
  struct Run {
    std::string_view text;
    std::vector<size_t> begins;
    size_t size() const { return begins.size() - 1; }
    std::string_view Part(size_t from, size_t to) const {
      return text.substr(begins[from], begins[to] - begins[from]);
    }
  };

  Mandarin() = default;
  bool ReadSyllables(base::ByteReader& reader);
  bool ReadCharacters(base::ByteReader& reader);
  bool ReadWords(base::ByteReader& reader);
  bool ReadPhrases(base::ByteReader& reader);
  bool ReadModel(base::ByteReader& reader);
  // Returns the ends of the words.
  std::vector<size_t> Divide(const Run& run) const;
  void DivideUnknown(const Run& run, size_t from, size_t to, std::vector<size_t>& ends) const;
  double Emission(char32_t c, State state) const;

  std::vector<std::string> syllables_;  // their phonemes
  std::vector<uint32_t> characters_;
  std::vector<uint16_t> of_character_;
  WordTable words_;
  std::vector<uint32_t> frequencies_;
  double log_total_ = 0;
  WordTable phrases_;
  std::vector<uint32_t> readings_;  // the begin of each phrase's in of_phrases_, and their end
  std::vector<uint16_t> of_phrases_;
  std::array<double, kStates> start_{};
  std::array<std::array<double, kStates>, kStates> steps_{};
  std::vector<uint32_t> modelled_;
  std::vector<double> emissions_;
};

}  // namespace trunkline::text
