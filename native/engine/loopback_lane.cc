#include "engine/loopback_lane.h"

namespace trunkline::engine {
namespace {

class LoopbackLane final : public Lane {
 public:
  void Tick(LaneIo& io) override {
    Input input;
    while (io.Next(input)) {
      if (input.kind == InputKind::kClose) io.Finish(base::Code::kOk);
      if (input.kind != InputKind::kAudio || io.Write(kAudioEvent, input.bytes)) continue;
      // A slow reader loses nothing: the input fills, and push answers full.
      io.Unread();
      return;
    }
  }
};

class LoopbackKind final : public LaneKind {
 public:
  std::string name() const override { return "loopback"; }
  uint32_t cost() const override { return 0; }
  LaneShape shape() const override { return {.input_bytes = 32 * 1024, .outbox = {.ring_bytes = 32 * 1024}}; }
  base::Result<std::unique_ptr<Lane>> Open(const Options&) override {
    return std::unique_ptr<Lane>(std::make_unique<LoopbackLane>());
  }
};

}  // namespace

std::shared_ptr<LaneKind> MakeLoopbackKind() {
  return std::make_shared<LoopbackKind>();
}

}  // namespace trunkline::engine
