// A call in virtual time: an omni lane with real models, a caller who speaks what the test says, and the ear
// at the other end, whose sound may come back as an echo. Every tick is 10 ms; inference ordered in a tick is
// known `inference_ticks` later.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "dsp/g711.h"
#include "engine/engine.h"
#include "lanes/omni/lane.h"
#include "test/support/drained.h"
#include "test/support/files.h"

namespace trunkline::test {

struct OmniHeard {
  uint16_t type = 0;
  int64_t at_ms = 0;
  std::string bytes;
  uint32_t number(size_t offset) const {
    return base::Load<uint32_t>(reinterpret_cast<const uint8_t*>(bytes.data()) + offset);
  }
  double real(size_t offset) const {
    return base::Load<double>(reinterpret_cast<const uint8_t*>(bytes.data()) + offset);
  }
  std::string text(size_t offset) const { return bytes.substr(offset); }
};

class OmniScene {
 public:
  static constexpr int kRate = 8000;
  static constexpr size_t kFrame = kRate / 50;
  static constexpr const char* kModels[] = {"silero-vad/silero_vad.onnx",
                                            "smart-turn/smart-turn-v3.2.onnx",
                                            "whisper-base/encoder.onnx",
                                            "whisper-base/decoder.onnx",
                                            "moonshine-tiny-en/encoder.ort",
                                            "moonshine-tiny-en/decoder.ort",
                                            "kokoro/prosody.onnx",
                                            "kokoro/decoder.onnx",
                                            "kokoro/generator.bin",
                                            "kokoro/vocab.json",
                                            "kokoro/voices/af_heart.bin",
                                            "piper-joe/joe-text.onnx",
                                            "piper-joe/joe-flow.onnx",
                                            "piper-joe/joe-decoder.onnx",
                                            "piper-joe/joe.json",
                                            "hibari/hibari.onnx",
                                            "espeak-ng/libespeak-ng.so.1",
                                            "listening/nets.bin",
                                            "listening/elsewhere.bin",
                                            "speakers/embedding.onnx",
                                            "denoiser/mask.onnx",
                                            "denoiser/wave.onnx"};

  // `recognizer`: a folder in the place of Whisper's. `learnt`: the voices that ship are known. `embedding`: a model in
  // the place of the speaker lock's. `on_gpu`: a CUDA build of the inference library, for Kokoro's generator.
  explicit OmniScene(const std::function<void(engine::OptionsBuilder&)>& more = {},
                     const std::string& recognizer = "", bool learnt = true,
                     const std::string& embedding = "", const std::string& on_gpu = "") {
    engine::EngineConfig config;
    config.slots = 4;
    config.capacity = 100000;
    config.media_threads = 0;
    config.inference_threads = 0;
    config.library = InferenceLibrary();
    for (const char* name : kModels) config.models[name] = ModelFile(name);
    if (!recognizer.empty()) {
      config.models["whisper-base/encoder.onnx"] = recognizer + "/encoder.onnx";
      config.models["whisper-base/decoder.onnx"] = recognizer + "/decoder.onnx";
    }
    if (!embedding.empty()) config.models["speakers/embedding.onnx"] = embedding;
    if (!on_gpu.empty()) {
      config.library = on_gpu;
      config.models["kokoro-gpu/generator.onnx"] = ModelFile("kokoro-gpu/generator.onnx");
    }
    config.settings["speak.phonemes_program"] = TRUNKLINE_PHONEMES;
    if (learnt) {
      config.settings["speak.known_voices"] = std::string(TRUNKLINE_ROOT) + "/models/known-voices.bin";
    }
    engine::Kinds kinds;
    kinds.AddLane(omni::MakeOmniKind());
    engine_ = std::make_unique<engine::Engine>(config, std::move(kinds), nullptr, clock_);
    Infer();
    DrainAll(*engine_);
    engine::OptionsBuilder options;
    options.Number("rate", kRate).Text("language", "en").Number("endpointing_ms", 300).Number("keys", 1);
    options.Text("model", "piper").Text("accent", "en-us");
    if (more) more(options);
    const auto opened = engine_->Open("omni", options.packed());
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    if (opened.ok()) lane_ = *opened;
    steps_ = 0;
  }

