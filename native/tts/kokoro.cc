#include "tts/kokoro.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <numbers>
#include <semaphore>
#include <sstream>

#include "tts/style_table.h"

namespace trunkline::tts {

using base::Code;
using base::Result;
using base::Status;

namespace {

// The model counts the breath before a word as silence, so speech may begin this long before the silence
// ends.
constexpr size_t kKokoroBreath = 12;

// The decoder's convolutions reach this many frames to each side.
constexpr size_t kDecoderContext = 24;
// Frames that are decoded together: few for the first sound, then ever more.
constexpr size_t kFirstStretch = 48, kLongestStretch = 384;
// Two readings are compared over kCompared frames at their joint; their difference fades over kGlide
// frames, and is at most kMaxGlide as a ratio of pitch.
constexpr size_t kCompared = 8, kGlide = 40;
constexpr float kMaxGlide = 1.25F;

// A stressed word is longer and higher by these factors; docs/decisions/128-emphasis.md.
constexpr float kStressLength = 1.2F, kStressPitch = 1.2F;
constexpr ptrdiff_t kStressRise = 5;  // frames

Result<onnx::Tensor> View(const onnx::Session& session, std::span<const float> numbers,
                          std::initializer_list<int64_t> shape) {
  const std::vector<int64_t> dimensions(shape);
  return onnx::Tensor::View<const float>(session.runtime(), numbers, dimensions);
}

int64_t Size(std::span<const float> numbers) {
  return static_cast<int64_t>(numbers.size());
}

// The phase of each harmonic at the middle of each frame, less whole turns before the stretch.
std::vector<float> Phases(std::span<const float> hertz, size_t begin, size_t end) {
  std::vector<float> phases(kSines * (end - begin));
  for (size_t k = 0; k < kSines; ++k) {
    double turns = 0;
    for (size_t frame = 0; frame < end; ++frame) {
      const double step = static_cast<double>(hertz[frame]) * static_cast<double>(k + 1) / kKokoroRate;
      turns += (step - std::floor(step)) * kFrameSamples;
      if (frame < begin)
        turns -= std::floor(turns);
      else
        phases[k * (end - begin) + frame - begin] = static_cast<float>(2 * std::numbers::pi * turns);
    }
  }
  return phases;
}

// Columns of a matrix of kGeneratorChannels rows.
void AppendColumns(std::vector<float>& out, std::span<const float> from, size_t width, size_t begin,
                   size_t end, size_t row) {
  const auto at = from.begin() + static_cast<ptrdiff_t>(row * width);
  out.insert(out.end(), at + static_cast<ptrdiff_t>(begin), at + static_cast<ptrdiff_t>(end));
}

std::vector<float> Columns(std::span<const float> from, size_t width, size_t begin, size_t end) {
  std::vector<float> out;
  out.reserve(kGeneratorChannels * (end - begin));
  for (size_t row = 0; row < kGeneratorChannels; ++row) AppendColumns(out, from, width, begin, end, row);
  return out;
}

std::vector<float> StressedSpeed(const Prosody& prosody, size_t ids) {
  std::vector<float> speed(ids, prosody.speed);
  for (size_t i = 0; i < prosody.stressed.size() && i + 1 < ids; ++i)
    if (prosody.stressed[i]) speed[i + 1] /= kStressLength;
  return speed;
}

// 1 within a stressed word, rising to it from its surroundings.
std::vector<float> StressOfFrames(const std::vector<bool>& stressed, std::span<const float> durations,
                                  size_t frames) {
  std::vector<float> stress(frames, 0);
  const auto put = [&stress](ptrdiff_t at, float value) {
    if (at < 0 || at >= static_cast<ptrdiff_t>(stress.size())) return;
    float& so = stress[static_cast<size_t>(at)];
    so = std::max(so, value);
  };
  ptrdiff_t at = 0;
  for (size_t i = 0; i < durations.size(); ++i) {
    const ptrdiff_t end = at + 2 * static_cast<ptrdiff_t>(std::max(0.0F, durations[i]));
    if (i > 0 && i - 1 < stressed.size() && stressed[i - 1]) {
      for (ptrdiff_t f = at; f < end; ++f) put(f, 1);
      for (ptrdiff_t r = 1; r <= kStressRise; ++r) {
        const float value = 1 - static_cast<float>(r) / (kStressRise + 1);
        put(at - r, value);
        put(end - 1 + r, value);
      }
    }
    at = end;
  }
  return stress;
}

}  // namespace

size_t KokoroClause::speech_begins() const {
  const size_t silent = durations.empty() ? 0 : static_cast<size_t>(std::max(0.0F, durations.front())) * 2;
  return std::min(silent > kKokoroBreath ? silent - kKokoroBreath : 0, frames > 0 ? frames - 1 : 0);
}

size_t KokoroClause::FrameOf(size_t token) const {
  size_t frame = 0;
  for (size_t i = 0; i < std::min(token, durations.size()); ++i)
    frame += 2 * static_cast<size_t>(std::max(0.0F, durations[i]));
  return std::min(frame, frames);
}

void KokoroClause::Continue(const KokoroClause& other, size_t token) {
  const size_t here = FrameOf(token), there = other.FrameOf(token);
  const size_t compared = std::min({kCompared, frames - here, other.frames - there});
  float ratio = 0, louder = 0;
  size_t voiced = 0;
  for (size_t i = 0; i < compared; ++i) {
    louder += (energy[here + i] - other.energy[there + i]) / static_cast<float>(compared);
    if (hertz[here + i] <= kKokoroVoicedHz || other.hertz[there + i] <= kKokoroVoicedHz) continue;
    ratio += std::log(hertz[here + i] / other.hertz[there + i]);
    ++voiced;
  }
  if (voiced > 0) ratio /= static_cast<float>(voiced);
  ratio = std::clamp(ratio, -std::log(kMaxGlide), std::log(kMaxGlide));
  std::vector<float> joined;
  joined.reserve(kGeneratorChannels * (here + other.frames - there) / 2);
  for (size_t row = 0; row < kGeneratorChannels; ++row) {
    AppendColumns(joined, sounds, frames / 2, 0, here / 2, row);
    AppendColumns(joined, other.sounds, other.frames / 2, there / 2, other.frames / 2, row);
  }
  sounds = std::move(joined);
  const auto join = [&](std::vector<float>& mine, const std::vector<float>& others) {
    mine.resize(here);
    mine.insert(mine.end(), others.begin() + static_cast<ptrdiff_t>(there), others.end());
  };
  join(hertz, other.hertz);
  join(energy, other.energy);
  join(f0, other.f0);
  durations.resize(token);
  durations.insert(durations.end(), other.durations.begin() + static_cast<ptrdiff_t>(token),
                   other.durations.end());
  frames = hertz.size();
  for (size_t i = 0; i < std::min(kGlide, frames - here); ++i) {
    const float share = 1 - static_cast<float>(i) / kGlide;
    energy[here + i] += share * louder;
    if (hertz[here + i] > kKokoroVoicedHz) hertz[here + i] *= std::exp(share * ratio);
  }
}

bool Prosody::HasStress() const {
  return std::find(stressed.begin(), stressed.end(), true) != stressed.end();
}

Result<std::unique_ptr<Kokoro>> Kokoro::Load(const onnx::SessionOpener& open, const KokoroFiles& files,
                                             const onnx::SessionOptions& options) {
  std::unique_ptr<Kokoro> kokoro(new Kokoro());
  TRUNKLINE_ASSIGN_OR_RETURN(kokoro->prosody_, open("kokoro/prosody.onnx", options));
  TRUNKLINE_ASSIGN_OR_RETURN(kokoro->decoder_, open("kokoro/decoder.onnx", options));
  TRUNKLINE_ASSIGN_OR_RETURN(kokoro->generator_, LoadGenerator(files.generator, BestGeneratorKernels(),
                                                               options.threads == 1 ? 1 : 2));
  TRUNKLINE_RETURN_IF_FAILED(kokoro->prosody_->Require(kProsodyInputs, kProsodyOutputs));
  TRUNKLINE_RETURN_IF_FAILED(kokoro->decoder_->Require(kDecoderInputs, kDecoderOutputs));
  std::ifstream file(files.vocabulary);
  std::stringstream json;
  json << file.rdbuf();
  TRUNKLINE_ASSIGN_OR_RETURN(kokoro->table_, text::ReadPhonemeTable(json.str(), "vocab"));
  const auto space = kokoro->table_.Encode(" ");
  if (space.size() != 1) return Status(Code::kBadModel, "the vocabulary has no space");
  kokoro->space_ = space.front();
  return kokoro;
}

Status Kokoro::Run(FrontDevice::Part part, Place place, std::span<const onnx::Input> inputs,
                   std::span<const onnx::Output> outputs, const onnx::RunOptions* run) const {
  if (place != Place::kProcessor) {
    const bool serves = front_ != nullptr && front_->serves();
    const Status status = serves ? front_->Run(part, inputs, outputs)
                                 : Status(Code::kDevice, "no GPU reads and decodes clauses");
    if (status.ok() || place == Place::kGpu) return status;
  }
  return (part == FrontDevice::kProsody ? prosody_ : decoder_)->Run(inputs, outputs, run);
}

Status Kokoro::Predict(std::span<const int64_t> ids, Place place, std::span<const float> speed,
                       std::span<const float> pitch, const Prosody& prosody, KokoroClause& clause,
                       const onnx::RunOptions* run) const {
  const std::array<int64_t, 2> shape = {1, static_cast<int64_t>(ids.size())};
  TRUNKLINE_ASSIGN_OR_RETURN(const auto tokens,
                             onnx::Tensor::View<const int64_t>(prosody_->runtime(), ids, shape));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto styles, View(*prosody_, clause.style, {1, kStyleWidth}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto speeds, View(*prosody_, speed, {1, Size(speed)}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto pitches, View(*prosody_, pitch, {1, 1, Size(pitch)}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto range, View(*prosody_, std::span(&prosody.range, 1), {1}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto center, View(*prosody_, std::span(&prosody.center_hz, 1), {1}));
  onnx::Tensor sounds, hertz, energy, durations, f0;
  const onnx::Input inputs[] = {{"tokens", &tokens}, {"style", &styles}, {"speed", &speeds},
                                {"pitch", &pitches}, {"range", &range},  {"center", &center}};
  const onnx::Output outputs[] = {
      {"sounds", &sounds}, {"hertz", &hertz}, {"energy", &energy}, {"durations", &durations}, {"f0", &f0}};
  TRUNKLINE_RETURN_IF_FAILED(Run(FrontDevice::kProsody, place, inputs, outputs, run));
  clause.frames = hertz.size();
  if (clause.frames == 0 || 2 * sounds.size() != kGeneratorChannels * clause.frames ||
      energy.size() != clause.frames) {
    return Status(Code::kBadModel, "the prosody's outputs differ in length");
  }
  const auto copy = [](const onnx::Tensor& from, std::vector<float>& to) {
    const auto numbers = from.data<float>();
    to.assign(numbers.begin(), numbers.end());
  };
  copy(sounds, clause.sounds);
  copy(hertz, clause.hertz);
  copy(energy, clause.energy);
  copy(durations, clause.durations);
  copy(f0, clause.f0);
  return base::Ok();
}

Result<std::unique_ptr<KokoroClause>> Kokoro::Read(std::span<const int64_t> tokens,
                                                   std::span<const float> style, const Prosody& prosody,
                                                   const onnx::RunOptions* run) const {
  if (tokens.empty() || tokens.size() > kMaxTokens)
    return Status(Code::kInvalidArgument, "the clause has no phonemes, or too many");
  auto clause = std::make_unique<KokoroClause>();
  clause->style.assign(style.begin(), style.end());
  std::vector<int64_t> ids(tokens.size() + 2, 0);
  std::copy(tokens.begin(), tokens.end(), ids.begin() + 1);
  if (!prosody.HasStress()) {
    TRUNKLINE_RETURN_IF_FAILED(Predict(ids, Place::kEither, std::span(&prosody.speed, 1),
                                       std::span(&prosody.pitch, 1), prosody, *clause, run));
  } else if (!PredictStressed(ids, Place::kGpu, prosody, *clause, run).ok()) {
    TRUNKLINE_RETURN_IF_FAILED(PredictStressed(ids, Place::kProcessor, prosody, *clause, run));
  }
  return clause;
}

Status Kokoro::PredictStressed(std::span<const int64_t> ids, Place place, const Prosody& prosody,
                               KokoroClause& clause, const onnx::RunOptions* run) const {
  const std::vector<float> speed = StressedSpeed(prosody, ids.size());
  TRUNKLINE_RETURN_IF_FAILED(Predict(ids, place, speed, std::span(&prosody.pitch, 1), prosody, clause, run));
  clause.stress = StressOfFrames(prosody.stressed, clause.durations, clause.f0.size());
  std::vector<float> pitch(clause.stress.size());
  for (size_t i = 0; i < pitch.size(); ++i)
    pitch[i] = prosody.pitch * (1 + (kStressPitch - 1) * clause.stress[i]);
  return Predict(ids, place, speed, pitch, prosody, clause, run);
}

Result<Kokoro::Features> Kokoro::Decode(const KokoroClause& clause, size_t begin, size_t end,
                                        std::span<const float> statistics,
                                        const onnx::RunOptions* run) const {
  const auto width = static_cast<int64_t>(end - begin);
  const auto sounds = Columns(clause.sounds, clause.frames / 2, begin / 2, end / 2);
  const auto phases = Phases(clause.hertz, begin, end);
  const std::vector<float> none(statistics.empty() ? kDecoderMeans : 0);
  const bool own = statistics.empty();
  const auto given = own ? std::span<const float>(none) : statistics;
  const std::array<int64_t, 1> one = {1};
  TRUNKLINE_ASSIGN_OR_RETURN(const auto sound, View(*decoder_, sounds, {1, kGeneratorChannels, width / 2}));
  TRUNKLINE_ASSIGN_OR_RETURN(
      const auto hertz, View(*decoder_, std::span(clause.hertz).subspan(begin, end - begin), {1, width}));
  TRUNKLINE_ASSIGN_OR_RETURN(
      const auto energy, View(*decoder_, std::span(clause.energy).subspan(begin, end - begin), {1, width}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto style, View(*decoder_, clause.style, {1, kStyleWidth}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto phase, View(*decoder_, phases, {1, kSines, width}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto means, View(*decoder_, given, {kDecoderMeans}));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto measure,
                             onnx::Tensor::View<const bool>(decoder_->runtime(), std::span(&own, 1), one));
  const onnx::Input inputs[] = {{"sounds", &sound},   {"hertz", &hertz}, {"energy", &energy},
                                {"style", &style},    {"phase", &phase}, {"statistics", &means},
                                {"measure", &measure}};
  Features features;
  features.frames = end - begin;
  const onnx::Output outputs[] = {
      {"x", &features.x}, {"harmonics", &features.harmonics}, {"means", &features.means}};
  TRUNKLINE_RETURN_IF_FAILED(Run(FrontDevice::kDecoder, Place::kEither, inputs, outputs, run));
  if (features.x.size() != kGeneratorChannels * features.frames ||
      features.harmonics.size() != kHarmonics * (features.frames * kHarmonicSteps + 1) ||
      features.means.size() != kDecoderMeans) {
    return Status(Code::kBadModel, "the decoder's outputs differ in length from its inputs");
  }
  return features;
}

Result<std::unique_ptr<KokoroStream>> Kokoro::Generate(KokoroClause clause, size_t from,
                                                       std::span<const float> statistics) const {
  if (from >= clause.frames || statistics.size() != statistics_size())
    return Status(Code::kInvalidArgument, "the stretch lies outside of its clause");
  const size_t begin = from > kContext ? from - kContext : 0;
  return std::make_unique<KokoroStream>(*this, std::move(clause), begin, statistics);
}

Result<Kokoro::Whole> Kokoro::Measure(const KokoroClause& clause, const onnx::RunOptions* run) const {
  TRUNKLINE_ASSIGN_OR_RETURN(const auto features, Decode(clause, 0, clause.frames, {}, run));
  GeneratorStream stream(
      generator_,
      {clause.style, features.x.data<float>(), features.harmonics.data<float>(), clause.frames, 0, {}});
  Whole whole;
  TRUNKLINE_RETURN_IF_FAILED(stream.Step(clause.frames, run, whole.samples));
  whole.statistics = stream.statistics();
  const auto means = features.means.data<float>();
  whole.statistics.insert(whole.statistics.end(), means.begin(), means.end());
  return whole;
}

KokoroStream::KokoroStream(const Kokoro& kokoro, KokoroClause clause, size_t begin,
                           std::span<const float> statistics)
    : kokoro_(kokoro),
      clause_(std::move(clause)),
      means_(statistics.begin() + static_cast<ptrdiff_t>(kokoro.generator_->statistics), statistics.end()),
      decoded_(begin),
      until_(clause_.frames),
      stretch_(kFirstStretch) {
  const auto own = statistics.first(kokoro.generator_->statistics);
  if (kokoro.device_ != nullptr && kokoro.device_->serves())
    there_ = std::make_unique<GeneratorDeviceStream>(kokoro.device_, kokoro.generator_, clause_.style, own);
  else
    here_ = std::make_unique<GeneratorStream>(kokoro.generator_, clause_.style, own);
}

void KokoroStream::StopBefore(size_t token) {
  open_token_ = token;
  until_ = std::max(clause_.FrameOf(token), decoded_);
}

void KokoroStream::Continue(const KokoroClause& whole) {
  clause_.Continue(whole, open_token_);
  open_token_ = 0;
  until_ = clause_.frames;
}

Status KokoroStream::DecodeNext(const onnx::RunOptions* run) {
  size_t end = std::min(decoded_ + stretch_, until_);
  if (until_ - end < kFirstStretch / 2) end = until_;
  const size_t from = (decoded_ > kDecoderContext ? decoded_ - kDecoderContext : 0) & ~size_t{1};
  const size_t until = std::min((end + kDecoderContext + 1) & ~size_t{1}, clause_.frames);
  TRUNKLINE_ASSIGN_OR_RETURN(const auto features, kokoro_.Decode(clause_, from, until, means_, run));
  const GeneratorFrames frames = {features.x.data<float>(), features.harmonics.data<float>(), features.frames,
                                  decoded_ - from, end - from};
  const bool last = open_token_ == 0 && end == clause_.frames;
  there_ ? there_->Append(frames, last) : here_->Append(frames, last);
  decoded_ = end;
  stretch_ = std::min(2 * stretch_, kLongestStretch);
  return base::Ok();
}

bool KokoroStream::Has(size_t frames) const {
  return there_ ? there_->Has(frames) : here_->Has(frames + skip_ / kFrameSamples);
}

Status KokoroStream::Step(size_t frames, const onnx::RunOptions* run, std::vector<float>& out) {
  if (!pending() && !Has(frames)) return decoded_ < until_ ? DecodeNext(run) : base::Ok();
  return there_ ? StepThere(out) : StepHere(frames, run, out);
}

Status KokoroStream::StepHere(size_t frames, const onnx::RunOptions* run, std::vector<float>& out) {
  if (skip_ == 0) return here_->Step(frames, run, out);
  std::vector<float> made;
  TRUNKLINE_RETURN_IF_FAILED(here_->Step(frames + skip_ / kFrameSamples, run, made));
  const size_t skipped = std::min(skip_, made.size());
  skip_ -= skipped;
  out.insert(out.end(), made.begin() + static_cast<ptrdiff_t>(skipped), made.end());
  return base::Ok();
}

Status KokoroStream::StepThere(std::vector<float>& out) {
  if (!there_->pending()) {
    there_->Begin();
    return base::Ok();
  }
  if (!submitted_) {
    const auto done = std::make_shared<std::binary_semaphore>(0);
    Submit({}, [done] { done->release(); });
    done->acquire();
  }
  submitted_ = false;
  if (there_->Collect(out).ok()) return base::Ok();
  auto rest = there_->Continue(clause_.style);
  here_ = std::move(rest.stream);
  skip_ = rest.skip * kFrameSamples;
  there_.reset();
  return base::Ok();
}

void KokoroStream::Submit(onnx::DeviceWork::Urgency urgency, std::function<void()> done) {
  submitted_ = true;
  there_->Submit(urgency, std::move(done));
}

}  // namespace trunkline::tts
