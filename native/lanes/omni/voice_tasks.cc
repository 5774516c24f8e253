#include "lanes/omni/voice_tasks.h"

#include <algorithm>
#include <utility>

#include "dsp/dsp.h"
#include "lanes/speak/speak.h"

namespace trunkline::omni {
namespace {

// A window on a GPU that would come later than this is made on the processor, where it begins a clause.
constexpr int64_t kFirstWindowNanos = 150 * base::kNanosPerMilli,
                  kNextWindowNanos = 500 * base::kNanosPerMilli;

base::Result<tts::VoiceSpec> VoiceOf(base::ByteView packed) {
  TRUNKLINE_ASSIGN_OR_RETURN(const engine::Options options, engine::Options::Parse(packed));
  return speak::ReadVoice(options);
}

}  // namespace

SegmentTask::SegmentTask(SegmentListener& listener, std::shared_ptr<tts::SpeechModels> models, int rate,
                         std::string owner, size_t voice_bytes)
    : listener_(listener), models_(std::move(models)), rate_(rate), owner_(std::move(owner)) {
  voice_.reserve(voice_bytes);
  // Without run options an interruption still silences the agent at once, but the model runs to the end of
  // its window.
  (void)AttachRunOptions(models_->runtime());
}

void SegmentTask::Prepare(uint32_t speech, std::string_view text, base::ByteView voice, uint64_t seed,
                          int fed_rate) {
  speech_ = speech;
  text_ = text;
  voice_.assign(voice.begin(), voice.end());
  seed_ = seed;
  stage_ = Stage::kNew;
  sounded_ = false;
  samples_.clear();
  fed_.rate = fed_rate > 0 ? std::clamp(fed_rate, kMinFedRate, kMaxFedRate) : 0;
  fed_.ended = false;
  fed_.sound.clear();
  const bool follows = said_.pause_ms > 0 && said_.speech == speech;
  pause_ = follows ? static_cast<size_t>(rate_) * static_cast<size_t>(said_.pause_ms) / 1000 : 0;
  said_.pause_ms = 0;
}

void SegmentTask::Feed(std::vector<uint8_t>& sound, bool end, size_t from) {
  fed_.sound.clear();
  std::swap(fed_.sound, sound);
  fed_.ended = end;
  fed_.from = std::min(from, text_.size());
}

engine::Task::Step SegmentTask::Run() {
  samples_.clear();
  floats_.clear();
  if (stage_ == Stage::kNew) status_ = Open();
  if (stage_ == Stage::kNew) stage_ = Stage::kMaking;
  const auto makes = [this] { return stage_ == Stage::kMaking && status_.ok(); };
  if (makes() && is_fed()) {
    TakeFed();
    if (!cancelled() && (is_fed() || !samples_.empty())) return Step::kDone;
    if (!cancelled() && !complete()) return Step::kAgain;
  } else {
    if (makes() && !synthesis_->done()) status_ = synthesis_->Step(run_options(), floats_);
    if (makes()) Encode();
  }
  // A step without audio continues at once, or with the window that a GPU makes.
  if (makes() && !cancelled()) {
    if (!samples_.empty()) return Step::kDone;
    return synthesis_->pending() ? Step::kWaits : Step::kAgain;
  }
  // A synthesis is destroyed here and never on the media thread.
  synthesis_.reset();
  return Step::kDone;
}

void SegmentTask::Wait(std::function<void()> resume) {
  const int64_t within = priority() == engine::Priority::kFirstAudio ? kFirstWindowNanos : kNextWindowNanos;
  synthesis_->Submit({.live = true, .within_nanos = within}, std::move(resume));
}

base::Status SegmentTask::Open() {
  synthesis_.reset();
  TRUNKLINE_ASSIGN_OR_RETURN(const engine::Options packed, engine::Options::Parse(voice_));
  if (!is_fed()) TRUNKLINE_RETURN_IF_FAILED(OpenSynthesis(packed));
  const int rate = is_fed() ? fed_.rate : synthesis_->rate();
  TRUNKLINE_RETURN_IF_FAILED(OpenEmbedder(packed.Text("mark"), rate));
  encoder_ = tts::WireEncoder::Create(rate, rate_, tts::WireFormat::kPcm16);
  if (encoder_) return base::Ok();
  return base::Status(base::Code::kInternal, "no resampler for the lane's rate");
}

base::Status SegmentTask::OpenSynthesis(const engine::Options& voice) {
  TRUNKLINE_ASSIGN_OR_RETURN(auto spec, speak::ReadVoice(voice));
  TRUNKLINE_ASSIGN_OR_RETURN(synthesis_,
                             tts::CachedSynthesis::Open(models_, std::move(spec), text_, owner_, seed_));
  return base::Ok();
}

base::Status SegmentTask::OpenEmbedder(std::string_view code, int rate) {
  if (mark_ != code || marked_rate_ != rate) {
    marked_rate_ = rate;
    mark_ = code;
    TRUNKLINE_ASSIGN_OR_RETURN(embedder_, speak::OpenEmbedder(code, marked_rate_));
  } else if (embedder_ && pause_ > 0) {
    std::vector<float> pause(pause_ * static_cast<size_t>(marked_rate_) / static_cast<size_t>(rate_));
    embedder_->Process(pause);
  }
  return base::Ok();
}

// The voice speaks the rest of the text once the feed has ended.
void SegmentTask::TakeFed() {
  bytes_.clear();
  dsp::FromWire(fed_.sound, fed_samples_);
  fed_.sound.clear();
  floats_.resize(fed_samples_.size());
  std::ranges::transform(fed_samples_, floats_.begin(),
                         [](int16_t sample) { return static_cast<float>(sample) / 32768.0F; });
  if (embedder_) embedder_->Process(floats_);
  encoder_->Add(floats_, bytes_);
  if (fed_.ended) encoder_->Finish(bytes_);
  dsp::FromWire(bytes_, samples_);
  sounded_ = sounded_ || !samples_.empty();
  if (!samples_.empty()) samples_.insert(samples_.begin(), std::exchange(pause_, 0), int16_t{0});
  if (!fed_.ended) return;
  fed_.rate = 0;
  text_.remove_prefix(fed_.from);
  stage_ = text_.empty() ? Stage::kComplete : Stage::kNew;
}

void SegmentTask::Encode() {
  bytes_.clear();
  if (embedder_) embedder_->Process(floats_);
  encoder_->Add(floats_, bytes_);
  if (synthesis_->done()) stage_ = Stage::kComplete;
  if (complete()) encoder_->Finish(bytes_);
  dsp::FromWire(bytes_, samples_);
  sounded_ = synthesis_->sounded();
  if (!samples_.empty()) samples_.insert(samples_.begin(), std::exchange(pause_, 0), int16_t{0});
  if (!complete() || !sounded_) return;
  said_.speech = speech_;
  said_.pause_ms = synthesis_->PauseAfter();
}

void SegmentTask::Done(engine::LaneIo&) {
  if (faulted()) status_ = base::Status(base::Code::kInternal, "synthesis threw");
  listener_.OnPiece();
}

LearnVoiceTask::LearnVoiceTask(std::shared_ptr<tts::SpeechModels> models, size_t voice_bytes)
    : models_(std::move(models)) {
  voice_.reserve(voice_bytes);
  (void)AttachRunOptions(models_->runtime());
}

// A voice's calibration may be in a file behind a lock, so it is read here and never on the media thread.
engine::Task::Step LearnVoiceTask::Run() {
  if (!learner_) {
    auto voice = VoiceOf(voice_);
    // The next segment with this voice reports the failure.
    if (!voice.ok()) return Step::kDone;
    learner_ = std::make_unique<tts::VoiceLearner>(models_, std::move(voice).value());
  }
  const auto known = learner_->Step(run_options());
  if (known.ok() && *known == nullptr && !cancelled()) return Step::kAgain;
  learner_.reset();
  return Step::kDone;
}

}  // namespace trunkline::omni
