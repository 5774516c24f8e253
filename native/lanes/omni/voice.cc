#include "lanes/omni/voice.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace trunkline::omni {
namespace {

constexpr int64_t kFirstAudioDeadline = 150 * base::kNanosPerMilli;
// With less audio than this left to play, the next step is as urgent as first audio: a clause takes up to a
// third of a second to prepare.
constexpr double kUrgentS = 0.5;
constexpr int64_t kLearnDeadline = 500 * base::kNanosPerMilli;
// Synthesis waits with this much audio ahead: most answers are interrupted, and other calls need
// the time.
constexpr double kAheadS = 4;
// Speeches that were finished before they were synthesized: as many as there may be segments.
constexpr size_t kMaxFinished = SegmentQueue::kSegments;
constexpr size_t kFailureBytes = 512;
// A feed is asked for again when the request would grow by this much.
constexpr double kFeedStepMs = 500;
// The buffer holds the audio of a request, and that of an earlier request that was not taken yet.
constexpr size_t kFedBytes = static_cast<size_t>((kAheadS + 1) * kMaxFedRate) * sizeof(int16_t);

}  // namespace

OmniVoice::OmniVoice(std::shared_ptr<tts::SpeechModels> models, Playout& playout, int rate, VoiceStart start)
    : playout_(playout),
      seed_(start.seed),
      queue_(start.options),
      task_(*this, models, rate, std::move(start.owner), queue_.voice_bytes()),
      learning_(models, queue_.voice_bytes()),
      expects_(start.unknown) {
  if (start.fed) {
    fed_.sound.reserve(kFedBytes);
    task_.ReserveFed(kFedBytes);
  }
  finished_.reserve(kMaxFinished);
  failure_.reserve(kFailureBytes);
}

bool OmniVoice::SetVoice(base::ByteView options) {
  if (!queue_.SetVoice(options)) return false;
  expects_ = true;
  return true;
}

bool OmniVoice::IsOpenFeed(uint32_t speech, uint32_t segment) const {
  const bool open = state_ != State::kIdle && state_ != State::kDropping;
  return open && fed_.rate > 0 && !fed_.ended && speech_ == speech && segment_ == segment;
}

void OmniVoice::Feed(const FedSound& sound) {
  if (!IsOpenFeed(sound.speech, sound.segment)) return;
  const size_t whole = sound.sound.size() / sizeof(int16_t) * sizeof(int16_t);
  const size_t taken = std::min(whole, fed_.sound.capacity() - fed_.sound.size());
  const base::ByteView fits = sound.sound.first(taken);
  fed_.sound.insert(fed_.sound.end(), fits.begin(), fits.end());
  fed_.bytes += taken;
}

void OmniVoice::EndFeed(uint32_t speech, uint32_t segment, uint32_t from) {
  if (!IsOpenFeed(speech, segment)) return;
  fed_.ended = true;
  fed_.from = from;
}

// A feed fills the playout as far as synthesis would.
std::optional<FeedRequest> OmniVoice::FeedWanted() const {
  if (!IsOpenFeed(speech_, segment_)) return std::nullopt;
  const double bytes_a_ms = fed_.rate * static_cast<double>(sizeof(int16_t)) / 1000;
  const double waiting_ms = static_cast<double>(fed_.sound.size() + fed_.with_task) / bytes_a_ms;
  const double ahead_ms = playout_.queued_s() * 1000 + waiting_ms;
  const double wanted_ms =
      static_cast<double>(fed_.bytes) / bytes_a_ms + std::max(0.0, kAheadS * 1000 - ahead_ms);
  if (wanted_ms < fed_.asked_ms + kFeedStepMs) return std::nullopt;
  return FeedRequest{speech_, segment_, wanted_ms};
}

void OmniVoice::Finish(uint32_t speech) {
  const bool more = (state_ != State::kIdle && speech_ == speech) || queue_.Waits(speech);
  if (!more) {
    playout_.FinishSpeech(speech);
  } else if (finished_.size() < kMaxFinished) {
    finished_.push_back(speech);
  }
}

void OmniVoice::Release(uint32_t speech) {
  queue_.Release(speech);
  playout_.Release(speech);
}

void OmniVoice::Discard(uint32_t speech) {
  queue_.Drop(speech);
  std::erase(finished_, speech);
  if (speech_ == speech) DropSegment();
  playout_.Discard(speech);
}

