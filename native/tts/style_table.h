// Kokoro's voices: one row of 256 numbers for each length of a clause in phonemes.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "tts/voice.h"

namespace trunkline::tts {

inline constexpr size_t kStyleWidth = 256;
inline constexpr size_t kStyleRows = 510;

class StyleTable {
 public:
  // `numbers`: kStyleRows x kStyleWidth.
  explicit StyleTable(std::vector<float> numbers) : numbers_(std::move(numbers)) {}
  std::span<const float> row(size_t phonemes) const {
    const size_t index = phonemes < kStyleRows ? phonemes : kStyleRows - 1;
    return std::span(numbers_).subspan(index * kStyleWidth, kStyleWidth);
  }

 private:
  std::vector<float> numbers_;
};

// Reads tables from a folder on first use. Thread-safe.
class StyleFolder {
 public:
  explicit StyleFolder(std::string folder) : folder_(std::move(folder)) {}
  // One table, or the blend of several. kNotFound for a name without a file.
  base::Result<std::shared_ptr<const StyleTable>> Get(const std::vector<StylePart>& parts);

 private:
  base::Result<std::vector<float>> Read(const std::string& name) const;

  const std::string folder_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const StyleTable>> tables_;
};

// Equal blends have equal keys.
std::string StyleKey(const std::vector<StylePart>& parts);

}  // namespace trunkline::tts
