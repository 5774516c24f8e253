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

constexpr size_t kDurationChannels = 2;
constexpr size_t kMaxPhonemes = 1000;
constexpr std::string_view kUnvoiced = "ptkfsʃθhʧ";
// The model counts the start of a word as silence, so speech may begin this long before the silence ends.
constexpr size_t kPiperBreath = 8;

size_t Width(std::span<const float> rows, size_t channels) {
  return rows.size() / channels;
}

// Joins the first `kept` columns of one matrix and those of another from column `from` on.
std::vector<float> Join(size_t channels, std::span<const float> first, size_t kept,
                        std::span<const float> second, size_t from) {
  const size_t width = Width(first, channels), other = Width(second, channels);
  std::vector<float> out;
  out.reserve(channels * (kept + other - from));
  for (size_t channel = 0; channel < channels; ++channel) {
    const auto a = first.subspan(channel * width, kept);
    const auto b = second.subspan(channel * other + from, other - from);
    out.insert(out.end(), a.begin(), a.end());
    out.insert(out.end(), b.begin(), b.end());
  }
  return out;
}

Result<std::string> ReadText(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Status(Code::kNotFound, "cannot read " + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
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

Result<PiperSettings> PiperSettings::Parse(std::string_view text) {
  PiperSettings out;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    double value = 0;
    if (!(words >> name)) continue;
    if (!(words >> value)) return Status(Code::kBadModel, "piper.conf: no number after " + name);
    const auto whole = static_cast<size_t>(std::clamp(value, 0.0, 1e6));
    if (name == "rate") out.rate = static_cast<int>(whole);
    if (name == "channels") out.channels = whole;
    if (name == "frame_samples") out.frame_samples = whole;
    if (name == "context") out.context = whole;
    if (name == "flow_context") out.flow_context = whole;
    if (name == "speakers") out.speakers = static_cast<int>(whole);
    if (name == "noise") out.noise = static_cast<float>(value);
    if (name == "duration_noise") out.duration_noise = static_cast<float>(value);
    if (name == "length") out.length = static_cast<float>(value);
    if (name == "phonemes") out.phonemes = whole != 0;
  }
  if (out.rate < 8000 || out.rate > 48000) return Status(Code::kBadModel, "piper.conf: rate is out of range");
  if (out.channels == 0 || out.frame_samples == 0 || out.speakers == 0 || !(out.length > 0))
    return Status(Code::kBadModel, "piper.conf: channels, frame_samples, speakers and length are positive");
  return out;
}

Result<std::unique_ptr<Piper>> Piper::Load(const onnx::SessionOpener& open, const PiperFiles& files,
                                           const onnx::SessionOptions& options) {
  std::unique_ptr<Piper> piper(new Piper());
  TRUNKLINE_RETURN_IF_FAILED(piper->Open(open, "piper-joe/joe-", files.table, options));
  return piper;
}

Result<std::unique_ptr<Piper>> Piper::LoadFolder(const std::shared_ptr<onnx::Runtime>& runtime,
                                                 const std::string& folder,
                                                 const onnx::SessionOptions& options) {
  std::unique_ptr<Piper> piper(new Piper());
  TRUNKLINE_ASSIGN_OR_RETURN(const auto conf, ReadText(folder + "/piper.conf"));
  TRUNKLINE_ASSIGN_OR_RETURN(piper->settings_, PiperSettings::Parse(conf));
  const onnx::SessionOpener open = [&](const std::string& name, const onnx::SessionOptions& how) {
    return onnx::Session::Open(runtime, folder + "/" + name, how);
  };
  TRUNKLINE_RETURN_IF_FAILED(piper->Open(open, "", folder + "/phonemes.json", options));
  return piper;
}

Status Piper::Open(const onnx::SessionOpener& open, std::string_view stem, const std::string& table,
                   const onnx::SessionOptions& options) {
  const std::string begin(stem);
  TRUNKLINE_ASSIGN_OR_RETURN(text_, open(begin + "text.onnx", options));
  TRUNKLINE_ASSIGN_OR_RETURN(flow_, open(begin + "flow.onnx", options));
  TRUNKLINE_ASSIGN_OR_RETURN(decoder_, open(begin + "decoder.onnx", options));
  static constexpr const char* kTextIn[] = {"input", "input_lengths", "scales", "duration_noise"};
  static constexpr const char* kTextOut[] = {"mean", "deviation", "durations"};
  TRUNKLINE_RETURN_IF_FAILED(text_->Require(kTextIn, kTextOut));
  static constexpr const char* kFlowIn[] = {"sounds", "mask"};
  static constexpr const char* kLatent[] = {"latent"};
  TRUNKLINE_RETURN_IF_FAILED(flow_->Require(kFlowIn, kLatent));
  static constexpr const char* kAudio[] = {"audio"};
  TRUNKLINE_RETURN_IF_FAILED(decoder_->Require(kLatent, kAudio));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto json, ReadText(table));
  TRUNKLINE_ASSIGN_OR_RETURN(table_, text::ReadPhonemeTable(json, "phoneme_id_map"));
  for (const std::string_view mark : {"^", "_", "$", " "}) {
    if (table_.Encode(mark).size() != 1)
      return Status(Code::kBadModel, "the phoneme table lacks '" + std::string(mark) + "'");
  }
  space_ = table_.Encode(" ").front();
  unvoiced_ = table_.Encode(kUnvoiced);
  return base::Ok();
}

