// The numbers by which a model knows phonemes.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"

namespace trunkline::text {

// A phoneme's number in the model. Characters without one are dropped.
class PhonemeTable {
 public:
  void Add(char32_t symbol, int64_t number) { numbers_[symbol] = number; }
  // `stressed`: of each, whether its word is.
  std::vector<int64_t> Encode(std::string_view phonemes, std::vector<bool>* stressed = nullptr) const;
  size_t size() const { return numbers_.size(); }

 private:
  std::unordered_map<char32_t, int64_t> numbers_;
};

// {"vocab": {"a": 43, …}} or {"phoneme_id_map": {"a": [14], …}}: only these two shapes of JSON are read.
base::Result<PhonemeTable> ReadPhonemeTable(std::string_view json, std::string_view member);

}  // namespace trunkline::text
