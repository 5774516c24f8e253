// Makes what signalling has agreed on ready, on a pool thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "lanes/rtp/setup.h"

namespace trunkline::rtp {

class SetupTask final : public engine::LaneTask {
 public:
  static constexpr size_t kMostOptions = 8192;

  // `done` is called on the media thread.
  SetupTask(int rate, std::function<void(engine::LaneIo&)> done);

  // False: the one before is still under way.
  bool Start(engine::LaneIo& io, base::ByteView options);
  Step Run() override;
  void Done(engine::LaneIo& io) override { done_(io); }

  // After it is done: what was made, or why not.
  const base::Status& status() const { return status_; }
  std::unique_ptr<Setup>& made() { return made_; }

 private:
  const int rate_;
  const std::function<void(engine::LaneIo&)> done_;
  std::vector<uint8_t> options_;
  base::Status status_;
  std::unique_ptr<Setup> made_;
};

}  // namespace trunkline::rtp
