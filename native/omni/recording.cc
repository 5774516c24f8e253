#include "omni/recording.h"

#include <algorithm>
#include <utility>

namespace trunkline::omni {
namespace {

constexpr size_t kRingS = 4;
// A caller's frames may come so late and still have their place: as far behind the clock is what is written.
constexpr double kLateS = 0.2;
// A line whose frames come apart from their own time by more has paused, or lost some.
constexpr double kApartS = 0.12;
constexpr double kBlockS = 0.5;
constexpr int64_t kWriteWithin = 1000 * base::kNanosPerMilli;

size_t SamplesOf(double seconds, size_t rate) {
  return static_cast<size_t>(seconds * static_cast<double>(rate));
}

}  // namespace

Recording::Recording(std::string path, int rate)
    : rate_(static_cast<size_t>(rate)),
      file_(std::move(path), rate),
      caller_(kRingS * rate_),
      agent_(SamplesOf(kBlockS, rate_)) {
  came_.reserve(kRingS * rate_);
  for (Block& block : blocks_) block.samples.resize(2 * SamplesOf(kBlockS, rate_));
}

void Recording::Record(uint64_t clock) {
  if (!begun_) {
    begun_ = true;
    taken_ = clock;
    paused_from_ = paused_to_ = clock;
  } else if (paused_) {
    paused_to_ = clock;
  }
  paused_ = false;
}

// What was not taken of an earlier pause is left: the pauses are one, which is longer and keeps more silent.
void Recording::Pause(uint64_t clock) {
  if (!begun_ || paused_) return;
  paused_ = true;
  if (paused_to_ <= taken_) paused_from_ = clock;
  paused_to_ = UINT64_MAX;
}

void Recording::Caller(std::span<const int16_t> samples) {
  const size_t room = caller_.size() / 2 - std::min(caller_.size() / 2, came_.size());
  samples = samples.last(std::min(samples.size(), room));
  came_.insert(came_.end(), samples.begin(), samples.end());
}

// A line that sends all the time is its own clock; one that has paused begins anew, where the clock is.
void Recording::PlaceCaller(uint64_t clock) {
  if (came_.empty()) return;
  const uint64_t apart = SamplesOf(kApartS, rate_);
  size_t count = came_.size();
  uint64_t start = caller_to_;
  if (!heard_ || start + count + apart < clock)
    start = std::max<uint64_t>(start, clock - std::min(clock, uint64_t{count}));
  if (start + count > clock + apart)
    count = static_cast<size_t>(clock + apart - std::min(clock + apart, start));
  const uint64_t oldest = start - std::min<uint64_t>(start, caller_.size());
  for (uint64_t at = std::max(caller_to_, oldest); at < start; ++at) caller_[at % caller_.size()] = 0;
  for (size_t i = 0; i < count; ++i) caller_[(start + i) % caller_.size()] = came_[i];
  caller_to_ = std::max(caller_to_, start + count);
  heard_ = true;
  came_.clear();
}

void Recording::Tick(engine::LaneIo& io, uint64_t clock, const Playout& playout) {
  now_ = clock;
  PlaceCaller(clock);
  if (!begun_ || failed_) return;
  const uint64_t late = SamplesOf(kLateS, rate_);
  if (clock > late) Take(clock - late, playout);
  if (full_ > 0 && !writing_) writing_ = io.Submit(task_, engine::Priority::kAudio, io.now() + kWriteWithin);
}

void Recording::Take(uint64_t until, const Playout& playout) {
  while (taken_ < until && full_ < kBlocks) {
    Block& block = blocks_[(first_ + full_) % kBlocks];
    const auto count =
        static_cast<size_t>(std::min<uint64_t>(until - taken_, (block.samples.size() - block.used) / 2));
    const std::span<int16_t> agent(agent_.data(), count);
    playout.Due(taken_, agent);
    for (size_t i = 0; i < count; ++i) {
      const uint64_t at = taken_ + i;
      const bool known = at < caller_to_ && at + caller_.size() >= caller_to_ && !SilentAt(at);
      block.samples[block.used++] = known ? caller_[at % caller_.size()] : int16_t{0};
      block.samples[block.used++] = SilentAt(at) ? int16_t{0} : agent[i];
    }
    taken_ += count;
    if (block.used == block.samples.size()) ++full_;
  }
}

engine::Task::Step Recording::WriteTask::Run() {
  recording_.WriteOldest();
  return Step::kDone;
}

// The oldest block is the writer's until Done; media ticks fill others meanwhile.
void Recording::WriteOldest() {
  if (failed_) return;
  const Block& block = blocks_[first_];
  const base::Status status = file_.Append({block.samples.data(), block.used});
  if (status.ok()) return;
  failure_ = status.message();
}

void Recording::WriteTask::Done(engine::LaneIo&) {
  Recording& recording = recording_;
  recording.writing_ = false;
  recording.failed_ = !recording.failure_.empty();
  recording.blocks_[recording.first_].used = 0;
  recording.first_ = (recording.first_ + 1) % kBlocks;
  --recording.full_;
}

std::optional<std::string> Recording::TakeFailure() {
  if (!failed_ || told_) return std::nullopt;
  told_ = true;
  return failure_;
}

void Recording::Close(const Playout& playout) {
  if (!begun_) return;
  PlaceCaller(now_);
  while (!failed_ && (full_ > 0 || taken_ < now_)) {
    Take(now_, playout);
    WriteOldest();
    failed_ = !failure_.empty();
    blocks_[first_].used = 0;
    first_ = (first_ + 1) % kBlocks;
    if (full_ > 0) --full_;
  }
  // Of a call that has just begun the block is not full.
  if (!failed_ && blocks_[first_].used > 0) WriteOldest();
}

}  // namespace trunkline::omni
