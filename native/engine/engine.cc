#include "engine/engine.h"

#include <algorithm>

#include "engine/carrier_json.h"
#include "engine/preparation.h"

namespace trunkline::engine {

using base::ByteView;
using base::Code;
using base::Result;
using base::Status;

namespace {

EngineConfig Clamp(EngineConfig config) {
  config.slots = std::clamp<uint32_t>(config.slots, 1, 1 << 16);
  config.media_threads = std::min<uint32_t>(config.media_threads, 64);
  config.inference_threads = std::min<uint32_t>(config.inference_threads, 256);
  config.jobs = std::clamp<uint32_t>(config.jobs, 1, 1 << 16);
  return config;
}

std::shared_ptr<base::Clock> ClockOr(std::shared_ptr<base::Clock> clock) {
  return clock ? std::move(clock) : std::make_shared<base::SystemClock>();
}

// Lanes and jobs of every kind have this option.
Tenant TenantOf(const Options& options) {
  return options.Flag("trial") ? Tenant::kTrial : Tenant::kLive;
}

}  // namespace

Engine::Engine(EngineConfig config, Kinds kinds, std::function<void()> wake,
               std::shared_ptr<base::Clock> clock)
    : clock_(ClockOr(std::move(clock))),
      services_(Clamp(std::move(config))),
      kinds_(std::move(kinds)),
      slots_(services_.config().slots),
      gate_(std::move(wake)),
      pool_(*clock_, services_.config().inference_threads, services_.config().slots * 8),
      jobs_(*clock_, pool_, notices_, gate_, services_.config().jobs, services_.config().job_memory),
      carrier_audio_(kMaxCarrierAudio),
      carrier_silence_(CarrierOrder::kMaxFillMs * CarrierOrder::kBytesPerMs, 0xff),
      live_by_kind_(kinds_.lanes().size()) {
  const EngineConfig& checked = services_.config();
  const int64_t overflow = int64_t{checked.overflow_ms} * base::kNanosPerMilli;
  for (uint32_t i = 0; i < std::max(checked.media_threads, 1u); ++i) {
    loops_.push_back(std::make_unique<MediaLoop>(*clock_, slots_, gate_, kinds_.lanes(), overflow));
  }
  Prepare();
  for (uint32_t i = 0; i < checked.media_threads; ++i) loops_[i]->Start(i);
}

Engine::~Engine() {
  Destroy();
}

void Engine::Prepare() {
  services_.OnPlacement([this](const onnx::PlacementReport& report) { Placed(report); });
  const auto add = [this](auto& kind) {
    preparations_.push_back(std::make_unique<Preparation>(
        kind->name(), [this, kind] { return kind->Prepare(services_); }, [this] { Prepared(); }, notices_,
        gate_));
  };
  for (const auto& kind : kinds_.lanes()) add(kind);
  for (const auto& kind : kinds_.jobs()) add(kind);
  for (const auto& kind : kinds_.lanes()) settlings_.push_back(std::make_unique<Settling>(*kind));
  unprepared_.store(preparations_.size());
  // Preparation uses all threads, because there is hardly any live work until it is done.
  for (auto& preparation : preparations_) {
    preparation->Schedule(Priority::kFirstAudio, clock_->Now());
    pool_.Submit(*preparation);
  }
}

void Engine::Placed(const onnx::PlacementReport& report) {
  std::string bytes(4, '\0');
  bytes[0] = report.device == onnx::Device::kCuda ? 1 : 0;
  bytes[1] = report.failed ? 1 : 0;
  base::Store(reinterpret_cast<uint8_t*>(bytes.data()) + 2, static_cast<uint16_t>(report.name.size()));
  bytes.append(report.name).append(report.reason);
  notices_.Add({kEngineSlot, 0}, kModelEvent, base::AsBytes(bytes));
  if (report.failed) gpu_failed_.store(true, std::memory_order_release);
  gate_.Signal();
}

void Engine::Prepared() {
  if (unprepared_.fetch_sub(1) != 1) return;
  for (auto& settling : settlings_) {
    settling->Schedule(Priority::kOffline, clock_->Now());
    pool_.Submit(*settling);
  }
}

Engine::Preparation* Engine::LanePreparation(std::string_view name, size_t& index) {
  for (index = 0; index < kinds_.lanes().size(); ++index) {
    if (preparations_[index]->name() == name) return preparations_[index].get();
  }
  return nullptr;
}

Engine::Preparation* Engine::JobPreparation(std::string_view name, size_t& index) {
  for (index = 0; index < kinds_.jobs().size(); ++index) {
    Preparation& preparation = *preparations_[kinds_.lanes().size() + index];
    if (preparation.name() == name) return &preparation;
  }
  return nullptr;
}

uint32_t Engine::Limit() const {
  return services_.config().capacity;
}

void Engine::UpdateLoad() {
  pool_.SetLoad(static_cast<float>(admission_.used()) / static_cast<float>(std::max(1u, Limit())));
}

Result<LaneId> Engine::Open(std::string_view kind_name, ByteView packed) {
  if (destroyed_) return Status(Code::kClosed);
  size_t index = 0;
  Preparation* preparation = LanePreparation(kind_name, index);
  if (preparation == nullptr) {
    return Status(Code::kNotFound, "there is no lane kind '" + std::string(kind_name) + "'");
  }
  TRUNKLINE_RETURN_IF_FAILED(preparation->status());
  TRUNKLINE_ASSIGN_OR_RETURN(const Options options, Options::Parse(packed));
  LaneKind& kind = *kinds_.lanes()[index];
  RecountAfterGpuFailure();
  const uint32_t cost = kind.CostOf(options);
  const uint32_t limit = options.Flag("resumed") ? Admission::ResumedLimit(Limit()) : Limit();
  if (!admission_.HasCapacity(cost, limit)) return Status(Code::kCapacity, "the engine is at its capacity");
  TRUNKLINE_ASSIGN_OR_RETURN(std::unique_ptr<Lane> lane, kind.Open(options));
  LaneShape shape = kind.shape();
  shape.input_bytes = std::min(shape.input_bytes, kMaxRingBytes);
  shape.outbox.ring_bytes = std::min(shape.outbox.ring_bytes, kMaxRingBytes);
  uint32_t slot_index = 0;
  Slot* slot = slots_.Take(slot_index);
  if (slot == nullptr) return Status(Code::kCapacity, "every slot is taken");
  const LaneId id{slot_index, slot->generation};
  slot->kind = index;
  slot->cost = cost;
  KeepPrice(*slot, 0, packed);
  slot->io = std::make_unique<LaneIo>(id, shape, memory_, pool_, LoopOf(slot_index));
  slot->io->WorkFor(TenantOf(options));
  slot->lane = std::move(lane);
  admission_.Add(cost);
  UpdateLoad();
  ++live_by_kind_[index];
  LoopOf(slot_index).Adopt(slot_index);
  return id;
}

std::optional<uint32_t> Engine::CostOf(std::string_view kind_name, ByteView packed) {
  size_t index = 0;
  if (destroyed_ || LanePreparation(kind_name, index) == nullptr) return std::nullopt;
  const auto options = Options::Parse(packed);
  if (!options.ok()) return std::nullopt;
  return kinds_.lanes()[index]->CostOf(*options);
}

bool Engine::GivesWay(std::string_view kind, ByteView packed, ByteView lighter) {
  const auto heavy = CostOf(kind, packed), light = CostOf(kind, lighter);
  return heavy && light && admission_.GivesWay(*heavy, *light, Limit());
}

void Engine::Recount(Slot& slot, uint16_t verb, ByteView body) {
  const auto cost = kinds_.lanes()[slot.kind]->CostAfter(verb, body);
  if (!cost) return;
  SetCost(slot, *cost);
  KeepPrice(slot, verb, body);
}

void Engine::SetCost(Slot& slot, uint32_t cost) {
  admission_.Remove(slot.cost);
  admission_.Add(cost);
  UpdateLoad();
  slot.cost = cost;
}

void Engine::KeepPrice(Slot& slot, uint16_t verb, ByteView body) {
  if (services_.device() != onnx::Device::kCuda) return;
  slot.priced_verb = verb;
  slot.priced_by.assign(body.begin(), body.end());
}

void Engine::RecountAfterGpuFailure() {
  if (!gpu_failed_.exchange(false, std::memory_order_acquire)) return;
  for (uint32_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_.at(i);
    if (!slot.open || slot.priced_by.empty()) continue;
    const LaneKind& kind = *kinds_.lanes()[slot.kind];
    const auto options = Options::Parse(slot.priced_by);
    const auto cost = slot.priced_verb != 0 ? kind.CostAfter(slot.priced_verb, slot.priced_by)
                      : options.ok()        ? std::optional(kind.CostOf(*options))
                                            : std::nullopt;
    if (cost) SetCost(slot, *cost);
  }
}

Code Engine::PushInput(LaneId id, InputKind kind, uint16_t verb, ByteView bytes) {
  if (destroyed_) return Code::kClosed;
  Slot* slot = slots_.Find(id);
  if (slot == nullptr) {
    ++traffic_.stale;
    return Code::kStale;
  }
  if (slot->closing) return Code::kClosed;
  const Code code = slot->io->Push(kind, verb, bytes);
  if (code == Code::kOk && kind == InputKind::kControl) Recount(*slot, verb, bytes);
  ++(code == Code::kFull ? traffic_.refused : traffic_.pushed);
  return code;
}

Code Engine::Push(LaneId id, ByteView audio) {
  return PushInput(id, InputKind::kAudio, 0, audio);
}

Code Engine::Control(LaneId id, uint16_t verb, ByteView body) {
  return PushInput(id, InputKind::kControl, verb, body);
}

Code Engine::PushCarrierJson(LaneId id, ByteView message) {
  CarrierMedia media;
  const Code code = DecodeCarrierMedia(message, carrier_audio_, media);
  if (code != Code::kOk) return code;
  Slot* slot = destroyed_ ? nullptr : slots_.Find(id);
  if (slot == nullptr) return destroyed_ ? Code::kClosed : Code::kStale;
  const CarrierOrder::Place place = slot->carrier.PlaceOf(media.timestamp_ms);
  if (!place.wanted) return Code::kOk;
  if (place.silence > 0) {
    const Code filled = Push(id, ByteView(carrier_silence_).first(place.silence));
    if (filled != Code::kOk) return filled;
  }
  const Code pushed = Push(id, ByteView(carrier_audio_).first(media.size));
  if (pushed == Code::kOk) slot->carrier.Took(media.timestamp_ms, media.size);
  return pushed;
}

Code Engine::Join(LaneId first, LaneId second, bool first_observed, bool second_observed) {
  constexpr size_t kMaxBridges = 64;
  if (destroyed_) return Code::kClosed;
  Slot* one = slots_.Find(first);
  Slot* other = slots_.Find(second);
  if (one == nullptr || other == nullptr) return Code::kStale;
  if (one == other) return Code::kInvalidArgument;
  if (one->bridges.size() >= kMaxBridges || other->bridges.size() >= kMaxBridges) return Code::kFull;
  Separate(*one);
  Separate(*other);
  auto bridge = std::make_shared<LaneBridge>(memory_, first_observed, second_observed);
  one->bridges.push_back(bridge);
  other->bridges.push_back(bridge);
  one->joined = second;
  other->joined = first;
  one->io->Join(&bridge->first());
  other->io->Join(&bridge->second());
  return Code::kOk;
}

Code Engine::Part(LaneId id) {
  if (destroyed_) return Code::kClosed;
  Slot* slot = slots_.Find(id);
  if (slot == nullptr) return Code::kStale;
  Separate(*slot);
  return Code::kOk;
}

void Engine::Separate(Slot& slot) {
  if (slot.joined.generation == 0) return;
  slot.io->Join(nullptr);
  if (Slot* other = slots_.Find(slot.joined)) {
    other->io->Join(nullptr);
    other->joined = {};
  }
  slot.joined = {};
}

Code Engine::Close(LaneId id, bool clean) {
  if (destroyed_) return Code::kClosed;
  Slot* slot = slots_.Find(id);
  if (slot == nullptr) return Code::kStale;
  slot->closing = true;
  if (clean) {
    slot->io->RequestClose();
  } else {
    slot->io->RequestDrop();
  }
  return Code::kOk;
}

size_t Engine::Drain(base::MutableBytes buffer) {
  RecountAfterGpuFailure();
  if (destroyed_ || buffer.size() < kMinDrainBytes) return 0;
  PackedWriter writer(buffer);
  const bool all =
      notices_.DrainTo(writer) && slots_.EachReady([&](uint32_t index) { return DrainSlot(writer, index); });
  jobs_.Sweep();
  const size_t used = writer.Finish(!all);
  ++traffic_.drains;
  traffic_.drained_bytes += used;
  return used;
}

bool Engine::DrainSlot(PackedWriter& writer, uint32_t index) {
  Slot& slot = slots_.at(index);
  if (!slot.open) return true;
  // The flag is read before the outbox: a lane that has ended has written everything.
  const bool ended = slot.ended.load(std::memory_order_acquire);
  const LaneId id{index, slot.generation};
  if (!slot.io->outbox().DrainTo(writer, id)) return false;
  if (!ended) return true;
  const int32_t code = static_cast<int32_t>(slot.code);
  if (!writer.Append(id, kClosedEvent, 0, {reinterpret_cast<const uint8_t*>(&code), sizeof(code)}))
    return false;
  Separate(slot);
  admission_.Remove(slot.cost);
  UpdateLoad();
  --live_by_kind_[slot.kind];
  slots_.Free(index);
  return true;
}

Result<uint32_t> Engine::Submit(std::string_view kind_name, ByteView packed, std::vector<uint8_t> input) {
  if (destroyed_) return Status(Code::kClosed);
  size_t index = 0;
  Preparation* preparation = JobPreparation(kind_name, index);
  if (preparation == nullptr) {
    return Status(Code::kNotFound, "there is no job kind '" + std::string(kind_name) + "'");
  }
  TRUNKLINE_RETURN_IF_FAILED(preparation->status());
  TRUNKLINE_ASSIGN_OR_RETURN(const Options options, Options::Parse(packed));
  JobKind& kind = *kinds_.jobs()[index];
  const Priority priority = kind.priority(options);
  TRUNKLINE_ASSIGN_OR_RETURN(std::unique_ptr<Job> job, kind.Open(options, std::move(input)));
  std::shared_ptr<onnx::Runtime> runtime;
  if (!services_.config().library.empty()) {
    TRUNKLINE_ASSIGN_OR_RETURN(runtime, services_.runtime());
  }
  return jobs_.Start(kind, std::move(job), TenantOf(options), priority, runtime.get());
}

Code Engine::Cancel(uint32_t job) {
  if (destroyed_) return Code::kClosed;
  return jobs_.Cancel(job) ? Code::kOk : Code::kStale;
}

bool Engine::idle() const {
  const auto preparing = [](const auto& one) { return one->readiness() == Readiness::kPreparing; };
  return slots_.live() == 0 && jobs_.live() == 0 &&
         std::none_of(preparations_.begin(), preparations_.end(), preparing);
}

void Engine::Tick() {
  for (auto& loop : loops_) {
    loop->RunCompletions();
    loop->Tick();
  }
}

void Engine::Destroy() {
  if (destroyed_) return;
  destroyed_ = true;
  gate_.Stop();
  services_.Stop();
  // The pool stops first: each task returns to a loop that still lives, and a model ends at its next node.
  pool_.Stop();
  for (auto& loop : loops_) loop->Stop();
  for (auto& loop : loops_) loop->RunCompletions();
}

}  // namespace trunkline::engine
