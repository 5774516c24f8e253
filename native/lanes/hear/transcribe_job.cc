#include "lanes/hear/transcribe_job.h"

#include <cmath>
#include <functional>
#include <vector>

#include "asr/asr.h"
#include "dsp/dsp.h"
#include "lanes/hear/models.h"
#include "lanes/hear/options.h"
#include "lanes/hear/transcript_record.h"

namespace trunkline::hear {
namespace {

constexpr double kSpeechRate = 16000;
constexpr size_t kMaxTranscribedSamples = 60 * 16000;
constexpr uint32_t kNoLanguage = 255;
// Frames of voice activity in one step: about 10 ms.
constexpr size_t kFramesPerStep = 120;
// The beam width that Whisper and other implementations use.
constexpr size_t kBeam = 5;
// Timestamps help with little speech, and cost words where a window holds many stretches.
constexpr size_t kMarkedWindow = 10 * 16000;
constexpr std::string_view kTranslate = "translate";
// Margin around a run of one language, where the pause allows it.
constexpr double kMarginS = 1;

class TranscribeJob final : public engine::Job {
 public:
  TranscribeJob(std::shared_ptr<HearModels> models, std::shared_ptr<Recognizer> recognizer,
                const engine::Options& options, std::vector<uint8_t> input)
      : models_(std::move(models)),
        recognizer_(std::move(recognizer)),
        silero_(models_->voice_activity()),
        last_(options.Flag("last", true)) {
    transcribe_.language = ReadLanguage(options);
    transcribe_.expected = asr::LanguageOf(options.Text("expected"));
    transcribe_.temperature = static_cast<float>(std::clamp(options.Number("temperature", 0), 0.0, 2.0));
    transcribe_.seed = static_cast<uint64_t>(options.Integer("seed", 0, INT64_MIN, INT64_MAX));
    transcribe_.width = kBeam;
    transcribe_.urgency = {.live = false, .within_nanos = engine::kOfflineStepNanos};
    transcribe_.vocabulary = ReadVocabulary(options, recognizer_->whisper()->tokens());
    transcribe_.translate = options.Text("task") == kTranslate;
    transcribe_.word_times = !transcribe_.translate;
    std::vector<int16_t> pcm;
    dsp::FromWire(input, pcm);
    samples_.resize(pcm.size());
    dsp::ToFloat(pcm, samples_);
  }

  ~TranscribeJob() override { recognizer_->Give(std::move(transcriber_)); }

  engine::Task::Step Step(engine::JobIo& io) override {
    io.Schedule(engine::Priority::kOffline, io.now() + engine::kOfflineStepNanos);
    const size_t frames = (samples_.size() + asr::kHeardSamples - 1) / asr::kHeardSamples;
    if (heard_.size() < frames) return Listen(io, frames);
    if (!speech_window_) {
      speech_window_ = asr::FirstWindow(heard_, last_);
      speech_window_->end = std::min(speech_window_->end, samples_.size());
      if (speech_window_->silent) {
        texts_.push_back({{speech_window_->begin, speech_window_->end, std::nullopt}, kNoLanguage, {}});
        return Answer(io, speech_window_->end);
      }
      transcriber_ = recognizer_->Take();
      transcribe_.phrases = speech_window_->phrases;
      Begin({speech_window_->begin, speech_window_->end, transcribe_.language});
      io.Progress(0.2f);
      return engine::Task::Step::kAgain;
    }
    const auto done = transcriber_->Step(io.run_options());
    if (!done.ok()) return io.End(done.status());
    if (!done.value())
      return transcriber_->pending() ? engine::Task::Step::kWaits : engine::Task::Step::kAgain;
    if (transcriber_->languages().size() > 1) {
      PartByLanguage();
      return engine::Task::Step::kAgain;
    }
    const asr::Transcript& transcript = transcriber_->transcript();
    texts_.push_back({window_, static_cast<uint32_t>(transcript.language), transcript});
    if (waiting_.empty()) return Answer(io, window_.end);
    Begin(waiting_.front());
    waiting_.erase(waiting_.begin());
    return engine::Task::Step::kAgain;
  }

  void Wait(std::function<void()> resume) override { transcriber_->Submit(std::move(resume)); }

 private:
  engine::Task::Step Listen(engine::JobIo& io, size_t frames) {
    const size_t until = std::min(frames, heard_.size() + kFramesPerStep);
    std::vector<float> frame(asr::kHeardSamples);
    while (heard_.size() < until) {
      const size_t first = heard_.size() * asr::kHeardSamples;
      const size_t count = std::min(asr::kHeardSamples, samples_.size() - first);
      std::fill(frame.begin(), frame.end(), 0.0f);
      std::copy_n(samples_.data() + first, count, frame.data());
      vad::VadItem item{&vad_state_, frame};
      const base::Status status = silero_.Run(vad::VadRate::k16k, {&item, 1});
      if (!status.ok()) return io.End(status);
      double power = 0;
      for (const float x : frame) power += static_cast<double>(x) * x;
      heard_.push_back({item.probability, dsp::ToDbfs(power / static_cast<double>(frame.size()))});
    }
    return engine::Task::Step::kAgain;
  }

