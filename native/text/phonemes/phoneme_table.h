// Maps phonemes to a model's token ids.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/status.h"

namespace trunkline::text {

// Characters without an id are dropped.
class PhonemeTable {
 public:
  void Add(char32_t symbol, std::vector<int64_t> numbers) { numbers_[symbol] = std::move(numbers); }
  // `stressed` receives, for each id, whether its word is stressed.
  std::vector<int64_t> Encode(std::string_view phonemes, std::vector<bool>* stressed = nullptr) const;
  size_t size() const { return numbers_.size(); }

 private:
  std::unordered_map<char32_t, std::vector<int64_t>> numbers_;
};

// Reads only these two shapes of JSON: {"vocab": {"a": 43, …}} and {"phoneme_id_map": {"a": [14], "é": [18, 141], …}}.
base::Result<PhonemeTable> ReadPhonemeTable(std::string_view json, std::string_view member);

}  // namespace trunkline::text
