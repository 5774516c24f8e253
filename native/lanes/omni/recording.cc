#include "lanes/omni/recording.h"

#include <algorithm>
#include <utility>

namespace trunkline::omni {
namespace {

// The writer stays this far behind the clock, so that late frames still find their place.
constexpr double kLateS = 0.2;
constexpr double kBlockS = 0.5;
constexpr int64_t kWriteWithin = 1000 * base::kNanosPerMilli;

size_t SamplesOf(double seconds, size_t rate) {
  return static_cast<size_t>(seconds * static_cast<double>(rate));
}

}  // namespace

Recording::Recording(std::string path, int rate, std::unique_ptr<enhance::Denoiser> denoiser)
    : rate_(static_cast<size_t>(rate)),
      file_(std::move(path), rate),
      denoiser_(std::move(denoiser)),
      caller_(rate_),
      agent_(SamplesOf(kBlockS, rate_)) {
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

// The rest of an earlier pause joins this one and stays silent.
void Recording::Pause(uint64_t clock) {
  if (!begun_ || paused_) return;
  paused_ = true;
  if (paused_to_ <= taken_) paused_from_ = clock;
  paused_to_ = UINT64_MAX;
}

void Recording::Tick(engine::LaneIo& io, uint64_t clock, const Playout& playout) {
  now_ = clock;
  caller_.Place(clock);
  if (!begun_ || failed_) return;
  const uint64_t late = SamplesOf(kLateS, rate_);
  if (clock > late) Take(clock - late, playout);
  if (full_ > 0 && !writing_) Submit(io);
}

void Recording::Submit(engine::LaneIo& io) {
  writing_ = io.Submit(task_, engine::Priority::kAudio, io.now() + kWriteWithin);
}

bool Recording::Finish(engine::LaneIo& io, const Playout& playout) {
  if (!begun_ || failed_ || finished_) return true;
  if (writing_) return false;
  Take(now_, playout);
  const bool is_taken = taken_ >= now_;
  // The newest block ends the recording, however much it holds.
  if (is_taken && full_ < kBlocks && blocks_[(first_ + full_) % kBlocks].used > 0) ++full_;
  is_last_ = is_taken && full_ <= 1;
  Submit(io);
  return !writing_;
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
      const bool silent = SilentAt(at);
      block.samples[block.used++] = silent ? int16_t{0} : caller_.At(at);
      block.samples[block.used++] = silent ? int16_t{0} : agent[i];
    }
    taken_ += count;
    if (block.used == block.samples.size()) ++full_;
  }
}

engine::Task::Step Recording::WriteTask::Run() {
  recording_.WriteOldest();
  return Step::kDone;
}

// The pool owns the oldest block until Done; media ticks fill the others meanwhile.
void Recording::WriteOldest() {
  if (failed_) return;
  const Block& block = blocks_[first_];
  std::span<const int16_t> samples(block.samples.data(), block.used);
  if (denoiser_) {
    Denoise(samples, is_last_);
    samples = joined_;
  }
  if (!samples.empty()) Append(samples);
}

void Recording::Denoise(std::span<const int16_t> block, bool is_last) {
  noisy_.clear();
  for (size_t i = 0; i < block.size(); i += 2) {
    noisy_.push_back(block[i]);
    beside_.push_back(block[i + 1]);
  }
  denoiser_->Process(noisy_, clean_);
  if (is_last) denoiser_->Flush(clean_);
  joined_.clear();
  for (size_t i = 0; i < clean_.size(); ++i) {
    joined_.push_back(clean_[i]);
    joined_.push_back(beside_[i]);
  }
  beside_.erase(beside_.begin(), beside_.begin() + static_cast<ptrdiff_t>(clean_.size()));
  clean_.clear();
}

void Recording::Append(std::span<const int16_t> samples) {
  const base::Status status = file_.Append(samples);
  if (!status.ok()) failure_ = status.message();
}

void Recording::WriteTask::Done(engine::LaneIo&) {
  Recording& recording = recording_;
  recording.writing_ = false;
  recording.failed_ = !recording.failure_.empty();
  recording.blocks_[recording.first_].used = 0;
  recording.first_ = (recording.first_ + 1) % kBlocks;
  if (recording.full_ > 0) --recording.full_;
  recording.finished_ = recording.is_last_;
}

std::optional<std::string> Recording::TakeFailure() {
  if (!failed_ || reported_) return std::nullopt;
  reported_ = true;
  return failure_;
}

void Recording::Close(const Playout& playout) {
  if (!begun_ || finished_) return;
  caller_.Place(now_);
  if (denoiser_ && !failed_) {
    // This is what the denoiser holds of the blocks before; the others pass as they came.
    Denoise({}, true);
    if (!joined_.empty()) Append(joined_);
    failed_ = !failure_.empty();
    denoiser_.reset();
  }
  while (!failed_ && (full_ > 0 || taken_ < now_)) {
    Take(now_, playout);
    WriteOldest();
    failed_ = !failure_.empty();
    blocks_[first_].used = 0;
    first_ = (first_ + 1) % kBlocks;
    if (full_ > 0) --full_;
  }
  // The block of a call that has just begun is not full.
  if (!failed_ && blocks_[first_].used > 0) WriteOldest();
}

}  // namespace trunkline::omni
