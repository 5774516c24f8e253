// hibari: a small model that was distilled from Kokoro's heart. Its graph turns a clause's phonemes, in Kokoro's
// alphabet, into spectra, and a vocoder makes the wave. See docs/decisions/136-hibari-voice.md.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "onnx/onnx.h"
#include "tts/harmonic_vocoder.h"

namespace trunkline::tts {

inline constexpr int kHibariRate = 24000;
inline constexpr size_t kHibariMostTokens = 400;

struct HibariProsody {
  float speed = 1;
  float pitch = 1;
  float range = 1;
  float center_hz = 180;
};

class HibariStream {
 public:
  void Step(size_t frames, std::vector<float>& out) { vocoder_->Step(frames, out); }
  bool done() const { return vocoder_->done(); }
  size_t frames() const { return hertz_.size(); }
  std::span<const float> hertz() const { return hertz_; }

 private:
  friend class Hibari;
  onnx::Tensor harmonic_, harmonic_phase_, noise_, free_, free_phase_;
  std::vector<float> hertz_;
  std::unique_ptr<HarmonicVocoder> vocoder_;
};

class Hibari {
 public:
  static base::Result<std::unique_ptr<Hibari>> Load(const onnx::SessionOpener& open,
                                                    const onnx::SessionOptions& options);

  // `tokens` as of Kokoro::Encode.
  base::Result<std::unique_ptr<HibariStream>> Read(std::span<const int64_t> tokens,
                                                   const HibariProsody& prosody, uint64_t seed,
                                                   const onnx::RunOptions* run) const;

 private:
  Hibari() = default;
  std::unique_ptr<onnx::Session> session_;
};

}  // namespace trunkline::tts