void OmniVoice::Clear() {
  queue_.DropAll();
  finished_.clear();
  DropSegment();
}

void OmniVoice::DropSegment() {
  if (state_ == State::kIdle || state_ == State::kDropping) return;
  if (task_.in_flight()) {
    task_.Cancel();
    state_ = State::kDropping;
  } else {
    queue_.Spoken();
    state_ = State::kIdle;
  }
}

void OmniVoice::CancelTasks() {
  if (learning_.in_flight()) learning_.Cancel();
  if (task_.in_flight()) task_.Cancel();
}

void OmniVoice::OnPiece() {
  taken_ = 0;
  fed_.with_task = 0;
  if (state_ == State::kIdle) return;  // the task has released what was dropped
  if (state_ == State::kDropping) {
    EndSegment();
  } else {
    state_ = State::kMade;
  }
}

void OmniVoice::Work(engine::LaneIo& io) {
  if (state_ == State::kMade && TakeIn()) {
    if (task_.complete() || !task_.status().ok()) {
      playout_.EndSegment();
      EndSegment();
    } else {
      state_ = task_.is_fed() ? State::kFed : State::kWaiting;
    }
  }
  if (state_ == State::kFed) TakeFed(io);
  if (state_ == State::kWaiting && playout_.queued_s() < kAheadS) Submit(io);
  if (expects_) Learn(io);
  if (state_ == State::kIdle && !task_.in_flight()) Start(io);
}

bool OmniVoice::TakeIn() {
  if (!task_.status().ok()) {
    failed_ = speech_;
    failure_.assign(std::string_view(task_.status().message()).substr(0, kFailureBytes));
    return true;
  }
  taken_ += playout_.Append(std::span(task_.samples()).subspan(taken_));
  return taken_ == task_.samples().size();  // otherwise synthesis waits for the playout
}

void OmniVoice::EndSegment() {
  queue_.Spoken();
  state_ = State::kIdle;
  if (!queue_.Waits(speech_) && std::erase(finished_, speech_) > 0) playout_.FinishSpeech(speech_);
}

void OmniVoice::Learn(engine::LaneIo& io) {
  if (learning_.in_flight()) return;
  learning_.Prepare(queue_.voice());
  expects_ = !io.Submit(learning_, engine::Priority::kPartial, io.now() + kLearnDeadline);
}

void OmniVoice::Start(engine::LaneIo& io) {
  // A second task would calibrate the same voice again.
  if (learning_.in_flight()) return;
  const SegmentOrder* next = queue_.Front();
  // The task does no work, but a segment that comes meanwhile waits for it.
  if (next == nullptr && task_.Drop())
    io.Submit(task_, engine::Priority::kFirstAudio, io.now() + kFirstAudioDeadline);
  if (next == nullptr || !playout_.BeginSegment(next->speech, next->segment, next->held, next->yields))
    return;
  speech_ = next->speech;
  segment_ = next->segment;
  fed_.rate = fed_.sound.capacity() > 0 ? next->fed_rate : 0;
  fed_.ended = false;
  fed_.bytes = 0;
  fed_.asked_ms = 0;
  fed_.sound.clear();
  task_.Prepare(next->speech, next->text, queue_.FrontVoice(), seed_, fed_.rate);
  queue_.Take();
  if (fed_.rate > 0) {
    state_ = State::kFed;
  } else {
    Submit(io);
  }
}

void OmniVoice::TakeFed(engine::LaneIo& io) {
  if (fed_.sound.empty() && !fed_.ended) return;
  fed_.with_task = fed_.sound.size();
  task_.Feed(fed_.sound, fed_.ended, fed_.from);
  Submit(io);
}

// Orders work by how much audio is left to play.
void OmniVoice::Submit(engine::LaneIo& io) {
  const bool first = !task_.sounded() && !playout_.playing();
  const auto ahead = static_cast<int64_t>(playout_.queued_s() * 1000) * base::kNanosPerMilli;
  const bool urgent = first || playout_.queued_s() < kUrgentS;
  const engine::Priority priority = urgent ? engine::Priority::kFirstAudio : engine::Priority::kAudio;
  state_ = State::kMaking;
  io.Submit(task_, priority, io.now() + (first ? kFirstAudioDeadline : ahead));
}

}  // namespace trunkline::omni
