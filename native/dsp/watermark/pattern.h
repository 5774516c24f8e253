// The watermark's pattern: time and frequency are divided into cells, and each cell is made a little louder
// or softer. Half of the cells identify the deployment, the others carry the tag.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trunkline::watermark {

inline constexpr size_t kBands = 28;
// The period of the pattern in cells: 2.5 s, so that 5 s hold each cell twice.
inline constexpr size_t kCells = 156;
inline constexpr double kCellSeconds = 0.016;
// The telephone band.
inline constexpr double kLowestHz = 330, kHighestHz = 3350;
inline constexpr double kBandHz = (kHighestHz - kLowestHz) / kBands;
inline constexpr size_t kTagBits = 64;

struct WatermarkCode {
  uint64_t deployment = 0;
  uint64_t tag = 0;
};

// Parses 32 hexadecimal digits: the deployment's, then the tag's. Returns false for anything else.
bool ParseWatermarkCode(std::string_view text, WatermarkCode& code);

class Pattern {
 public:
  explicit Pattern(const WatermarkCode& code);

  // The signs of a cell's bands: 1 louder, -1 softer.
  const std::array<float, kBands>& signs(size_t cell) const { return signs_[cell]; }
  // The same for the cells that all codes of the deployment share, and 0 in the others.
  const std::array<float, kBands>& common(size_t cell) const { return common_[cell]; }
  // The tag bit that decides a cell, or kTagBits.
  size_t bit(size_t cell, size_t band) const { return bits_[cell][band]; }
  // The sign of a cell whose bit is set.
  float carrier(size_t cell, size_t band) const { return carriers_[cell][band]; }

 private:
  std::array<std::array<float, kBands>, kCells> signs_, common_, carriers_;
  std::array<std::array<uint8_t, kBands>, kCells> bits_;
};

}  // namespace trunkline::watermark
