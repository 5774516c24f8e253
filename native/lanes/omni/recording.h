// The recording of a call: the caller on the left, and on the right the agent as the caller's loudspeaker
// played it, both by the media clock, so that a moment of the transcript is a sample of the file.
//
// A pool thread writes blocks of half a second, and takes the noise out of the caller's side where a denoiser is given. Finish
// has it write the rest of a lane that is closed; Close writes that of a lane that is dropped, with its noise. Media thread
// unless noted; no allocation after construction.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "enhance/enhance.h"
#include "lanes/omni/caller_track.h"
#include "lanes/omni/playout.h"
#include "lanes/omni/recording_file.h"

namespace trunkline::omni {

class Recording {
 public:
  // `denoiser` may be null.
  Recording(std::string path, int rate, std::unique_ptr<enhance::Denoiser> denoiser);

  // Records from this moment of the clock on; the first call is where the file begins. Pauses are silent.
  void Record(uint64_t clock);
  void Pause(uint64_t clock);
  bool begun() const { return begun_; }

  void Caller(std::span<const int16_t> samples) { caller_.Add(samples); }
  // Called once a tick, after the frames of this tick came and were sent.
  void Tick(engine::LaneIo& io, uint64_t clock, const Playout& playout);
  // Returns, once, why the file could not be written.
  std::optional<std::string> TakeFailure();

  // Called once a tick, instead of Tick, until it returns true: the file is written, or cannot be. The recording ends with
  // the last Tick.
  bool Finish(engine::LaneIo& io, const Playout& playout);
  // Writes what Finish has not. Called with the lane's end, on the thread that destroys it, which no denoising may hold up.
  void Close(const Playout& playout);

 private:
  static constexpr size_t kBlocks = 8;

  struct Block {
    std::vector<int16_t> samples;
    size_t used = 0;
  };

  class WriteTask final : public engine::LaneTask {
   public:
    explicit WriteTask(Recording& recording) : recording_(recording) {}
    Step Run() override;
    void Done(engine::LaneIo& io) override;

   private:
    Recording& recording_;
  };

  void Submit(engine::LaneIo& io);
  void Take(uint64_t until, const Playout& playout);
  bool SilentAt(uint64_t clock) const { return clock >= paused_from_ && clock < paused_to_; }
  void WriteOldest();
  void Append(std::span<const int16_t> samples);
  // Joins the denoised caller with the agent's samples of the same time.
  void Denoise(std::span<const int16_t> block, bool is_last);

  const size_t rate_;
  RecordingFile file_;
  WriteTask task_{*this};
  bool writing_ = false;
  std::string failure_;
  bool failed_ = false, reported_ = false;

  bool begun_ = false, paused_ = false;
  uint64_t paused_from_ = 0, paused_to_ = 0;
  uint64_t taken_ = 0;  // the clock up to which the blocks go
  uint64_t now_ = 0;

  std::unique_ptr<enhance::Denoiser> denoiser_;
  // It says that the block which is being written is the last.
  bool is_last_ = false, finished_ = false;
  // The pool owns these: the two sides that are not written yet, and what is joined of them.
  std::vector<int16_t> noisy_, clean_, beside_, joined_;

  CallerTrack caller_;
  std::vector<int16_t> agent_;

  std::array<Block, kBlocks> blocks_;
  size_t first_ = 0, full_ = 0;  // the oldest, and how many wait to be written
};

}  // namespace trunkline::omni
