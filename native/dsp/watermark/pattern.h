// What a mark says, and where: time and pitch are cut into cells, and each cell is made a little louder or softer. Half of
// the cells say that the sound is this deployment's, the others whose it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trunkline::watermark {

inline constexpr size_t kBands = 28;
// Cells after which the pattern begins again: 2.5 s, so that 5 s hold each cell twice.
inline constexpr size_t kCells = 156;
inline constexpr double kCellSeconds = 0.016;
// What a telephone lets through.
inline constexpr double kLowestHz = 330, kHighestHz = 3350;
inline constexpr double kBandHz = (kHighestHz - kLowestHz) / kBands;
inline constexpr size_t kTagBits = 64;

struct WatermarkCode {
  uint64_t deployment = 0;  // where the signs come from
  uint64_t tag = 0;         // whose it is
};

// 32 hexadecimal digits: the deployment's, then the tag's. False: they are not.
bool ParseWatermarkCode(std::string_view text, WatermarkCode& code);

class Pattern {
 public:
  explicit Pattern(const WatermarkCode& code);

  // Of a cell in each band: louder 1, softer -1.
  const std::array<float, kBands>& signs(size_t cell) const { return signs_[cell]; }
  // The same of the cells that every code of the deployment has in common, and 0 in the others.
  const std::array<float, kBands>& common(size_t cell) const { return common_[cell]; }
  // Of a cell that the tag decides: which bit does. Else kTagBits.
  size_t bit(size_t cell, size_t band) const { return bits_[cell][band]; }
  // The sign that a cell has where its bit is set.
  float carrier(size_t cell, size_t band) const { return carriers_[cell][band]; }

 private:
  std::array<std::array<float, kBands>, kCells> signs_, common_, carriers_;
  std::array<std::array<uint8_t, kBands>, kCells> bits_;
};

}  // namespace trunkline::watermark