Result<std::vector<int64_t>> Piper::Pronounce(text::PhonemePool& phonemes, std::string_view text,
                                              const text::Accent& accent) const {
  if (!settings_.phonemes) return Encode(text::PiperCharacters(text));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto said, text::PiperPhonemes(phonemes, text, accent));
  return Encode(said);
}

Result<PiperClause> Piper::Read(std::span<const int64_t> sounds, float speed, float range, uint64_t seed,
                                const onnx::RunOptions* run, int speaker) const {
  if (sounds.empty() || sounds.size() > kMaxPhonemes)
    return Status(Code::kInvalidArgument, "the clause has no phonemes, or too many");
  // A blank follows each sound: ^ _ a _ b _ $.
  const int64_t blank = table_.Encode("_").at(0);
  std::vector<int64_t> ids = {table_.Encode("^").at(0), blank};
  for (const int64_t sound : sounds) {
    ids.push_back(sound);
    ids.push_back(blank);
  }
  ids.push_back(table_.Encode("$").at(0));
  const auto length = static_cast<int64_t>(ids.size());
  // The two kinds of noise have sources of their own, so that a longer clause begins like a
  // shorter one.
  Noise source(seed), variation(~seed);
  std::vector<float> noise(kDurationChannels * ids.size());
  source.Fill(kDurationChannels, noise);
  const std::array<float, 3> scales = {settings_.noise, settings_.length / speed,
                                       settings_.duration_noise * range};
  const auto& runtime = text_->runtime();
  const std::array<int64_t, 2> shape = {1, length};
  const std::array<int64_t, 1> one = {1}, three = {3};
  const std::array<int64_t, 3> noise_shape = {1, kDurationChannels, length};
  PiperClause clause;
  clause.channels = settings_.channels;
  clause.speaker = std::clamp(speaker, 0, settings_.speakers - 1);
  TRUNKLINE_ASSIGN_OR_RETURN(const auto input, onnx::Tensor::View<const int64_t>(runtime, ids, shape));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto lengths,
                             onnx::Tensor::View<const int64_t>(runtime, std::span(&length, 1), one));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto scale, onnx::Tensor::View<const float>(runtime, scales, three));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto noises, onnx::Tensor::View<const float>(runtime, noise, noise_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto sid,
                             onnx::Tensor::View<const int64_t>(runtime, std::span(&clause.speaker, 1), one));
  onnx::Tensor mean, deviation, durations;
  std::vector<onnx::Input> inputs = {
      {"input", &input}, {"input_lengths", &lengths}, {"scales", &scale}, {"duration_noise", &noises}};
  if (text_->input("sid") != nullptr) inputs.push_back({"sid", &sid});
  const onnx::Output outputs[] = {{"mean", &mean}, {"deviation", &deviation}, {"durations", &durations}};
  TRUNKLINE_RETURN_IF_FAILED(text_->Run(inputs, outputs, run));
  clause.frames = mean.size() / clause.channels;
  if (clause.frames == 0 || deviation.size() != mean.size() || durations.size() != ids.size())
    return Status(Code::kBadModel, "the text encoder's outputs differ in length");
  const auto means = mean.data<float>(), deviations = deviation.data<float>();
  clause.sounds.resize(means.size());
  variation.Fill(clause.channels, clause.sounds);
  for (size_t i = 0; i < means.size(); ++i)
    clause.sounds[i] = means[i] + settings_.noise * range * clause.sounds[i] * deviations[i];
  const auto frames = durations.data<float>();
  clause.durations.assign(frames.begin(), frames.end());
  const auto silent = static_cast<size_t>(std::max(0.0F, frames[0] + frames[1]));
  clause.speech_begins = std::min(silent > kPiperBreath ? silent - kPiperBreath : 0, clause.frames - 1);
  return clause;
}

std::unique_ptr<PiperStream> Piper::Decode(PiperClause clause, bool from_start) const {
  return std::make_unique<PiperStream>(*this, std::move(clause), from_start);
}