  // `how`: "held" or "yields".
  void Speak(uint32_t speech, const std::string& text, bool last = true, uint32_t segment = 0,
             const char* how = nullptr) {
    engine::OptionsBuilder options;
    options.Number("speech", speech).Number("segment", segment).Text("text", text);
    if (how != nullptr) options.Number(how, 1);
    engine_->Control(lane_, omni::kOmniSpeak, options.packed());
    if (last) Number(omni::kOmniFinish, speech);
  }
  void Configure(uint16_t verb, const std::function<void(engine::OptionsBuilder&)>& values) {
    engine::OptionsBuilder options;
    values(options);
    engine_->Control(lane_, verb, options.packed());
  }
  void Raw(uint16_t verb, base::ByteView body) { engine_->Control(lane_, verb, body); }
  void Number(uint16_t verb, uint32_t number) {
    uint8_t body[4];
    base::Store(body, number);
    engine_->Control(lane_, verb, body);
  }

  // The caller says this, a frame at a time, as a line of u-law brings it, with the echo of what is heard.
  void Say(const std::vector<float>& samples) {
    const auto frame = static_cast<size_t>(frame_ms * kRate / 1000);
    std::vector<int16_t> pcm(frame);
    for (size_t at = 0; at < samples.size(); at += frame) {
      for (size_t i = 0; i < frame; ++i) {
        const float said = at + i < samples.size() ? samples[at + i] : 0.0f;
        const int64_t spoken = (now_ms() - echo_delay_ms) * kRate / 1000 + static_cast<int64_t>(i);
        const float sum = said + echo_gain * Sounded(spoken);
        pcm[i] = static_cast<int16_t>(std::lround(std::clamp(sum, -1.0f, 1.0f) * 32767));
      }
      std::vector<uint8_t> line(frame);
      dsp::EncodeUlaw(pcm, line);
      dsp::DecodeUlaw(line, pcm);
      for (int tick = 0; tick < frame_ms / 10; ++tick) Tick();
      // The frame leaves when its last sample was spoken.
      const int64_t due = arrives ? arrives(now_ms()) : now_ms();
      under_way_.push_back({std::max(due, under_way_.empty() ? 0 : under_way_.back().due), pcm});
      Arrive();
    }
  }
  void Quiet(double seconds) { Say(std::vector<float>(static_cast<size_t>(seconds * kRate), 0.0f)); }

  // Nothing comes from the caller.
  void Still(double seconds) {
    for (int tick = 0; tick < seconds * 100; ++tick) Tick();
  }

  // The lane is closed, and lasts until it has ended; or it is dropped.
  void Close(bool clean) { engine_->Close(lane_, clean); }

