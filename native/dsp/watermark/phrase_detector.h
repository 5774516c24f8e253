// Detects the watermark of phrases that were synthesized one by one, each of which restarts the pattern. The
// pattern may begin where the audio rises out of silence, and the scores of such beginnings are summed.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "dsp/watermark/band_levels.h"
#include "dsp/watermark/detector.h"
#include "dsp/watermark/pattern.h"

namespace trunkline::watermark {

inline constexpr size_t kPhraseWindow = 10 * kDetectionRate;

class PhraseDetector {
 public:
  explicit PhraseDetector(const WatermarkCode& code);

  // Takes at most kLinesWindow samples. The scores are scaled to the same false-positive bound as those of a
  // WatermarkDetector.
  Detection Read(std::span<const float> samples);

 private:
  // kCommon: the cells that all codes of the deployment share.
  enum class Cells : uint8_t { kAll, kCommon };
  using Signs = std::array<Row, kCells>;
  struct Line {
    size_t first = 0, cells = 0;  // the first frame, and the cells for which the pattern is followed
    bool truncated = false;       // followed only until a rise that begins no line
  };
  struct Found {
    double bound = 0;  // minus the logarithm of the probability of such a score by chance
    double pitch = 1, speed = 1;
    std::vector<Line> lines;
  };
  struct Best {
    double value = 0;
    Line line;
    size_t next = 0;
  };

  void FindBeginnings();
  void SumCells(double speed);
  void Search(double pitch, double speed, Cells cells, Found& best);
  std::vector<Line> LikelyPhrases(double speed, const Signs& signs);
  void TryBeginning(size_t which, size_t first, double speed, const Signs& signs);
  Signs Folded(std::span<const Line> lines, double speed) const;
  double Bound(const Signs& folded, std::span<const Line> lines, const Signs& signs) const;
  void ReadTag(const Found& found, Detection& reading);

  const Pattern pattern_;
  Signs all_, common_;
  BandLevels levels_;
  std::vector<size_t> beginnings_;  // frames where a sound rises
  std::vector<Row> sums_;
  double power_ = 1;
  std::vector<Best> best_;
  std::vector<double> later_;
};

}  // namespace trunkline::watermark
