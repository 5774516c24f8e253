// The verbs that work on frames of wire audio, on the calling thread: TypeScript brings the bytes and the memory of
// the result. A format is a number, as in dsp::WireFormat.
#include <napi.h>

#include <algorithm>
#include <array>
#include <vector>

#include "binding/values.h"
#include "binding/verbs.h"
#include "dsp/dsp.h"

namespace trunkline::binding {
namespace {

dsp::WireFormat FormatOf(napi_env env, napi_value value) {
  return static_cast<dsp::WireFormat>(
      std::min(Uint32Of(env, value), static_cast<uint32_t>(dsp::WireFormat::kAlaw)));
}

int RateOf(napi_env env, napi_value value) {
  return static_cast<int>(std::min(Uint32Of(env, value), 1'000'000u));
}

// convertAudio(from, bytes, to, out)
void ConvertAudio(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  dsp::ConvertWire(FormatOf(env, info[0]), BytesOf(env, info[1]), FormatOf(env, info[2]),
                   BytesOf(env, info[3]));
}

// mixAudio(format, voices, out)
void MixAudio(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (!info[1].IsArray()) return;
  const Napi::Array list = info[1].As<Napi::Array>();
  std::vector<base::ByteView> voices(list.Length());
  for (uint32_t i = 0; i < voices.size(); ++i) voices[i] = BytesOf(env, list.Get(i));
  dsp::MixWire(FormatOf(env, info[0]), voices, BytesOf(env, info[2]));
}

// measureAudio(format, bytes, peak, out): writes four float64: the sum of squares of full scale 1, the clipped samples,
// and the samples before and after those that are louder than `peak`.
void MeasureAudio(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  const dsp::WireMeasure measure =
      dsp::MeasureWire(FormatOf(env, info[0]), BytesOf(env, info[1]),
                       static_cast<int>(std::min(Uint32Of(env, info[2]), 32768u)));
  const std::array<double, 4> values = {measure.energy, static_cast<double>(measure.clipped),
                                        static_cast<double>(measure.quiet_before),
                                        static_cast<double>(measure.quiet_after)};
  const base::MutableBytes out = BytesOf(env, info[3]);
  std::ranges::copy(
      base::AsBytes(std::span<const double>(values)).first(std::min(out.size(), sizeof(values))),
      out.begin());
}

// addAudio(out, outStride, keep, bytes, stride, gain)
void AddAudio(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  dsp::AddWire({BytesOf(env, info[0]), Uint32Of(env, info[1])}, DoubleOf(env, info[2]),
               {BytesOf(env, info[3]), Uint32Of(env, info[4])}, DoubleOf(env, info[5]));
}

// addTone(out, outStride, keep, cycles, level, decay, phase)
void AddTone(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  dsp::AddTone({BytesOf(env, info[0]), Uint32Of(env, info[1])}, DoubleOf(env, info[2]),
               {.cycles = DoubleOf(env, info[3]),
                .level = DoubleOf(env, info[4]),
                .decay = DoubleOf(env, info[5]),
                .phase = DoubleOf(env, info[6])});
}

// downmixAudio(bytes, channels, out)
void DownmixAudio(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  dsp::DownmixWire(BytesOf(env, info[0]), Uint32Of(env, info[1]), BytesOf(env, info[2]));
}

// floatAudio(bytes, stride, out): `out` is a Float32Array.
void FloatAudio(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (!info[2].IsTypedArray() || info[2].As<Napi::TypedArray>().TypedArrayType() != napi_float32_array)
    return;
  const base::MutableBytes out = BytesOf(env, info[2]);
  dsp::WireToFloat({BytesOf(env, info[0]), Uint32Of(env, info[1])},
                   {reinterpret_cast<float*>(out.data()), out.size() / sizeof(float)});
}

// resampleAudio(bytes, from, to, out)
void ResampleAudio(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  dsp::ResampleWire(BytesOf(env, info[0]), RateOf(env, info[1]), RateOf(env, info[2]), BytesOf(env, info[3]));
}

}  // namespace

void RegisterWireAudio(Napi::Env env, Napi::Object exports) {
  exports.Set("convertAudio", Napi::Function::New(env, ConvertAudio, "convertAudio"));
  exports.Set("mixAudio", Napi::Function::New(env, MixAudio, "mixAudio"));
  exports.Set("measureAudio", Napi::Function::New(env, MeasureAudio, "measureAudio"));
  exports.Set("addAudio", Napi::Function::New(env, AddAudio, "addAudio"));
  exports.Set("addTone", Napi::Function::New(env, AddTone, "addTone"));
  exports.Set("downmixAudio", Napi::Function::New(env, DownmixAudio, "downmixAudio"));
  exports.Set("floatAudio", Napi::Function::New(env, FloatAudio, "floatAudio"));
  exports.Set("resampleAudio", Napi::Function::New(env, ResampleAudio, "resampleAudio"));
}

}  // namespace trunkline::binding
