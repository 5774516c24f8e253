// The voice's tasks on the pool: a segment's audio, and the calibration of a voice. A task keeps its input in
// preallocated memory; only Run, on the pool, allocates.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "dsp/watermark/watermark.h"
#include "engine/engine.h"
#include "tts/tts.h"

namespace trunkline::omni {

inline constexpr int kMinFedRate = 8000, kMaxFedRate = 48'000;

// Receives a segment's next piece.
class SegmentListener {
 public:
  virtual ~SegmentListener() = default;
  virtual void OnPiece() = 0;
};

// Turns one segment into samples, a piece at a time: from text, or from audio that was made
// elsewhere.
class SegmentTask final : public engine::LaneTask {
 public:
  // `owner`: whose audio is cached together; without one nothing is cached.
  SegmentTask(SegmentListener& listener, std::shared_ptr<tts::SpeechModels> models, int rate,
              std::string owner, size_t voice_bytes);
  // The text must live until the segment is complete; the voice's packed options are copied.
  // With a `fed_rate` the sound comes by Feed, until that ends.
  void Prepare(uint32_t speech, std::string_view text, base::ByteView voice, uint64_t seed, int fed_rate = 0);
  void ReserveFed(size_t bytes) { fed_.sound.reserve(bytes); }
  // Takes the audio and returns an empty buffer. Not while it is in flight. With `end`, the voice speaks
  // the text from byte `from` on.
  void Feed(std::vector<uint8_t>& sound, bool end, size_t from);
  bool is_fed() const { return fed_.rate > 0; }
  Step Run() override;
  void Wait(std::function<void()> resume) override;
  void Done(engine::LaneIo& io) override;

  // Returns true when a dropped segment still holds resources, which the next run frees.
  bool Drop() { return stage_ = Stage::kDropped, synthesis_ != nullptr; }

  const std::vector<int16_t>& samples() const { return samples_; }
  const base::Status& status() const { return status_; }
  bool complete() const { return stage_ == Stage::kComplete; }
  bool sounded() const { return sounded_; }

 private:
  enum class Stage : uint8_t { kNew, kMaking, kComplete, kDropped };

  base::Status Open();
  base::Status OpenSynthesis(const engine::Options& voice);
  base::Status OpenEmbedder(std::string_view code, int rate);
  void TakeFed();
  void Encode();

  SegmentListener& listener_;
  const std::shared_ptr<tts::SpeechModels> models_;
  const int rate_;
  const std::string owner_;
  uint32_t speech_ = 0;
  std::string_view text_;
  std::vector<uint8_t> voice_;
  uint64_t seed_ = 0;
  Stage stage_ = Stage::kNew;
  std::unique_ptr<tts::CachedSynthesis> synthesis_;
  std::unique_ptr<tts::WireEncoder> encoder_;
  // The embedder continues across segments, so that an excerpt of a call holds one pattern.
  std::unique_ptr<watermark::WatermarkEmbedder> embedder_;
  std::string mark_;
  int marked_rate_ = 0;
  std::vector<float> floats_;
  std::vector<uint8_t> bytes_;
  std::vector<int16_t> samples_;
  base::Status status_;
  bool sounded_ = false;
  struct {
    int rate = 0;  // 0: the segment is not fed, or no longer
    bool ended = false;
    size_t from = 0;  // the byte of the text at which the voice goes on
    std::vector<uint8_t> sound;
  } fed_;
  std::vector<int16_t> fed_samples_;
  // A speech continues after as long a pause as between two clauses of one text.
  size_t pause_ = 0;  // samples, still to come
  struct {
    uint32_t speech = 0;
    int pause_ms = 0;
  } said_;
};

// Calibrates a voice that is new to this machine during the caller's first words; it takes
// seconds, once.
class LearnVoiceTask final : public engine::LaneTask {
 public:
  LearnVoiceTask(std::shared_ptr<tts::SpeechModels> models, size_t voice_bytes);
  void Prepare(base::ByteView voice) { voice_.assign(voice.begin(), voice.end()); }
  Step Run() override;
  void Done(engine::LaneIo&) override {}

 private:
  const std::shared_ptr<tts::SpeechModels> models_;
  std::vector<uint8_t> voice_;
  std::unique_ptr<tts::VoiceLearner> learner_;
};

}  // namespace trunkline::omni