void PiperStream::StopBefore(size_t sound) {
  open_sound_ = sound;
  // Frames within the decoder's context before the sound depend on what follows, so they wait.
  const size_t joint = clause_.FrameOf(sound), context = piper_.settings_.context;
  until_ = std::max(joint > context ? joint - context : 0, next_);
}

void PiperStream::Continue(const PiperClause& whole) {
  const size_t here = clause_.FrameOf(open_sound_), there = whole.FrameOf(open_sound_);
  clause_.sounds = Join(clause_.channels, clause_.sounds, here, whole.sounds, there);
  clause_.durations = whole.durations;
  clause_.frames = Width(clause_.sounds, clause_.channels);
  until_ = clause_.frames;
  open_sound_ = 0;
  flowed_ = here;
  stale_ = true;
}

Status PiperStream::Run(const onnx::Session& part, std::span<const onnx::Input> inputs, const char* gives,
                        const onnx::RunOptions* run, onnx::Tensor& out) const {
  static constexpr std::array<int64_t, 1> kOne = {1};
  TRUNKLINE_ASSIGN_OR_RETURN(const auto sid, onnx::Tensor::View<const int64_t>(
                                                 part.runtime(), std::span(&clause_.speaker, 1), kOne));
  std::vector<onnx::Input> all(inputs.begin(), inputs.end());
  if (part.input("sid") != nullptr) all.push_back({"sid", &sid});
  const onnx::Output outputs[] = {{gives, &out}};
  return part.Run(all, outputs, run);
}

// Runs the flow on the frames whose latent is not settled, with those to their left that influence them.
Status PiperStream::Flow(const onnx::RunOptions* run) {
  const auto& runtime = piper_.flow_->runtime();
  const size_t context = piper_.settings_.flow_context;
  const size_t from = flowed_ > context ? flowed_ - context : 0;
  const std::vector<float> open = Join(clause_.channels, {}, 0, clause_.sounds, from);
  const size_t width = Width(open, clause_.channels);
  const auto frames = static_cast<int64_t>(width);
  const std::vector<float> ones(width, 1.0F);
  const std::array<int64_t, 3> shape = {1, static_cast<int64_t>(clause_.channels), frames},
                               mask_shape = {1, 1, frames};
  TRUNKLINE_ASSIGN_OR_RETURN(const auto sounds, onnx::Tensor::View<const float>(runtime, open, shape));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto mask, onnx::Tensor::View<const float>(runtime, ones, mask_shape));
  const onnx::Input inputs[] = {{"sounds", &sounds}, {"mask", &mask}};
  onnx::Tensor latent;
  TRUNKLINE_RETURN_IF_FAILED(Run(*piper_.flow_, inputs, "latent", run, latent));
  if (latent.size() != open.size())
    return Status(Code::kBadModel, "the flow's output differs in length from its input");
  latent_ = Join(clause_.channels, latent_, flowed_, latent.data<float>(), flowed_ - from);
  stale_ = false;
  return base::Ok();
}

Status PiperStream::Step(size_t frames, const onnx::RunOptions* run, std::vector<float>& out) {
  if (done() || waits()) return base::Ok();
  if (stale_) return Flow(run);
  const size_t context = piper_.settings_.context, samples = piper_.settings_.frame_samples;
  const size_t end = std::min(next_ + frames, until_);
  const size_t from = next_ > context ? next_ - context : 0, until = std::min(end + context, clause_.frames);
  const size_t width = until - from;
  stretch_.resize(clause_.channels * width);
  for (size_t channel = 0; channel < clause_.channels; ++channel)
    std::copy_n(&latent_[channel * clause_.frames + from], width, &stretch_[channel * width]);
  const std::array<int64_t, 3> shape = {1, static_cast<int64_t>(clause_.channels),
                                        static_cast<int64_t>(width)};
  const auto& decoder = *piper_.decoder_;
  TRUNKLINE_ASSIGN_OR_RETURN(const auto input,
                             onnx::Tensor::View<const float>(decoder.runtime(), stretch_, shape));
  onnx::Tensor audio;
  const onnx::Input inputs[] = {{"latent", &input}};
  TRUNKLINE_RETURN_IF_FAILED(Run(decoder, inputs, "audio", run, audio));
  if (audio.size() != width * samples)
    return Status(Code::kBadModel, "the decoder's output differs in length from its input");
  const auto made = audio.data<float>().subspan((next_ - from) * samples, (end - next_) * samples);
  out.insert(out.end(), made.begin(), made.end());
  next_ = end;
  return base::Ok();
}

}  // namespace trunkline::tts
