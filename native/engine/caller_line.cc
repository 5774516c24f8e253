#include "engine/caller_line.h"

#include <algorithm>
#include <cstdlib>

namespace trunkline::engine {
namespace {

// By which a frame may be late before the line is silent.
constexpr int kLateTicks = 4;
// What a line's frames may come apart from their own time without having lost any, in blocks of 10 ms.
constexpr int64_t kApart = 12;
// Blocks of a piece: as long as the frames of most lines.
constexpr size_t kPieceBlocks = 2;
// A network that has held frames up does so again within this, or is as it was before.
constexpr int kWatchTicks = 150;
// An echo of which nothing is known: how much is looked at and how late it may come, at the rate at which it
// is looked at.
constexpr int kCopyRate = 8000;
constexpr size_t kCopied = kCopyRate * 24 / 100, kLatest = kCopyRate * 45 / 100;
// It is one where so much of what is heard is a copy, twice at the same delay.
constexpr float kCopy = 0.55f;
constexpr size_t kSameDelay = 2;

// At a lower rate: the mean of so many samples.
void Thin(std::span<const int16_t> from, std::span<int16_t> to) {
  const size_t of = from.size() / to.size();
  for (size_t i = 0; i < to.size(); ++i) {
    int sum = 0;
    for (size_t k = 0; k < of; ++k) sum += from[i * of + k];
    to[i] = static_cast<int16_t>(sum / static_cast<int>(of));
  }
}

}  // namespace

CallerLine::CallerLine(int rate)
    : rate_(rate),
      canceller_(rate),
      copy_(kCopied, kLatest),
      recent_(kCopied * static_cast<size_t>(rate / kCopyRate)),
      heard_then_(kCopied),
      played_then_(kCopied + kLatest) {
  far_.reserve((kCopied + kLatest) * static_cast<size_t>(rate / kCopyRate));
}

std::span<const int16_t> CallerLine::Take(std::span<const int16_t> frame, uint64_t clock,
                                          const Playout& playout) {
  const size_t block = canceller_.block();
  rest_.insert(rest_.end(), frame.begin(), frame.end());
  Align(clock);
  const size_t whole = rest_.size() / block * block;
  clean_.assign(rest_.begin(), rest_.begin() + static_cast<ptrdiff_t>(whole));
  rest_.erase(rest_.begin(), rest_.begin() + static_cast<ptrdiff_t>(whole));
  covered_ticks_ = std::max(covered_ticks_, 0) + static_cast<int>(std::max<size_t>(1, whole / block));
  came_ = true;
  for (size_t at = 0; at < whole; at += kPieceBlocks * block) {
    Clean(std::span<int16_t>(clean_).subspan(at, std::min(kPieceBlocks * block, whole - at)), playout);
  }
  return clean_;
}

void CallerLine::Clean(std::span<int16_t> piece, const Playout& playout) {
  const size_t block = canceller_.block();
  const float raw_dbfs = dsp::LevelOf(piece);
  far_.resize(block);
  for (size_t at = 0; at < piece.size(); at += block) {
    const int64_t due = static_cast<int64_t>(taken_ + canceller_.ahead()) + offset_;
    playout.Due(static_cast<uint64_t>(std::max<int64_t>(due, 0)), far_);
    canceller_.Process(far_, piece.subspan(at, block));
    taken_ += block;
  }
  given_ += piece.size();
  std::copy(recent_.begin() + static_cast<ptrdiff_t>(piece.size()), recent_.end(), recent_.begin());
  std::copy(piece.begin(), piece.end(), recent_.end() - static_cast<ptrdiff_t>(piece.size()));
  Note({.ticks = static_cast<int>(piece.size() / block),
        .raw_dbfs = raw_dbfs,
        .dbfs = dsp::LevelOf(piece),
        .end_s = static_cast<double>(given_) / rate_});
}

// Of more than there is room for the oldest is left out.
void CallerLine::Note(const Piece& piece) {
  if (count_ == kPieces) {
    waiting_ticks_ -= pieces_[first_].ticks;
    first_ = (first_ + 1) % kPieces;
    --count_;
  }
  pieces_[(first_ + count_++) % kPieces] = piece;
  waiting_ticks_ += piece.ticks;
  newest_ticks_ = piece.ticks;
}

// A line that sends all the time is its own clock, whenever its frames come; one that has paused begins anew.
void CallerLine::Align(uint64_t clock) {
  const int64_t newest = static_cast<int64_t>(taken_ + rest_.size()) + offset_;
  const int64_t apart = static_cast<int64_t>(clock) - newest;
  if (aligned_ && std::abs(apart) <= kApart * static_cast<int64_t>(canceller_.block())) return;
  offset_ += apart;
  aligned_ = true;
}

void CallerLine::Tick(float played_dbfs) {
  played_[++ticks_ % kPlayed] = played_dbfs;
  stepped_ = false;
  if (!came_) return;
  --covered_ticks_;
  least_covered_ = std::min(least_covered_, covered_ticks_);
  if (++watched_ticks_ < kWatchTicks) return;
  covered_ticks_ -= std::max(least_covered_, 0);
  least_covered_ = covered_ticks_;
  watched_ticks_ = 0;
}

bool CallerLine::Step(double until_s) {
  float raw_dbfs = dsp::kSilenceDbfs;
  if (count_ > 0) {
    Piece& piece = pieces_[first_];
    if (piece.end_s > until_s) return false;
    raw_dbfs = piece.raw_dbfs;
    level_ = piece.dbfs;
    reached_s_ = piece.end_s;
    --waiting_ticks_;
    if (--piece.ticks == 0) {
      first_ = (first_ + 1) % kPieces;
      --count_;
    }
  } else {
    // A caller whose audio has stopped coming is silent.
    if (stepped_ || (came_ && late_ticks() <= kLateTicks)) return false;
    level_ = dsp::kSilenceDbfs;
  }
  stepped_ = true;
  now_ms_ += 10;
  const float played = Played();
  heard_.Tick(played, raw_dbfs);
  left_.Tick(played, level_);
  if (left_.Likely()) canceller_.Doubt();
  return true;
}

bool CallerLine::Compare(const Playout& playout) {
  const size_t thin = recent_.size() / kCopied;
  far_.resize(played_then_.size() * thin);
  const int64_t first = static_cast<int64_t>(taken_) + offset_ - static_cast<int64_t>(far_.size());
  playout.Due(static_cast<uint64_t>(std::max<int64_t>(first, 0)), far_);
  Thin(recent_, heard_then_);
  Thin(far_, played_then_);
  const auto found = copy_.Look(heard_then_, played_then_);
  const bool alike = found.share >= kCopy;
  const bool again =
      alike && delay_ && std::max(*delay_, found.delay) - std::min(*delay_, found.delay) <= kSameDelay;
  delay_ = alike ? std::optional(found.delay) : std::nullopt;
  if (!again) return false;
  if (!copied_) canceller_.LearnAnew();
  copied_ = true;
  heard_.Found(found.db);
  return true;
}

void CallerLine::ForgetCompared() {
  delay_.reset();
  copied_ = false;
}

// Of the moment that the line has come to: the newest frame is heard now, what came with it was before.
float CallerLine::Played() const {
  const auto ago = static_cast<uint64_t>(std::max(0, waiting_ticks_ - newest_ticks_ + 1));
  return ago < std::min(kPlayed, ticks_) ? played_[(ticks_ - ago) % kPlayed] : dsp::kSilenceDbfs;
}

}  // namespace trunkline::engine
