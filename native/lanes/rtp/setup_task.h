// Prepares a negotiated setup on a pool thread.
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
  static constexpr size_t kMaxOptions = 8192;

  // `done` is called on the media thread.
  SetupTask(int rate, std::function<void(engine::LaneIo&)> done);

  // Returns false while the previous run is in flight.
  bool Start(engine::LaneIo& io, base::ByteView options);
  Step Run() override;
  void Done(engine::LaneIo& io) override { done_(io); }

  // Valid once it is done: the setup, or why there is none.
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
