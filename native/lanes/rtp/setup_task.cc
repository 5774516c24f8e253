#include "lanes/rtp/setup_task.h"

#include <algorithm>
#include <utility>

namespace trunkline::rtp {

SetupTask::SetupTask(int rate, std::function<void(engine::LaneIo&)> done)
    : rate_(rate), done_(std::move(done)) {
  options_.reserve(kMaxOptions);
}

bool SetupTask::Start(engine::LaneIo& io, base::ByteView options) {
  if (in_flight()) return false;
  options_.assign(options.begin(),
                  options.begin() + static_cast<ptrdiff_t>(std::min(options.size(), kMaxOptions)));
  io.Submit(*this, engine::Priority::kFirstAudio, io.now());
  return true;
}

engine::Task::Step SetupTask::Run() {
  made_.reset();
  const auto options = engine::Options::Parse(options_);
  status_ = options.status();
  if (!options.ok()) return Step::kDone;
  auto made = MakeSetup(*options, rate_);
  status_ = made.status();
  if (made.ok()) made_ = std::move(made).value();
  return Step::kDone;
}

}  // namespace trunkline::rtp
