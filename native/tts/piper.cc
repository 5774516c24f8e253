#include "tts/piper.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "tts/noise.h"

namespace trunkline::tts {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr size_t kChannels = 192;
constexpr size_t kDurationChannels = 2;
// The variation between repetitions, as the voice was published.
constexpr float kVariation = 0.667F;
constexpr size_t kMostPhonemes = 1000;
// An output frame depends on this many frames to each side, and on no others.
constexpr size_t kContext = 12;
// A frame of the flow depends on this many frames to each side.
constexpr size_t kFlowContext = 32;
constexpr std::string_view kUnvoiced = "ptkfsʃθhʧ";
// The model counts the start of a word as silence, so speech may begin this long before the silence ends.
constexpr size_t kBreath = 8;

size_t Width(std::span<const float> rows) {
  return rows.size() / kChannels;
}

// The first `kept` columns of one matrix, then those of another from column `from` on.
std::vector<float> Join(std::span<const float> first, size_t kept, std::span<const float> second,
                        size_t from) {
  std::vector<float> out;
  out.reserve(kChannels * (kept + Width(second) - from));
  for (size_t channel = 0; channel < kChannels; ++channel) {
    const auto a = first.subspan(channel * Width(first), kept);
    const auto b = second.subspan(channel * Width(second) + from, Width(second) - from);
    out.insert(out.end(), a.begin(), a.end());
    out.insert(out.end(), b.begin(), b.end());
  }
  return out;
}

}  // namespace

size_t PiperClause::FrameOf(size_t sound) const {
  const size_t blanks = 2 + 2 * sound;
  float frame = 0;
  for (size_t i = 0; i < std::min(blanks, durations.size()); ++i) frame += std::max(0.0F, durations[i]);
  return std::min(static_cast<size_t>(frame), frames);
}

bool Piper::IsUnvoiced(int64_t sound) const {
  return std::find(unvoiced_.begin(), unvoiced_.end(), sound) != unvoiced_.end();
}

Result<std::unique_ptr<Piper>> Piper::Load(const onnx::SessionOpener& open, const PiperFiles& files,
                                           const onnx::SessionOptions& options) {
  std::unique_ptr<Piper> piper(new Piper());
  TRUNKLINE_ASSIGN_OR_RETURN(piper->text_, open("piper-joe/joe-text.onnx", options));
  TRUNKLINE_ASSIGN_OR_RETURN(piper->flow_, open("piper-joe/joe-flow.onnx", options));
  TRUNKLINE_ASSIGN_OR_RETURN(piper->decoder_, open("piper-joe/joe-decoder.onnx", options));
  static constexpr const char* kTextIn[] = {"input", "input_lengths", "scales", "duration_noise"};
  static constexpr const char* kTextOut[] = {"mean", "deviation", "durations"};
  TRUNKLINE_RETURN_IF_FAILED(piper->text_->Require(kTextIn, kTextOut));
  static constexpr const char* kFlowIn[] = {"sounds", "mask"};
  static constexpr const char* kLatent[] = {"latent"};
  TRUNKLINE_RETURN_IF_FAILED(piper->flow_->Require(kFlowIn, kLatent));
  static constexpr const char* kAudio[] = {"audio"};
  TRUNKLINE_RETURN_IF_FAILED(piper->decoder_->Require(kLatent, kAudio));
  std::ifstream file(files.table);
  std::stringstream json;
  json << file.rdbuf();
  TRUNKLINE_ASSIGN_OR_RETURN(piper->table_, text::ReadPhonemeTable(json.str(), "phoneme_id_map"));
  const auto space = piper->table_.Encode(" ");
  if (space.size() != 1) return Status(Code::kBadModel, "the phoneme table has no space");
  piper->space_ = space.front();
  piper->unvoiced_ = piper->table_.Encode(kUnvoiced);
  return piper;
}

Result<PiperClause> Piper::Read(std::span<const int64_t> sounds, float speed, float range, uint64_t seed,
                                const onnx::RunOptions* run) const {
  if (sounds.empty() || sounds.size() > kMostPhonemes)
    return Status(Code::kInvalidArgument, "the clause has no phonemes, or too many");
  // ^ _ a _ b _ $: a blank after each.
  const int64_t blank = table_.Encode("_").at(0);
  std::vector<int64_t> ids = {table_.Encode("^").at(0), blank};
  for (const int64_t sound : sounds) {
    ids.push_back(sound);
    ids.push_back(blank);
  }
  ids.push_back(table_.Encode("$").at(0));
  const auto length = static_cast<int64_t>(ids.size());
  // The two draw from sources of their own, so that a longer clause begins as a shorter one does.
  Noise source(seed), variation(~seed);
  std::vector<float> noise(kDurationChannels * ids.size());
  source.Fill(kDurationChannels, noise);
  const std::array<float, 3> scales = {kVariation, 1.0F / speed, 0.8F * range};
  const auto& runtime = text_->runtime();
  const std::array<int64_t, 2> shape = {1, length};
  const std::array<int64_t, 1> one = {1}, three = {3};
  const std::array<int64_t, 3> noise_shape = {1, kDurationChannels, length};
  TRUNKLINE_ASSIGN_OR_RETURN(const auto input, onnx::Tensor::View<const int64_t>(runtime, ids, shape));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto lengths,
                             onnx::Tensor::View<const int64_t>(runtime, std::span(&length, 1), one));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto scale, onnx::Tensor::View<const float>(runtime, scales, three));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto noises, onnx::Tensor::View<const float>(runtime, noise, noise_shape));
  onnx::Tensor mean, deviation, durations;
  const onnx::Input inputs[] = {
      {"input", &input}, {"input_lengths", &lengths}, {"scales", &scale}, {"duration_noise", &noises}};
  const onnx::Output outputs[] = {{"mean", &mean}, {"deviation", &deviation}, {"durations", &durations}};
  TRUNKLINE_RETURN_IF_FAILED(text_->Run(inputs, outputs, run));
  PiperClause clause;
  clause.frames = mean.size() / kChannels;
  if (clause.frames == 0 || deviation.size() != mean.size() || durations.size() != ids.size())
    return Status(Code::kBadModel, "the text encoder's outputs differ in length");
  const auto means = mean.data<float>(), deviations = deviation.data<float>();
  clause.sounds.resize(means.size());
  variation.Fill(kChannels, clause.sounds);
  for (size_t i = 0; i < means.size(); ++i)
    clause.sounds[i] = means[i] + kVariation * range * clause.sounds[i] * deviations[i];
  const auto frames = durations.data<float>();
  clause.durations.assign(frames.begin(), frames.end());
  const auto silent = static_cast<size_t>(std::max(0.0F, frames[0] + frames[1]));
  clause.speech_begins = std::min(silent > kBreath ? silent - kBreath : 0, clause.frames - 1);
  return clause;
}

