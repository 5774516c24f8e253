#include "engine/caller_line.h"

#include <algorithm>
#include <cstdlib>

namespace trunkline::engine {
namespace {

// By which a frame may be late.
constexpr int kLateTicks = 4;
// What a line's frames may come apart from their own time without having lost any, in blocks of 10 ms.
constexpr int64_t kApart = 12;

}  // namespace

std::span<const int16_t> CallerLine::Take(std::span<const int16_t> frame, uint64_t clock,
                                          const Playout& playout) {
  const size_t block = canceller_.block();
  raw_level_ = dsp::LevelOf(frame);
  quiet_ticks_ = 0;
  frame_ticks_ = std::max(1, static_cast<int>(frame.size() / block));
  waiting_.insert(waiting_.end(), frame.begin(), frame.end());
  Align(clock);
  const size_t whole = waiting_.size() / block * block;
  clean_.assign(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(whole));
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(whole));
  far_.resize(block);
  for (size_t at = 0; at < whole; at += block) {
    const int64_t due = static_cast<int64_t>(taken_ + canceller_.ahead()) + offset_;
    playout.Due(static_cast<uint64_t>(std::max<int64_t>(due, 0)), far_);
    canceller_.Process(far_, std::span<int16_t>(clean_).subspan(at, block));
    taken_ += block;
  }
  if (whole > 0) level_ = dsp::LevelOf(clean_);
  return clean_;
}

// A line that sends all the time is its own clock, whenever its frames come; one that has paused begins anew.
void CallerLine::Align(uint64_t clock) {
  const int64_t newest = static_cast<int64_t>(taken_ + waiting_.size()) + offset_;
  const int64_t apart = static_cast<int64_t>(clock) - newest;
  if (aligned_ && std::abs(apart) <= kApart * static_cast<int64_t>(canceller_.block())) return;
  offset_ += apart;
  aligned_ = true;
}

void CallerLine::Tick(float played_dbfs) {
  // A caller whose audio has stopped coming is silent.
  if (++quiet_ticks_ > frame_ticks_ + kLateTicks) raw_level_ = level_ = dsp::kSilenceDbfs;
  heard_.Tick(played_dbfs, raw_level_);
  left_.Tick(played_dbfs, level_);
  if (left_.Likely()) canceller_.Doubt();
}

}  // namespace trunkline::engine