  engine::Engine& engine() { return *engine_; }
  int64_t now_ms() const { return clock_->Now() / base::kNanosPerMilli - began_ms_; }
  // The output of the caller's loudspeaker, from the call's first tick on.
  const std::vector<float>& sounded() const { return sounded_; }
  float Sounded(int64_t at) const {
    return at < 0 || static_cast<size_t>(at) >= sounded_.size() ? 0.0f : sounded_[static_cast<size_t>(at)];
  }
  std::vector<OmniHeard> Of(uint16_t type, int64_t since_ms = 0) const {
    std::vector<OmniHeard> out;
    for (const OmniHeard& event : events_) {
      if (event.type == type && event.at_ms >= since_ms) out.push_back(event);
    }
    return out;
  }
  // Returns what was heard between two moments; to the end without the second.
  std::vector<float> Sound(double from_ms, double to_ms = 1e9) const {
    const auto at = [&](double ms) {
      return sounded_.begin() +
             static_cast<ptrdiff_t>(std::min(static_cast<double>(sounded_.size()), ms * kRate / 1000));
    };
    return {at(from_ms), at(to_ms)};
  }
  float LoudestSince(int64_t from_ms) const {
    float loudest = 0;
    for (const float sample : Sound(static_cast<double>(from_ms)))
      loudest = std::max(loudest, std::abs(sample));
    return loudest;
  }
  // Steps of inference so far.
  int64_t steps() const { return steps_; }
  // Counts the steps of the class of partials.
  uint64_t partial_steps() const {
    return engine_->stats().pool.done[static_cast<size_t>(engine::Priority::kPartial)];
  }
  // There is one, sooner or later.
  bool Comes(uint16_t type, double max_s) { return !Of(type).empty() || Until(type, max_s); }
  bool Until(uint16_t type, double max_s) {
    const size_t before = Of(type).size();
    for (double s = 0; s < max_s && Of(type).size() == before; s += 0.02) Quiet(0.02);
    return Of(type).size() > before;
  }

  float echo_gain = 0;
  int64_t echo_delay_ms = 0;
  int inference_ticks = 3;
  int steps_at_once = 1 << 30;
  int frame_ms = 20;
  // Nobody takes what the lane says.
  bool untaken = false;
  // Does the media thread's tick, and whatever a test does around it.
  std::function<void(const std::function<void()>&)> around_tick;
  // Maps the time of a spoken frame to its arrival at the server; frames arrive in order.
  std::function<int64_t(int64_t)> arrives;

 private:
  struct Frame {
    int64_t due = 0;
    std::vector<int16_t> pcm;
  };
  void Arrive() {
    for (; !under_way_.empty() && under_way_.front().due <= now_ms(); under_way_.pop_front()) {
      engine_->Push(lane_, base::AsBytes(std::span<const int16_t>(under_way_.front().pcm)));
    }
  }
  void Infer() {
    for (int step = 0; step < steps_at_once && engine_->RunTask(); ++step) ++steps_;
  }
  void Tick() {
    clock_->Advance(engine::kTickNanos);
    if (around_tick) {
      around_tick([this] { engine_->Tick(); });
    } else {
      engine_->Tick();
    }
    if (++ticks_ % inference_ticks == 0) Infer();
    Arrive();
    if (untaken) return;
    for (const Record& record : DrainAll(*engine_)) Take(record);
  }
  void Take(const Record& record) {
    if (record.type == engine::kAudioEvent) {
      // Each frame is heard behind what waits, or at once.
      heard_to_ = std::max(heard_to_, static_cast<size_t>(now_ms() * kRate / 1000));
      const size_t count = record.bytes.size() / 2;
      if (sounded_.size() < heard_to_ + count) sounded_.resize(heard_to_ + count);
      for (size_t i = 0; i < count; ++i) {
        int16_t sample = 0;
        std::memcpy(&sample, record.bytes.data() + 2 * i, 2);
        sounded_[heard_to_ + i] = sample / 32768.0f;
      }
      heard_to_ += count;
      return;
    }
    if (record.type == omni::kOmniInterrupted) {
      heard_to_ = static_cast<size_t>(now_ms() * kRate / 1000);
      sounded_.resize(std::min(sounded_.size(), heard_to_));
    }
    events_.push_back({record.type, now_ms(), record.bytes});
  }

  std::shared_ptr<base::ManualClock> clock_ = std::make_shared<base::ManualClock>();
  std::unique_ptr<engine::Engine> engine_;
  engine::LaneId lane_;
  std::vector<OmniHeard> events_;
  std::deque<Frame> under_way_;
  std::vector<float> sounded_;
  size_t heard_to_ = 0;
  int64_t began_ms_ = clock_->Now() / base::kNanosPerMilli;
  int64_t ticks_ = 0;
  int64_t steps_ = 0;
};

}  // namespace trunkline::test
