// Kokoro's generator: streams a clause's audio from the front's output. Every layer keeps the rows that the
// next stretch needs, so nothing is computed twice, and any split into stretches gives the same samples. See
// docs/decisions/070-streaming-speech.md.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "onnx/onnx.h"
#include "tts/generator_kernels.h"
#include "tts/helper_thread.h"

namespace trunkline::tts {

inline constexpr size_t kGeneratorChannels = 512, kGeneratorStyle = 128;
inline constexpr size_t kHarmonics = 22;
inline constexpr size_t kHarmonicSteps = 60;

// One residual block: three times two convolutions, each after a normalisation and a snake activation.
struct BlockWeights {
  struct Half {
    PackedConv conv;
    std::vector<float> alpha;
    std::vector<float> fc_weights, fc_bias;  // [style][2 * channels]: gains, then shifts
    size_t mean = 0, variance = 0;
  };
  size_t channels = 0;
  std::array<std::array<Half, 2>, 3> halves;
};

struct GeneratorWeights {
  std::array<PackedConv, 2> noise_convs, ups;
  std::array<BlockWeights, 2> noise;
  std::array<BlockWeights, 6> blocks;
  PackedConv post;
  std::vector<float> basis, window_sum;
  size_t statistics = 0;
  const GeneratorKernels* kernels = nullptr;
  // One thread needs none. The samples are the same with and without it.
  std::unique_ptr<HelperThread> helper;
};

// `file`: kokoro/generator.bin of models/recipes/kokoro. `threads`: 1, or 2 that share a step.
base::Result<std::unique_ptr<const GeneratorWeights>> LoadGenerator(const std::string& file,
                                                                    const GeneratorKernels& kernels,
                                                                    size_t threads = 1);

// The published graph quantizes the generator's half of the style to 8 bits over its own range, so this does too.
std::vector<float> RoundedStyle(std::span<const float> style);

struct GeneratorInput {
  std::span<const float> style;      // 256 numbers; the first half is the generator's
  std::span<const float> x;          // [512, frames]
  std::span<const float> harmonics;  // [22, 60 * frames + 1]
  size_t frames = 0;
  size_t begin = 0;
  // The size is GeneratorWeights::statistics; empty: the clause's own, for which the first step computes
  // everything.
  std::span<const float> statistics;
};

struct GeneratorFrames {
  std::span<const float> x;          // [512, width]
  std::span<const float> harmonics;  // [22, 60 * width + 1]
  size_t width = 0;
  size_t begin = 0, end = 0;  // the frames to take
};

class GeneratorStream {
 public:
  // Takes the whole clause at once.
  GeneratorStream(std::shared_ptr<const GeneratorWeights> weights, const GeneratorInput& input);
  // Append brings the clause. `style` and `statistics` as in GeneratorInput; there must be
  // statistics.
  GeneratorStream(std::shared_ptr<const GeneratorWeights> weights, std::span<const float> style,
                  std::span<const float> statistics);
  ~GeneratorStream();

  void Append(const GeneratorFrames& frames, bool last);
  // Returns whether the appended frames suffice for `frames` more frames of audio.
  bool Has(size_t frames) const;
  // Appends at least the samples of `frames` more frames, or all that can be made. kCancelled within a layer.
  base::Status Step(size_t frames, const onnx::RunOptions* run, std::vector<float>& out);
  bool done() const;
  // The statistics in use; after the first step those of the clause, if none were given.
  const std::vector<float>& statistics() const;

 private:
  class Network;
  std::unique_ptr<Network> network_;
};

}  // namespace trunkline::tts
