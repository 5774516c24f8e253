#include "engine/omni_voice.h"

#include <algorithm>
#include <utility>

#include "dsp/convert.h"

namespace trunkline::engine {
namespace {

constexpr int64_t kFirstAudioDeadline = 150 * base::kNanosPerMilli;
// With less than this ahead of the caller's ear the next step can't wait any more than a first sound: the
// reading of a clause takes up to a third of a second.
constexpr double kUrgentS = 0.5;
constexpr int64_t kLearnDeadline = 500 * base::kNanosPerMilli;
// Sound that is ready this far ahead is enough: most answers are interrupted, and others need the time.
constexpr double kAheadS = 4;

}  // namespace

SegmentTask::SegmentTask(OmniVoice& owner, std::shared_ptr<tts::SpeechModels> models, int rate)
    : owner_(owner), models_(std::move(models)), rate_(rate) {}

void SegmentTask::Prepare(const SegmentText& segment, uint64_t seed) {
  segment_ = segment;
  seed_ = seed;
  synthesis_.reset();
  status_ = base::Ok();
  complete_ = sounded_ = false;
  samples_.clear();
  const bool follows = said_pause_ms_ > 0 && said_speech_ == segment.speech;
  pause_ = follows ? static_cast<size_t>(rate_) * static_cast<size_t>(said_pause_ms_) / 1000 : 0;
  said_pause_ms_ = 0;
}

Task::Step SegmentTask::Run() {
  samples_.clear();
  if (!synthesis_) {
    tts::SynthesisOptions options;
    options.seed = seed_;
    auto opened = tts::Synthesis::Open(models_, segment_.voice, segment_.text, options);
    if (!opened.ok()) {
      status_ = opened.status();
      return Step::kDone;
    }
    synthesis_ = std::move(opened).value();
    encoder_ = tts::WireEncoder::Create(synthesis_->rate(), rate_, tts::WireFormat::kPcm16);
    if (!encoder_) {
      status_ = base::Status(base::Code::kInternal, "no resampler for the lane's rate");
      return Step::kDone;
    }
  }
  floats_.clear();
  if (!synthesis_->done()) status_ = synthesis_->Step(run_options(), floats_);
  if (!status_.ok()) return Step::kDone;
  bytes_.clear();
  encoder_->Add(floats_, bytes_);
  complete_ = synthesis_->done();
  if (complete_) encoder_->Finish(bytes_);
  dsp::FromWire(bytes_, samples_);
  sounded_ = synthesis_->sounded();
  if (!samples_.empty()) samples_.insert(samples_.begin(), std::exchange(pause_, 0), int16_t{0});
  if (complete_ && sounded_) {
    said_speech_ = segment_.speech;
    said_pause_ms_ = synthesis_->PauseAfter();
  }
  // A step that made no sound yet goes on at once.
  return samples_.empty() && !complete_ && !cancelled() ? Step::kAgain : Step::kDone;
}

void SegmentTask::Done(LaneIo&) {
  if (faulted()) status_ = base::Status(base::Code::kInternal, "synthesis threw");
  owner_.Made();
}

void LearnVoiceTask::Prepare(tts::VoiceSpec voice) {
  voice_ = std::move(voice);
}

// What is known of a voice may lie in a file, behind a lock: here alone, never on the media thread.
Task::Step LearnVoiceTask::Run() {
  if (!learner_) learner_ = std::make_unique<tts::VoiceLearner>(models_, voice_);
  // A failure is told by whoever speaks with the voice.
  const auto known = learner_->Step(run_options());
  if (known.ok() && *known == nullptr && !cancelled()) return Step::kAgain;
  learner_.reset();
  return Step::kDone;
}

OmniVoice::OmniVoice(std::shared_ptr<tts::SpeechModels> models, Playout& playout, int rate, uint64_t seed)
    : playout_(playout),
      rate_(rate),
      seed_(seed),
      models_(std::move(models)),
      task_(*this, models_, rate),
      learning_(models_) {
  finished_.reserve(16);
  // Without them a cut still silences the agent at once; only the work goes on to the end of its window.
  (void)task_.AttachRunOptions(models_->runtime());
  (void)learning_.AttachRunOptions(models_->runtime());
}

void OmniVoice::ExpectFirst(const tts::VoiceSpec& voice) {
  if (models_->FindCalibration(voice) == nullptr) expected_ = voice;
}

void OmniVoice::Speak(SegmentText segment) {
  waiting_.push_back(std::move(segment));
}

void OmniVoice::Finish(uint32_t speech) {
  const bool more =
      (making_ && speech_ == speech) ||
      std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& s) { return s.speech == speech; });
  if (more) {
    finished_.push_back(speech);
  } else {
    playout_.FinishSpeech(speech);
  }
}

