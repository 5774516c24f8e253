#include "lanes/omni/echo_cancelled_input.h"

#include <algorithm>
#include <cstdlib>

namespace trunkline::omni {
namespace {

// A frame that is later than this makes the input silent.
constexpr int kLateTicks = 4;
// Frames may drift this far from the input's own time without loss, in blocks of 10 ms.
constexpr int64_t kApart = 12;
// Blocks of a piece; most lines send frames of this length.
constexpr size_t kPieceBlocks = 2;

}  // namespace

EchoCancelledInput::EchoCancelledInput(int rate) : rate_(rate), canceller_(rate), copy_(rate) {
  far_.reserve(canceller_.block() + 1);
}

std::span<const int16_t> EchoCancelledInput::Take(std::span<const int16_t> frame, uint64_t clock,
                                                  const Playout& playout) {
  const size_t block = canceller_.block();
  rest_.insert(rest_.end(), frame.begin(), frame.end());
  Align(clock);
  const size_t whole = rest_.size() / block * block;
  clean_.assign(rest_.begin(), rest_.begin() + static_cast<ptrdiff_t>(whole));
  rest_.erase(rest_.begin(), rest_.begin() + static_cast<ptrdiff_t>(whole));
  lateness_.Came(static_cast<int>(std::max<size_t>(1, whole / block)));
  for (size_t at = 0; at < whole; at += kPieceBlocks * block) {
    Clean(std::span<int16_t>(clean_).subspan(at, std::min(kPieceBlocks * block, whole - at)), playout);
  }
  return clean_;
}

void EchoCancelledInput::Clean(std::span<int16_t> piece, const Playout& playout) {
  const size_t block = canceller_.block();
  const float raw_dbfs = dsp::LevelOf(piece);
  for (size_t at = 0; at < piece.size(); at += block) {
    far_.resize(canceller_.wanted());
    const int64_t due = static_cast<int64_t>(taken_ + canceller_.ahead()) + offset_;
    playout.EchoDue(static_cast<uint64_t>(std::max<int64_t>(due, 0)), far_);
    canceller_.Process(far_, piece.subspan(at, block));
    taken_ += block;
    // The client's clock differs, so its samples cover slightly more or less time.
    offset_ += static_cast<int64_t>(far_.size()) - static_cast<int64_t>(block);
  }
  given_ += piece.size();
  copy_.Heard(piece);
  Note({.ticks = static_cast<int>(piece.size() / block),
        .raw_dbfs = raw_dbfs,
        .dbfs = dsp::LevelOf(piece),
        .end_s = static_cast<double>(given_) / rate_});
}

void EchoCancelledInput::Note(const Piece& piece) {
  if (count_ == kPieces) {
    waiting_ticks_ -= pieces_[first_].ticks;
    first_ = (first_ + 1) % kPieces;
    --count_;
  }
  pieces_[(first_ + count_++) % kPieces] = piece;
  waiting_ticks_ += piece.ticks;
  newest_ticks_ = piece.ticks;
}

// An input that sends all the time is its own clock; an input that has paused is aligned again.
void EchoCancelledInput::Align(uint64_t clock) {
  const int64_t newest = static_cast<int64_t>(taken_ + rest_.size()) + offset_;
  const int64_t apart = static_cast<int64_t>(clock) - newest;
  if (aligned_ && std::abs(apart) <= kApart * static_cast<int64_t>(canceller_.block())) return;
  offset_ += apart;
  aligned_ = true;
}

void EchoCancelledInput::Tick(float played_dbfs) {
  played_[++ticks_ % kPlayed] = played_dbfs;
  stepped_ = false;
  lateness_.Tick();
}

bool EchoCancelledInput::Step(double until_s) {
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
    if (stepped_ || (lateness_.came() && late_ticks() <= kLateTicks)) return false;
    level_ = dsp::kSilenceDbfs;
  }
  stepped_ = true;
  now_ms_ += 10;
  const float played = Played();
  heard_.Tick(played, raw_dbfs);
  left_.Tick(played, level_);
  if (left_.Likely()) canceller_.MarkUnreliable();
  return true;
}

bool EchoCancelledInput::Compare(const Playout& playout) {
  const auto found = copy_.Find(static_cast<int64_t>(taken_) + offset_, playout);
  if (!found.again) return false;
  if (found.first) canceller_.Readapt();
  heard_.Found(found.db);
  return true;
}

// Returns the agent's level at the moment that the input has reached; earlier pieces of a burst were earlier.
float EchoCancelledInput::Played() const {
  const auto ago = static_cast<uint64_t>(std::max(0, waiting_ticks_ - newest_ticks_ + 1));
  return ago < std::min(kPlayed, ticks_) ? played_[(ticks_ - ago) % kPlayed] : dsp::kSilenceDbfs;
}

}  // namespace trunkline::omni
