// Finds the mark of sentences that were spoken one by one: each begins the pattern anew. Where a sound rises out of silence the
// pattern may begin, and what such beginnings say is added up.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "dsp/watermark/band_levels.h"
#include "dsp/watermark/pattern.h"
#include "dsp/watermark/detector.h"

namespace trunkline::watermark {

inline constexpr size_t kLinesWindow = 10 * kDetectionRate;

class PhraseDetector {
 public:
  explicit PhraseDetector(const WatermarkCode& code);

  // At most kLinesWindow samples. The scores are those of a window that chance lets say as much as rarely, so that the bound of
  // a WatermarkDetector's scores holds for these.
  Detection Read(std::span<const float> samples);

 private:
  // Which cells are looked at: all, or those that every code of the deployment has in common.
  enum class Cells : uint8_t { kAll, kCommon };
  using Signs = std::array<Row, kCells>;
  struct Line {
    size_t first = 0, cells = 0;  // a frame, and how far the pattern is followed from there
    bool cut = false;             // followed until a rise that begins no line
  };
  struct Found {
    double bound = 0;  // minus the logarithm of the probability with which chance gives as much
    double pitch = 1, speed = 1;
    std::vector<Line> lines;
  };
  // Of the lines from one beginning on, the most that they say together.
  struct Best {
    double value = 0;
    Line line;
    size_t next = 0;
  };

  void FindBeginnings();
  void SumCells(double speed);
  void Search(double pitch, double speed, Cells cells, Found& best);
  std::vector<Line> LikelyLines(double speed, const Signs& signs);
  void TryBeginning(size_t which, size_t first, double speed, const Signs& signs);
  Signs Folded(std::span<const Line> lines, double speed) const;
  double Bound(const Signs& folded, std::span<const Line> lines, const Signs& signs) const;
  void ReadTag(const Found& found, Detection& reading);

  const Pattern pattern_;
  Signs all_, common_;
  BandLevels levels_;
  std::vector<size_t> beginnings_;  // frames where a sound rises
  std::vector<Row> sums_;           // of each frame, of the cell that begins there
  double power_ = 1;                // of a cell, on average
  std::vector<Best> best_;
  std::vector<double> later_;  // of each beginning, the best from there or a later one on
};

}  // namespace trunkline::watermark
