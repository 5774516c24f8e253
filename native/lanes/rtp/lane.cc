#include "lanes/rtp/lane.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dsp/dsp.h"
#include "lanes/rtp/inband_dtmf.h"
#include "lanes/rtp/setup_task.h"
#include "lanes/rtp/silence_watch.h"
#include "lanes/rtp/sound_quality.h"
#include "lanes/rtp/statistics.h"
#include "lanes/rtp/stream.h"

namespace trunkline::rtp {

using base::Code;
using base::Result;
using base::Status;
using engine::Input;
using engine::InputKind;
using engine::LaneIo;
using engine::Options;

namespace {

// Admission cost in thousandths of a core for a call with G.711: docs/decisions/120-rtp-in-the-engine.md.
constexpr uint32_t kCost = 2;
constexpr uint64_t kMaxTicks = 20;
constexpr double kStatisticsEveryMs = 1000;
constexpr size_t kMaxMarks = 64;

struct LaneOptions {
  int rate = 8000;
  bool ulaw = false;
  double quiet_ms = 0, dead_ms = 0;
};

double WallMs() {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  return Milliseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

StreamStart ByChance(std::random_device& chance) {
  return {.ssrc = chance(), .sequence = static_cast<uint16_t>(chance() & 0x7fff), .timestamp = chance()};
}

class RtpLane final : public engine::Lane, StreamListener {
 public:
  RtpLane(const LaneOptions& options, SocketPair sockets, StreamStart start, std::string name,
          std::shared_ptr<dsp::EchoFinder> finder)
      : stream_(options.rate, std::move(sockets), start, std::move(name), WallMs()),
        task_(options.rate, [this](LaneIo& io) { SetUp(io); }),
        silence_(options.quiet_ms, options.dead_ms),
        keys_(options.rate),
        quality_(options.rate, std::move(finder)),
        ulaw_(options.ulaw),
        piece_(static_cast<size_t>(options.rate) / 100),
        coded_(piece_.size()) {
    said_.reserve(static_cast<size_t>(options.rate));
  }

  void Tick(LaneIo& io) override {
    io_ = &io;
    const double now_ms = static_cast<double>(io.now()) / base::kNanosPerMilli;
    if (!begun_) Begin(io, now_ms);
    stream_.Receive(now_ms, *this);
    const bool closing = TakeInput(io);
    const uint64_t passed = std::min(io.tick() - last_tick_, kMaxTicks);
    last_tick_ = io.tick();
    for (uint64_t i = 1; i <= passed; ++i) Pass(io, now_ms - 10.0 * static_cast<double>(passed - i));
    ReportMarks(io);
    stream_.SendReport(now_ms, closing);
    if (closing) reported_ms_ = -kStatisticsEveryMs;
    Watch(io, now_ms);
    if (closing) io.Finish(Code::kOk);
  }

  void CancelTasks() override { task_.Cancel(); }

 private:
  struct Mark {
    uint32_t number = 0;
    uint64_t at = 0;
  };

  void Begin(LaneIo& io, double now_ms) {
    const uint32_t ports[] = {stream_.port(), stream_.control_port()};
    begun_ = io.Write(kRtpOpened, base::AsBytes(std::span<const uint32_t>(ports)));
    stream_.Begin(now_ms);
    last_tick_ = io.tick() - 1;
  }

  // Returns true when nothing follows.
  bool TakeInput(LaneIo& io) {
    Input input;
    while (io.Next(input)) {
      if (input.kind == InputKind::kClose) return true;
      if (input.kind == InputKind::kClear) stream_.sender().Clear();
      if (input.kind == InputKind::kAudio && !Say(input.bytes)) return Later(io);
      if (input.kind == InputKind::kControl && !Control(io, input)) return Later(io);
    }
    return false;
  }

  bool Later(LaneIo& io) {
    io.Unread();
    return false;
  }

  // Queues all of the audio, or none when it does not fit.
  bool Say(base::ByteView bytes) {
    const size_t samples = bytes.size() / (ulaw_ ? 1 : sizeof(int16_t));
    if (samples > stream_.sender().free_samples()) return false;
    if (ulaw_) {
      said_.resize(samples);
      dsp::DecodeUlaw(bytes, said_);
    } else {
      dsp::FromWire(bytes, said_);
    }
    stream_.sender().Push(said_);
    return true;
  }

  bool Control(LaneIo& io, const Input& input) {
    base::ByteReader reader(input.bytes);
    switch (input.verb) {
      case kRtpSetup:
        return task_.Start(io, input.bytes);
      case kRtpKeys:
        if (task_.in_flight()) return false;  // the pending setup decides between events and tones
        stream_.sender().Press(base::AsText(input.bytes));
        return true;
      case kRtpClear:
        stream_.sender().Clear();
        return true;
      case kRtpDirect: {
        const bool sends = reader.Read<uint32_t>() != 0;
        stream_.Direct(sends, reader.Read<uint32_t>() != 0);
        return true;
      }
      case kRtpMark:
        if (marks_ == kMaxMarks) return false;
        mark_[marks_++] = {reader.Read<uint32_t>(), stream_.sender().taken()};
        return true;
      default:
        return true;
    }
  }

  // Applies a finished setup on the media thread; the replaced one is freed by the task's next run.
  void SetUp(LaneIo& io) {
    if (task_.cancelled()) return;
    if (task_.faulted() || task_.made() == nullptr) {
      io.Write(kRtpRefused, base::AsBytes(task_.status().message()));
      return;
    }
    const bool first = !stream_.ready();
    task_.made() = stream_.Use(std::move(task_.made()));
    if (first) silence_.Expect(static_cast<double>(io.now()) / base::kNanosPerMilli);
    io.Write(kRtpReady, {});
  }

  // Advances by 10 ms of the media clock.
  void Pass(LaneIo& io, double now_ms) {
    const bool sound = stream_.Play(now_ms, piece_);
    quality_.Heard(piece_, sound);
    if (stream_.heard_ms()) {
      WriteAudio(io);
      if (sound && stream_.detects_dtmf()) keys_.Hear(piece_, [&](char key) { WriteKey(io, key); });
    }
    if ((odd_ = !odd_)) {
      stream_.Step();
      quality_.Said(stream_.sender().said());
    } else {
      quality_.Measure(now_ms);
    }
  }

  void WriteAudio(LaneIo& io) {
    if (ulaw_) dsp::EncodeUlaw(piece_, coded_);
    io.Write(engine::kAudioEvent,
             ulaw_ ? base::ByteView(coded_) : base::AsBytes(std::span<const int16_t>(piece_)));
  }

  void WriteKey(LaneIo& io, char key) {
    const uint32_t character = static_cast<uint8_t>(key);
    io.Write(kRtpKey, base::AsBytes(std::span<const uint32_t>(&character, 1)));
  }

  void ReportMarks(LaneIo& io) {
    size_t reported = 0;
    while (reported < marks_ && mark_[reported].at <= stream_.sender().gone()) {
      if (!io.Write(kRtpMarked, base::AsBytes(std::span<const uint32_t>(&mark_[reported].number, 1)))) break;
      ++reported;
    }
    std::move(mark_.begin() + static_cast<ptrdiff_t>(reported),
              mark_.begin() + static_cast<ptrdiff_t>(marks_), mark_.begin());
    marks_ -= reported;
  }

  void Watch(LaneIo& io, double now_ms) {
    if (const auto state = silence_.Check(stream_.heard_ms(), stream_.expects(), now_ms)) {
      io.Write(kRtpSilence,
               base::Packed(static_cast<uint32_t>(*state), uint32_t{0}, silence_.silent_ms(now_ms)));
    }
    if (now_ms - reported_ms_ < kStatisticsEveryMs) return;
    reported_ms_ = now_ms;
    const auto numbers = StatisticsOf(stream_, quality_);
    io.WriteLatest(0, kRtpStatistics, base::AsBytes(std::span<const double>(numbers)));
  }

  void Key(char key) override { WriteKey(*io_, key); }
  void Source(const Endpoint& from) override { io_->Write(kRtpSource, base::AsBytes(from.Text())); }

  Stream stream_;
  SetupTask task_;
  SilenceWatch silence_;
  InbandDtmf keys_;
  SoundQuality quality_;
  const bool ulaw_;
  std::vector<int16_t> piece_, said_;
  std::vector<uint8_t> coded_;
  std::array<Mark, kMaxMarks> mark_{};
  size_t marks_ = 0;
  LaneIo* io_ = nullptr;
  uint64_t last_tick_ = 0;
  double reported_ms_ = 0;
  bool begun_ = false;
  bool odd_ = false;
};

class RtpKind final : public engine::LaneKind {
 public:
  std::string name() const override { return "rtp"; }
  uint32_t cost() const override { return kCost; }
  engine::LaneShape shape() const override {
    return {.input_bytes = 64 * 1024,
            .outbox = {.ring_bytes = 64 * 1024, .mailboxes = 1, .mailbox_bytes = 512}};
  }
  Result<std::unique_ptr<engine::Lane>> Open(const Options& options) override {
    const auto bind = Endpoint::Parse(options.Text("bind"), 0);
    if (!bind) {
      return Status(Code::kInvalidArgument,
                    "'" + std::string(options.Text("bind")) + "' is no numeric address");
    }
    const auto from = static_cast<uint16_t>(options.Integer("port_from", 0, 0, 65534));
    const auto to = static_cast<uint16_t>(options.Integer("port_to", 0, 0, 65535));
    TRUNKLINE_ASSIGN_OR_RETURN(SocketPair sockets, from == 0 ? OpenAny(*bind) : OpenPair(*bind, from, to));
    const int64_t rate = options.Integer("rate", 8000, 8000, 24000);
    if (rate != 8000 && rate != 16000 && rate != 24000) {
      return Status(Code::kInvalidArgument, "rate: expected 8000, 16000 or 24000");
    }
    const LaneOptions lane{.rate = static_cast<int>(rate),
                           .ulaw = rate == 8000 && options.Text("codec") == "ulaw",
                           .quiet_ms = options.Number("quiet_ms", 5000),
                           .dead_ms = options.Number("dead_ms", 20000)};
    std::random_device chance;
    StreamStart start = ByChance(chance);
    start.ssrc = static_cast<uint32_t>(options.Integer("ssrc", start.ssrc, 1, UINT32_MAX));
    return std::unique_ptr<engine::Lane>(std::make_unique<RtpLane>(
        lane, std::move(sockets), start, std::to_string(chance()) + "@trunkline", finder_));
  }

 private:
  std::shared_ptr<dsp::EchoFinder> finder_ = std::make_shared<dsp::EchoFinder>();
};

}  // namespace

std::shared_ptr<engine::LaneKind> MakeRtpKind() {
  return std::make_shared<RtpKind>();
}

}  // namespace trunkline::rtp
