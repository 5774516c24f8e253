#include "tts/piper.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

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
// The model counts the start of a word as silence, so speech may begin this long before the silence ends.
constexpr size_t kBreath = 8;

// SplitMix64 and the Box-Muller transform: the same numbers on every machine.
class Noise {
 public:
  explicit Noise(uint64_t seed) : state_(seed) {}

  void Fill(std::span<float> out) {
    for (size_t i = 0; i + 1 < out.size(); i += 2) {
      const double radius = std::sqrt(-2.0 * std::log(Uniform()));
      const double angle = 2.0 * std::numbers::pi * Uniform();
      out[i] = static_cast<float>(radius * std::cos(angle));
      out[i + 1] = static_cast<float>(radius * std::sin(angle));
    }
  }

 private:
  double Uniform() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    return (static_cast<double>(z >> 11) + 0.5) / 9007199254740992.0;
  }
  uint64_t state_;
};

}  // namespace

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
  return piper;
}

Result<PiperClause> Piper::Read(std::string_view phonemes, float speed, float range, uint64_t seed,
                                const onnx::RunOptions* run) const {
  const std::vector<int64_t> sounds = table_.Encode(phonemes);
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
  Noise source(seed);
  std::vector<float> noise(kDurationChannels * ids.size());
  source.Fill(noise);
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
  source.Fill(clause.sounds);
  for (size_t i = 0; i < means.size(); ++i)
    clause.sounds[i] = means[i] + kVariation * range * clause.sounds[i] * deviations[i];
  const auto frames = durations.data<float>();
  const auto silent = static_cast<size_t>(std::max(0.0F, frames[0] + frames[1]));
  clause.speech_begins = std::min(silent > kBreath ? silent - kBreath : 0, clause.frames - 1);
  return clause;
}

std::unique_ptr<PiperStream> Piper::Decode(PiperClause clause, bool from_start) const {
  return std::make_unique<PiperStream>(*this, std::move(clause), from_start);
}

Status PiperStream::Flow(const onnx::RunOptions* run) {
  const auto& runtime = piper_.flow_->runtime();
  const auto frames = static_cast<int64_t>(clause_.frames);
  const std::vector<float> ones(clause_.frames, 1.0F);
  const std::array<int64_t, 3> shape = {1, kChannels, frames}, mask_shape = {1, 1, frames};
  TRUNKLINE_ASSIGN_OR_RETURN(const auto sounds,
                             onnx::Tensor::View<const float>(runtime, clause_.sounds, shape));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto mask, onnx::Tensor::View<const float>(runtime, ones, mask_shape));
  const onnx::Input inputs[] = {{"sounds", &sounds}, {"mask", &mask}};
  const onnx::Output outputs[] = {{"latent", &latent_}};
  TRUNKLINE_RETURN_IF_FAILED(piper_.flow_->Run(inputs, outputs, run));
  if (latent_.size() != clause_.sounds.size())
    return Status(Code::kBadModel, "the flow's output differs in length from its input");
  return base::Ok();
}

Status PiperStream::Step(size_t frames, const onnx::RunOptions* run, std::vector<float>& out) {
  if (done()) return base::Ok();
  if (latent_.size() == 0) return Flow(run);
  const size_t end = std::min(next_ + frames, clause_.frames);
  const size_t from = next_ > kContext ? next_ - kContext : 0,
               until = std::min(end + kContext, clause_.frames);
  const size_t width = until - from;
  const auto latent = latent_.data<float>();
  stretch_.resize(kChannels * width);
  for (size_t channel = 0; channel < kChannels; ++channel)
    std::copy_n(&latent[channel * clause_.frames + from], width, &stretch_[channel * width]);
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