  struct Part {
    size_t begin = 0, end = 0;  // samples
    std::optional<asr::Language> language;
  };
  struct Text {
    Part part;
    uint32_t language = kNoLanguage;
    asr::Transcript transcript;
  };

  void Begin(const Part& part) {
    window_ = part;
    speech_.clear();
    const double from = static_cast<double>(part.begin - speech_window_->begin) / kSpeechRate;
    const double until = static_cast<double>(part.end - speech_window_->begin) / kSpeechRate;
    for (const asr::Span& span : speech_window_->speech) {
      if (span.end <= from || span.start >= until) continue;
      speech_.push_back({std::max(span.start, from) - from, std::min(span.end, until) - from});
    }
    transcribe_.language = part.language;
    transcribe_.marks = part.end - part.begin <= kMarkedWindow;
    transcriber_->Begin(std::span<const float>(samples_).subspan(part.begin, part.end - part.begin), speech_,
                        transcribe_);
  }

  // The window holds several languages: each run becomes a window of its own, cut in the pause between.
  void PartByLanguage() {
    std::vector<asr::LanguageRun> runs = transcriber_->languages();
    const auto sample = [&](double seconds) {
      return std::min(speech_window_->end,
                      speech_window_->begin + static_cast<size_t>(seconds * kSpeechRate));
    };
    for (size_t i = 0; i < runs.size(); ++i) {
      Part part{speech_window_->begin, speech_window_->end, runs[i].language};
      if (i > 0) {
        const double pause = runs[i].span.start - runs[i - 1].span.end;
        part.begin = sample(runs[i].span.start - std::min(kMarginS, pause / 2));
      }
      if (i + 1 < runs.size()) {
        const double pause = runs[i + 1].span.start - runs[i].span.end;
        part.end = sample(runs[i].span.end + std::min(kMarginS, pause / 2));
      }
      waiting_.push_back(part);
    }
    // The last run is complete only with the audio after the window.
    if (speech_window_->goes_on) waiting_.pop_back();
    transcribe_.phrases = {};
    Begin(waiting_.front());
    waiting_.erase(waiting_.begin());
  }

  engine::Task::Step Answer(engine::JobIo& io, size_t used) {
    size_t bytes = 4;
    for (const Text& text : texts_)
      bytes += 20 + TranscriptBytes(text.transcript.text, text.transcript.words);
    engine::Chunk chunk(bytes);
    base::ByteWriter writer(chunk);
    writer.Write(static_cast<uint32_t>(used));
    for (const Text& text : texts_) {
      const double begin_s = static_cast<double>(text.part.begin) / kSpeechRate;
      writer.Write(text.language);
      writer.Write(begin_s);
      writer.Write(static_cast<double>(text.part.end) / kSpeechRate);
      WriteTranscript(writer, text.transcript.text, text.transcript.words, begin_s);
    }
    io.Emit(std::move(chunk));
    return io.End(base::Ok());
  }

  std::shared_ptr<HearModels> models_;
  const std::shared_ptr<Recognizer> recognizer_;
  vad::Silero silero_;
  vad::VadState vad_state_;
  asr::TranscribeOptions transcribe_;
  bool last_;
  std::vector<float> samples_;
  std::vector<asr::SpeechFrame> heard_;
  std::optional<asr::SpeechWindow> speech_window_;
  Part window_;
  std::vector<asr::Span> speech_;
  std::vector<Part> waiting_;
  std::vector<Text> texts_;
  std::unique_ptr<asr::Transcriber> transcriber_;
};

class TranscribeKind final : public engine::JobKind {
 public:
  std::string name() const override { return "transcribe"; }

  base::Status Prepare(engine::Services& services) override {
    TRUNKLINE_ASSIGN_OR_RETURN(models_, HearModels::Open(services));
    return base::Ok();
  }

  base::Result<std::unique_ptr<engine::Job>> Open(const engine::Options& options,
                                                  std::vector<uint8_t> input) override {
    if (input.size() / 2 > kMaxTranscribedSamples) {
      return base::Status(base::Code::kInvalidArgument, "a piece of a recording is at most 60 s");
    }
    TRUNKLINE_ASSIGN_OR_RETURN(auto recognizer, ReadRecognizer(options, *models_));
    if (options.Text("task") == kTranslate && recognizer->whisper()->marks().translate < 0) {
      return base::Status(base::Code::kInvalidArgument, "these weights of Whisper do not translate");
    }
    return std::unique_ptr<engine::Job>(
        std::make_unique<TranscribeJob>(models_, std::move(recognizer), options, std::move(input)));
  }

 private:
  std::shared_ptr<HearModels> models_;
};

}  // namespace

std::shared_ptr<engine::JobKind> MakeTranscribeKind() {
  return std::make_shared<TranscribeKind>();
}

}  // namespace trunkline::hear
