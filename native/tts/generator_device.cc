#include "tts/generator_device.h"

#include <algorithm>

namespace trunkline::tts {

using base::Code;
using base::Result;
using base::Status;
using GiveResults = onnx::DeviceScheduler::GiveResults;

namespace {

// Frames on either side of a window that influence its audio: CONTEXT of the recipe.
constexpr size_t kWindowContext = 20;
constexpr size_t kSamplesPerFrame = 300;
// A row of the spectrum spreads over so many samples; the first half of the first one fades in and is not played.
constexpr size_t kSpread = 20, kFade = kSpread / 2;
constexpr float kOverlap = 4;  // rows add up to this many times the sound
// A row outside of a clause, and the rows of a level that stand for a frame.
constexpr size_t kFrameRows = 10;

int64_t Signed(size_t number) {
  return static_cast<int64_t>(number);
}

size_t LengthOf(const GeneratorWindow& window) {
  return *std::find_if(GeneratorDevice::kFrames.begin(), GeneratorDevice::kFrames.end(),
                       [&](size_t frames) { return window.frames <= frames; });
}

}  // namespace

Result<std::shared_ptr<GeneratorDevice>> GeneratorDevice::Open(const onnx::SessionOpener& open,
                                                               const std::string& name,
                                                               const GeneratorWeights& weights,
                                                               const GeneratorDeviceSettings& settings) {
  const auto device = onnx::DeviceScheduler::Share(new GeneratorDevice(weights.statistics, settings));
  TRUNKLINE_ASSIGN_OR_RETURN(device->session_, open(name, {}));
  static constexpr const char* kIn[] = {"x", "harmonics", "style", "statistics", "frame_mask", "sound_mask"};
  static constexpr const char* kOut[] = {"audio"};
  TRUNKLINE_RETURN_IF_FAILED(device->session_->Require(kIn, kOut));
  const std::vector<int64_t>& shape = device->session_->input("statistics")->shape;
  if (shape.size() != 2 || shape[1] != Signed(weights.statistics))
    return Status(Code::kBadModel, "the generator for a GPU was made from other weights");
  TRUNKLINE_RETURN_IF_FAILED(device->WarmUp());
  onnx::DeviceScheduler::Model& batches = *device;
  device->scheduler_ = std::make_unique<onnx::DeviceScheduler>(batches, device->clock_, settings.scheduler);
  return device;
}

GeneratorDevice::~GeneratorDevice() = default;

Status GeneratorDevice::WarmUp() {
  const std::vector<float> style(kGeneratorStyle), statistics(statistics_, 1.0F);
  for (const size_t frames : kFrames) {
    GeneratorWindow window;
    window.style = style;
    window.statistics = statistics;
    window.frames = frames;
    window.x.resize(kGeneratorChannels * frames);
    window.harmonics.resize(kHarmonics * (kHarmonicSteps * frames + 1));
    onnx::DeviceWork* const all[] = {&window};
    TRUNKLINE_RETURN_IF_FAILED(Run(all).status());
  }
  return base::Ok();
}

void GeneratorDevice::Submit(GeneratorWindow& window, onnx::DeviceWork::Urgency urgency, bool opens,
                             std::function<void()> done) {
  scheduler_->Submit(window, urgency, opens, std::move(done));
}

void GeneratorDevice::Leave() {
  clauses_.fetch_sub(1, std::memory_order_relaxed);
  scheduler_->Wake();  // nobody waits for this clause's next window any more
}

std::vector<onnx::DeviceWork*> GeneratorDevice::Choose(std::span<onnx::DeviceWork* const> waiting) {
  const size_t length = LengthOf(static_cast<const GeneratorWindow&>(*waiting.front()));
  std::vector<onnx::DeviceWork*> together;
  for (onnx::DeviceWork* work : waiting) {
    if (together.size() == settings_.max_windows) break;
    if (LengthOf(static_cast<const GeneratorWindow&>(*work)) == length) together.push_back(work);
  }
  return together;
}

Result<GiveResults> GeneratorDevice::Run(std::span<onnx::DeviceWork* const> batch) {
  const size_t count = batch.size();
  const size_t frames = LengthOf(static_cast<const GeneratorWindow&>(*batch.front()));
  const size_t steps = kHarmonicSteps * frames + 1, rows = kFrameRows * frames;
  const size_t samples = kSamplesPerFrame * frames + kSpread;
  std::vector<float> x(count * kGeneratorChannels * frames), harmonics(count * kHarmonics * steps),
      style(count * kGeneratorStyle), statistics(count * statistics_), frame_mask(count * rows),
      sound_mask(count * steps), audio(count * samples);
  for (size_t i = 0; i < count; ++i) {
    const auto& window = static_cast<const GeneratorWindow&>(*batch[i]);
    const size_t own = window.frames, own_steps = kHarmonicSteps * own + 1;
    for (size_t c = 0; c < kGeneratorChannels; ++c)
      std::copy_n(&window.x[c * own], own, &x[(i * kGeneratorChannels + c) * frames]);
    for (size_t c = 0; c < kHarmonics; ++c)
      std::copy_n(&window.harmonics[c * own_steps], own_steps, &harmonics[(i * kHarmonics + c) * steps]);
    std::copy_n(window.style.begin(), kGeneratorStyle, &style[i * kGeneratorStyle]);
    std::copy_n(window.statistics.begin(), statistics_, &statistics[i * statistics_]);
    std::fill_n(&frame_mask[i * rows], kFrameRows * own, 1.0F);
    std::fill_n(&sound_mask[i * steps], own_steps, 1.0F);
  }
  TRUNKLINE_ASSIGN_OR_RETURN(const auto binding, onnx::IoBinding::Create(*session_));
  std::vector<onnx::Tensor> bound;
  const auto bind = [&](const char* name, std::vector<float>& values, std::initializer_list<size_t> sizes,
                        bool output = false) -> Status {
    std::vector<int64_t> shape;
    for (const size_t size : sizes) shape.push_back(Signed(size));
    TRUNKLINE_ASSIGN_OR_RETURN(auto tensor, onnx::Tensor::View<float>(session_->runtime(), values, shape));
    TRUNKLINE_RETURN_IF_FAILED(output ? binding->BindOutput(name, tensor) : binding->BindInput(name, tensor));
    bound.push_back(std::move(tensor));
    return base::Ok();
  };
  TRUNKLINE_RETURN_IF_FAILED(bind("x", x, {count, kGeneratorChannels, frames}));
  TRUNKLINE_RETURN_IF_FAILED(bind("harmonics", harmonics, {count, kHarmonics, steps}));
  TRUNKLINE_RETURN_IF_FAILED(bind("style", style, {count, kGeneratorStyle}));
  TRUNKLINE_RETURN_IF_FAILED(bind("statistics", statistics, {count, statistics_}));
  TRUNKLINE_RETURN_IF_FAILED(bind("frame_mask", frame_mask, {count, 1, rows}));
  TRUNKLINE_RETURN_IF_FAILED(bind("sound_mask", sound_mask, {count, 1, steps}));
  TRUNKLINE_RETURN_IF_FAILED(bind("audio", audio, {count, 1, samples}, true));
  TRUNKLINE_RETURN_IF_FAILED(binding->Run());
  return GiveResults([given = std::vector<onnx::DeviceWork*>(batch.begin(), batch.end()),
                      audio = std::move(audio), samples] {
    for (size_t i = 0; i < given.size(); ++i) {
      auto& window = static_cast<GeneratorWindow&>(*given[i]);
      const auto at = audio.begin() + static_cast<ptrdiff_t>(i * samples);
      window.raw.assign(at, at + static_cast<ptrdiff_t>(kSamplesPerFrame * window.frames + kSpread));
    }
  });
}

void GeneratorDevice::Failed(const Status& status) {
  serves_.store(false, std::memory_order_release);
  session_->placement()->FellBack("the GPU failed while the model ran: " + status.message());
}

GeneratorDeviceStream::GeneratorDeviceStream(std::shared_ptr<GeneratorDevice> device,
                                             std::shared_ptr<const GeneratorWeights> weights,
                                             std::span<const float> style, std::span<const float> statistics)
    : device_(std::move(device)),
      weights_(std::move(weights)),
      style_(RoundedStyle(style)),
      statistics_(statistics.begin(), statistics.end()) {
  window_.style = style_;
  window_.statistics = statistics_;
  device_->Enter();
}

GeneratorDeviceStream::~GeneratorDeviceStream() {
  device_->Leave();
}

void GeneratorDeviceStream::Append(const GeneratorFrames& frames, bool last) {
  const size_t count = frames.end - frames.begin, before = x_.size() / kGeneratorChannels;
  x_.resize((before + count) * kGeneratorChannels);
  for (size_t frame = 0; frame < count; ++frame)
    for (size_t c = 0; c < kGeneratorChannels; ++c)
      x_[(before + frame) * kGeneratorChannels + c] = frames.x[c * frames.width + frames.begin + frame];
  // The step behind the last frame is the first of the next one, which replaces it.
  const size_t steps = count * kHarmonicSteps + 1, width = frames.width * kHarmonicSteps + 1;
  harmonics_.resize((before * kHarmonicSteps + steps) * kHarmonics);
  for (size_t i = 0; i < steps; ++i)
    for (size_t c = 0; c < kHarmonics; ++c)
      harmonics_[(before * kHarmonicSteps + i) * kHarmonics + c] =
          frames.harmonics[c * width + frames.begin * kHarmonicSteps + i];
  closed_ = last;
}

bool GeneratorDeviceStream::Has(size_t frames) const {
  return closed_ || made_ + frames + kWindowContext <= end();
}

void GeneratorDeviceStream::Copy(size_t begin, size_t end, std::vector<float>& x,
                                 std::vector<float>& harmonics) const {
  const size_t count = end - begin, at = begin - first_, steps = kHarmonicSteps * count + 1;
  x.resize(kGeneratorChannels * count);
  for (size_t frame = 0; frame < count; ++frame)
    for (size_t c = 0; c < kGeneratorChannels; ++c)
      x[c * count + frame] = x_[(at + frame) * kGeneratorChannels + c];
  harmonics.resize(kHarmonics * steps);
  for (size_t i = 0; i < steps; ++i)
    for (size_t c = 0; c < kHarmonics; ++c)
      harmonics[c * steps + i] = harmonics_[(at * kHarmonicSteps + i) * kHarmonics + c];
}

void GeneratorDeviceStream::Begin() {
  window_begin_ = made_ - std::min(made_, kWindowContext);
  // A clause begins with a window of the short length, unless the whole of it is there.
  const bool begins = made_ == 0 && !(closed_ && end() <= GeneratorDevice::kFrames.back());
  const size_t longest = begins ? GeneratorDevice::kFrames.front() : GeneratorDevice::kFrames.back();
  const size_t last = std::min(window_begin_ + longest, end());
  window_until_ = closed_ && last == end() ? last : last - kWindowContext;
  window_.frames = last - window_begin_;
  Copy(window_begin_, last, window_.x, window_.harmonics);
  pending_ = true;
}

void GeneratorDeviceStream::Submit(onnx::DeviceWork::Urgency urgency, std::function<void()> done) {
  device_->Submit(window_, urgency, !opened_, std::move(done));
  opened_ = true;
}

Status GeneratorDeviceStream::Collect(std::vector<float>& out) {
  pending_ = false;
  TRUNKLINE_RETURN_IF_FAILED(window_.status());
  const size_t from = (made_ - window_begin_) * kSamplesPerFrame + kFade;
  const size_t until = (window_until_ - window_begin_) * kSamplesPerFrame + kFade;
  const std::vector<float>& sums = weights_->window_sum;
  for (size_t i = from; i < until; ++i) {
    float sample = window_.raw[i];
    if (window_begin_ == 0 && i < sums.size() && sums[i] > 0) sample /= sums[i];
    out.push_back(sample * kOverlap);
  }
  made_ = window_until_;
  Forget();
  return base::Ok();
}

// Drops the frames that no later window needs.
void GeneratorDeviceStream::Forget() {
  const size_t needed = made_ - std::min(made_, kWindowContext), count = needed - first_;
  x_.erase(x_.begin(), x_.begin() + static_cast<ptrdiff_t>(count * kGeneratorChannels));
  harmonics_.erase(harmonics_.begin(),
                   harmonics_.begin() + static_cast<ptrdiff_t>(count * kHarmonicSteps * kHarmonics));
  first_ = needed;
}

GeneratorDeviceStream::Rest GeneratorDeviceStream::Continue(std::span<const float> style) const {
  Rest rest{std::make_unique<GeneratorStream>(weights_, style, statistics_), made_ - first_};
  std::vector<float> x, harmonics;
  Copy(first_, end(), x, harmonics);
  const size_t count = end() - first_;
  rest.stream->Append({x, harmonics, count, 0, count}, closed_);
  return rest;
}

}  // namespace trunkline::tts
