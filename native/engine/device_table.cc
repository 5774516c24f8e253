#include "engine/device_table.h"

namespace trunkline::engine {
namespace {

struct Row {
  // Begins the file's name in the manifest.
  std::string_view begin;
  std::string_view end;
  DeviceRule rule;
};

// Milliseconds are those of one run on an NVIDIA H200 and on one core beside it (docs/guides/gpu.md).
constexpr Row kRows[] = {
    {"silero-vad/", "", {GpuGain::kNone, "a run takes 0.11 ms on the processor and 0.46 ms on a GPU"}},
    {"smart-turn/", "", {GpuGain::kQuicker, "a run takes 2.5 ms on a GPU and 45 ms on the processor"}},
    {"whisper-base-gpu/",
     "",
     {GpuGain::kQuicker, "a window of 30 s takes 1.5 ms on a GPU and 89 ms on 16 threads"}},
    {"added/",
     "",
     {GpuGain::kQuicker, "Whisper base is quicker on a GPU in this form; this model was not measured there"}},
    {"whisper",
     "encoder.onnx",
     {GpuGain::kNone, "its 8-bit form is slower on a GPU: MatMulInteger stays on the processor"}},
    {"whisper",
     "decoder.onnx",
     {GpuGain::kNone, "its 8-bit form is slower on a GPU: GroupQueryAttention stays on the processor"}},
    {"moonshine-tiny-en-gpu/", "", {GpuGain::kUnknown, "this form was not measured on a GPU"}},
    {"moonshine",
     "",
     {GpuGain::kNone, "the CUDA provider refuses its fused convolutions (FusedConv with Tanh)"}},
    {"kokoro-gpu/prosody", "", {GpuGain::kUnknown, "this form was not measured on a GPU"}},
    {"kokoro-gpu/decoder", "", {GpuGain::kUnknown, "this form was not measured on a GPU"}},
    {"kokoro-gpu/",
     "",
     {GpuGain::kQuicker,
      "a float graph of the whole model took 87 ms for 3.25 s of speech on a GPU, 47 ms of them on the "
      "processor"}},
    {"kokoro/", "", {GpuGain::kNone, "its 8-bit form is slower on a GPU"}},
    {"piper", "", {GpuGain::kNone, "it is quick on the processor and was not measured on a GPU"}},
    {"speakers/", "", {GpuGain::kNone, "it was not measured on a GPU"}},
    {"speaker-vector/", "", {GpuGain::kNone, "its 8-bit form was not measured on a GPU"}},
    {"minilm", "", {GpuGain::kNone, "its 8-bit form was not measured on a GPU"}},
    {"e5-small/", "", {GpuGain::kNone, "its 4-bit form was not measured on a GPU"}},
};

}  // namespace

DeviceRule DeviceRuleOf(std::string_view model) {
  for (const Row& row : kRows) {
    if (model.starts_with(row.begin) && model.ends_with(row.end)) return row.rule;
  }
  return {GpuGain::kUnknown, "it was not measured on a GPU"};
}

}  // namespace trunkline::engine
