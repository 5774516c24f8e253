#include "lanes/amd/greeting_text_task.h"

#include "dsp/dsp.h"
#include "lanes/amd/recognition_windows.h"
#include "lanes/amd/signal_analyzer.h"

namespace trunkline::amd {

using engine::LaneIo;

GreetingTextTask::GreetingTextTask(hear::HearModels& models) : models_(models) {
  samples_.reserve(static_cast<size_t>((RecognitionWindows::kLongestS + 1) * kRate));
}

void GreetingTextTask::Prepare(std::span<const float> samples, uint32_t number, double start_s, double end_s,
                               std::optional<asr::Language> language) {
  samples_.assign(samples.begin(), samples.end());
  number_ = number;
  start_s_ = start_s;
  end_s_ = end_s;
  language_ = language;
  begun_.store(false, std::memory_order_relaxed);
  read_ = false;
  took_s_ = 0;
  state = State::kAsked;
}

engine::Task::Step GreetingTextTask::Run() {
  const double began_s = hear::ProcessorSeconds();
  const Step step = Read();
  took_s_ += hear::ProcessorSeconds() - began_s;
  return step;
}

engine::Task::Step GreetingTextTask::Read() {
  if (!begun()) {
    begun_.store(true, std::memory_order_relaxed);
    wide_ = dsp::ResampleWhole(samples_, kRate, 2 * kRate, dsp::Grade::kSpeech);
    if (!transcriber_) transcriber_ = models_.TakeTranscriber();
    asr::TranscribeOptions options;
    options.language = language_;
    options.retries = 0;
    options.word_times = false;
    transcriber_->Begin(wide_, {}, options);
  }
  const auto done = transcriber_->Step(run_options());
  if (done.ok() && !done.value() && !cancelled())
    return transcriber_->pending() ? Step::kWaits : Step::kAgain;
  if (done.ok() && done.value()) {
    transcript_ = transcriber_->transcript();
    read_ = true;
  }
  models_.Give(std::move(transcriber_));
  return Step::kDone;
}

void GreetingTextTask::Done(LaneIo&) {
  models_.Give(std::move(transcriber_));
  state = read_ && !cancelled() && !faulted() ? State::kRead : State::kMissed;
}

}  // namespace trunkline::amd
