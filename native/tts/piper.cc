#include "tts/piper.h"

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

constexpr size_t kNoiseChannels = 192;
constexpr size_t kDurationChannels = 2;
// Frames of 11.6 ms that one phoneme may take; more than any takes.
constexpr size_t kFramesAPhoneme = 24;
constexpr size_t kMostPhonemes = 1000;

// SplitMix64 and the Box-Muller transform: the same numbers on every machine.
class Noise {
 public:
  explicit Noise(uint64_t seed) : state_(seed) {}

  void Fill(std::vector<float>& out) {
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

Result<std::unique_ptr<Piper>> Piper::Load(const std::shared_ptr<onnx::Runtime>& runtime,
                                           const std::string& model, const std::string& table,
                                           const onnx::SessionOptions& options) {
  std::unique_ptr<Piper> piper(new Piper());
  TRUNKLINE_ASSIGN_OR_RETURN(piper->session_, onnx::Session::Open(runtime, model, options));
  static constexpr const char* kIn[] = {"input", "input_lengths", "scales", "duration_noise", "noise"};
  static constexpr const char* kOut[] = {"output"};
  TRUNKLINE_RETURN_IF_FAILED(piper->session_->Require(kIn, kOut));
  std::ifstream file(table);
  std::stringstream json;
  json << file.rdbuf();
  TRUNKLINE_ASSIGN_OR_RETURN(piper->table_, text::ReadPhonemeTable(json.str(), "phoneme_id_map"));
  return piper;
}

Result<std::vector<float>> Piper::Speak(std::string_view phonemes, float speed, float range, uint64_t seed,
                                        const onnx::RunOptions* run) const {
  const std::vector<int64_t> sounds = table_.Encode(phonemes);
  if (sounds.empty() || sounds.size() > kMostPhonemes)
    return Status(Code::kInvalidArgument, "a clause of no or too many sounds");
  // ^ _ a _ b _ $: a blank after each.
  const int64_t blank = table_.Encode("_").at(0);
  std::vector<int64_t> ids = {table_.Encode("^").at(0), blank};
  for (const int64_t sound : sounds) {
    ids.push_back(sound);
    ids.push_back(blank);
  }
  ids.push_back(table_.Encode("$").at(0));
  const auto length = static_cast<int64_t>(ids.size());
  const size_t columns = ids.size() * kFramesAPhoneme;
  Noise source(seed);
  std::vector<float> duration_noise(kDurationChannels * ids.size()), noise(kNoiseChannels * columns);
  source.Fill(duration_noise);
  source.Fill(noise);
  const std::array<float, 3> scales = {0.667F * range, 1.0F / speed, 0.8F * range};
  const auto& runtime = session_->runtime();
  const std::array<int64_t, 2> shape = {1, length};
  const std::array<int64_t, 1> one = {1}, three = {3};
  const std::array<int64_t, 3> duration_shape = {1, kDurationChannels, length};
  const std::array<int64_t, 3> noise_shape = {1, kNoiseChannels, static_cast<int64_t>(columns)};
  TRUNKLINE_ASSIGN_OR_RETURN(const auto input, onnx::Tensor::View<const int64_t>(runtime, ids, shape));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto lengths,
                             onnx::Tensor::View<const int64_t>(runtime, std::span(&length, 1), one));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto scale, onnx::Tensor::View<const float>(runtime, scales, three));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto durations,
                             onnx::Tensor::View<const float>(runtime, duration_noise, duration_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto latent, onnx::Tensor::View<const float>(runtime, noise, noise_shape));
  onnx::Tensor audio;
  const onnx::Input inputs[] = {{"input", &input},
                                {"input_lengths", &lengths},
                                {"scales", &scale},
                                {"duration_noise", &durations},
                                {"noise", &latent}};
  const onnx::Output outputs[] = {{"output", &audio}};
  TRUNKLINE_RETURN_IF_FAILED(session_->Run(inputs, outputs, run));
  const auto samples = audio.data<float>();
  return std::vector<float>(samples.begin(), samples.end());
}

}  // namespace trunkline::tts
