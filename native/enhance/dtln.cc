#include "enhance/dtln.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trunkline::enhance {
namespace {

struct Names {
  const char* in[2];
  const char* out[2];
};
constexpr Names kMaskNames = {{"input_2", "input_3"}, {"activation_2", "tf_op_layer_stack_2"}};
constexpr Names kWaveNames = {{"input_4", "input_5"}, {"conv1d_3", "tf_op_layer_stack_5"}};
constexpr int64_t kMemoryShape[] = {1, 2, 128, 2};

bool IsFinite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

base::Status Run(const onnx::Session& session, const Names& names, std::span<const float> in,
                 std::span<const float> memory, std::span<float> out, std::span<float> next) {
  using onnx::Tensor;
  const onnx::Runtime& runtime = session.runtime();
  const int64_t shape[] = {1, 1, static_cast<int64_t>(in.size())};
  TRUNKLINE_ASSIGN_OR_RETURN(auto given, Tensor::View<const float>(runtime, in, shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto before, Tensor::View<const float>(runtime, memory, kMemoryShape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto result, Tensor::View<float>(runtime, out, shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto after, Tensor::View<float>(runtime, next, kMemoryShape));
  const onnx::Input inputs[] = {{names.in[0], &given}, {names.in[1], &before}};
  const onnx::Output outputs[] = {{names.out[0], &result}, {names.out[1], &after}};
  TRUNKLINE_RETURN_IF_FAILED(session.Run(inputs, outputs));
  if (IsFinite(out) && IsFinite(next)) return base::Ok();
  return base::Status(base::Code::kInference, "the denoiser computed a number that is not finite");
}

}  // namespace

base::Result<std::shared_ptr<const Dtln>> Dtln::Create(std::unique_ptr<onnx::Session> mask,
                                                       std::unique_ptr<onnx::Session> wave) {
  TRUNKLINE_RETURN_IF_FAILED(mask->Require(kMaskNames.in, kMaskNames.out));
  TRUNKLINE_RETURN_IF_FAILED(wave->Require(kWaveNames.in, kWaveNames.out));
  std::shared_ptr<Dtln> model(new Dtln());
  model->mask_ = std::move(mask);
  model->wave_ = std::move(wave);
  return std::shared_ptr<const Dtln>(std::move(model));
}

base::Status Dtln::Clean(Window& window, Memory& memory, dsp::RealFft& fft) const {
  std::array<float, kBins> re, im, level, mask;
  fft.Forward(window, re, im);
  for (size_t bin = 0; bin < kBins; ++bin) level[bin] = std::hypot(re[bin], im[bin]);
  Memory next;
  TRUNKLINE_RETURN_IF_FAILED(Run(*mask_, kMaskNames, level, memory.mask, mask, next.mask));
  for (size_t bin = 0; bin < kBins; ++bin) {
    re[bin] *= mask[bin];
    im[bin] *= mask[bin];
  }
  Window masked, clean;
  fft.Inverse(re, im, masked);
  TRUNKLINE_RETURN_IF_FAILED(Run(*wave_, kWaveNames, masked, memory.wave, clean, next.wave));
  window = clean;
  memory = next;
  return base::Ok();
}

}  // namespace trunkline::enhance