void OmniVoice::Release(uint32_t speech) {
  for (auto& segment : waiting_) {
    if (segment.speech == speech) segment.held = false;
  }
  playout_.Release(speech);
}

void OmniVoice::Discard(uint32_t speech) {
  std::erase_if(waiting_, [&](const auto& segment) { return segment.speech == speech; });
  std::erase(finished_, speech);
  if (making_ && speech_ == speech) {
    dropped_ = true;
    if (task_.in_flight()) task_.Cancel();
  }
  playout_.Discard(speech);
}

void OmniVoice::Clear() {
  waiting_.clear();
  finished_.clear();
  if (!making_) return;
  dropped_ = true;
  if (task_.in_flight()) task_.Cancel();
}

void OmniVoice::CancelTasks() {
  if (learning_.in_flight()) learning_.Cancel();
  if (task_.in_flight()) task_.Cancel();
}

void OmniVoice::Made() {
  made_ = true;
  taken_ = 0;
}

void OmniVoice::Work(LaneIo& io) {
  if (making_ && made_) {
    if (!dropped_ && task_.status().ok()) {
      taken_ += playout_.Append(std::span(task_.samples()).subspan(taken_));
      if (taken_ < task_.samples().size())
        return;  // the playout is full: synthesis waits for the caller's ear
    } else if (!dropped_) {
      failed_ = true;
      failed_speech_ = speech_;
      failure_.assign(task_.status().message());
    }
    made_ = false;
    if (dropped_ || task_.complete() || !task_.status().ok()) {
      if (!dropped_) playout_.EndSegment();
      making_ = dropped_ = false;
      const bool more = std::any_of(waiting_.begin(), waiting_.end(),
                                    [&](const auto& segment) { return segment.speech == speech_; });
      if (!more && std::erase(finished_, speech_) > 0) playout_.FinishSpeech(speech_);
    } else {
      waits_ = true;
    }
  }
  if (waits_ && dropped_) {
    making_ = dropped_ = waits_ = false;
  } else if (waits_ && playout_.queued_s() < kAheadS) {
    waits_ = false;
    Submit(io);
  }
  if (expected_) Learn(io);
  if (!making_ && !waiting_.empty()) Start(io);
}

void OmniVoice::Learn(LaneIo& io) {
  if (learning_.in_flight()) return;
  learning_.Prepare(*std::exchange(expected_, std::nullopt));
  io.Submit(learning_, Priority::kPartial, io.now() + kLearnDeadline);
}

void OmniVoice::Start(LaneIo& io) {
  // What is being learnt would be learnt twice.
  if (learning_.in_flight()) return;
  const SegmentText& next = waiting_.front();
  if (!playout_.BeginSegment(next.speech, next.segment, next.held, next.yields)) return;
  speech_ = next.speech;
  making_ = true;
  task_.Prepare(next, seed_);
  waiting_.pop_front();
  Submit(io);
}

// What is heard next comes first: by how much sound is still ahead of it.
void OmniVoice::Submit(LaneIo& io) {
  const bool first = !task_.sounded() && !playout_.playing();
  const auto ahead = static_cast<int64_t>(playout_.queued_s() * 1000) * base::kNanosPerMilli;
  const bool urgent = first || playout_.queued_s() < kUrgentS;
  const Priority priority = urgent ? Priority::kFirstAudio : Priority::kAudio;
  io.Submit(task_, priority, io.now() + (first ? kFirstAudioDeadline : ahead));
}

bool OmniVoice::TakeFailure(uint32_t& speech, std::string& message) {
  if (!failed_) return false;
  failed_ = false;
  speech = failed_speech_;
  message = failure_;
  return true;
}

}  // namespace trunkline::engine