std::unique_ptr<PiperStream> Piper::Decode(PiperClause clause, bool from_start) const {
  return std::make_unique<PiperStream>(*this, std::move(clause), from_start);
}

void PiperStream::StopBefore(size_t sound) {
  open_sound_ = sound;
  // Frames up to kContext before the sound would change with what follows.
  const size_t joint = clause_.FrameOf(sound);
  until_ = std::max(joint > kContext ? joint - kContext : 0, next_);
}

void PiperStream::Continue(const PiperClause& whole) {
  const size_t here = clause_.FrameOf(open_sound_), there = whole.FrameOf(open_sound_);
  clause_.sounds = Join(clause_.sounds, here, whole.sounds, there);
  clause_.durations = whole.durations;
  clause_.frames = Width(clause_.sounds);
  until_ = clause_.frames;
  open_sound_ = 0;
  flowed_ = here;
  stale_ = true;
}

// Runs the flow on the frames whose latent is not settled, with those to their left that influence them.
Status PiperStream::Flow(const onnx::RunOptions* run) {
  const auto& runtime = piper_.flow_->runtime();
  const size_t from = flowed_ > kFlowContext ? flowed_ - kFlowContext : 0;
  const std::vector<float> open = Join({}, 0, clause_.sounds, from);
  const size_t width = Width(open);
  const auto frames = static_cast<int64_t>(width);
  const std::vector<float> ones(width, 1.0F);
  const std::array<int64_t, 3> shape = {1, kChannels, frames}, mask_shape = {1, 1, frames};
  TRUNKLINE_ASSIGN_OR_RETURN(const auto sounds, onnx::Tensor::View<const float>(runtime, open, shape));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto mask, onnx::Tensor::View<const float>(runtime, ones, mask_shape));
  const onnx::Input inputs[] = {{"sounds", &sounds}, {"mask", &mask}};
  onnx::Tensor latent;
  const onnx::Output outputs[] = {{"latent", &latent}};
  TRUNKLINE_RETURN_IF_FAILED(piper_.flow_->Run(inputs, outputs, run));
  if (latent.size() != open.size())
    return Status(Code::kBadModel, "the flow's output differs in length from its input");
  latent_ = Join(latent_, flowed_, latent.data<float>(), flowed_ - from);
  stale_ = false;
  return base::Ok();
}

Status PiperStream::Step(size_t frames, const onnx::RunOptions* run, std::vector<float>& out) {
  if (done() || waits()) return base::Ok();
  if (stale_) return Flow(run);
  const size_t end = std::min(next_ + frames, until_);
  const size_t from = next_ > kContext ? next_ - kContext : 0,
               until = std::min(end + kContext, clause_.frames);
  const size_t width = until - from;
  stretch_.resize(kChannels * width);
  for (size_t channel = 0; channel < kChannels; ++channel)
    std::copy_n(&latent_[channel * clause_.frames + from], width, &stretch_[channel * width]);
  const std::array<int64_t, 3> shape = {1, kChannels, static_cast<int64_t>(width)};
  const auto& decoder = *piper_.decoder_;
  TRUNKLINE_ASSIGN_OR_RETURN(const auto input,
                             onnx::Tensor::View<const float>(decoder.runtime(), stretch_, shape));
  onnx::Tensor audio;
  const onnx::Input inputs[] = {{"latent", &input}};
  const onnx::Output outputs[] = {{"audio", &audio}};
  TRUNKLINE_RETURN_IF_FAILED(decoder.Run(inputs, outputs, run));
  if (audio.size() != width * kPiperFrameSamples)
    return Status(Code::kBadModel, "the decoder's output differs in length from its input");
  const auto samples =
      audio.data<float>().subspan((next_ - from) * kPiperFrameSamples, (end - next_) * kPiperFrameSamples);
  out.insert(out.end(), samples.begin(), samples.end());
  next_ = end;
  return base::Ok();
}

}  // namespace trunkline::tts
