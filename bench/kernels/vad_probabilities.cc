// Prints the speech probability of each 32 ms of a raw PCM16 file at 16 kHz: {"p":[…]}.
//   bench_vad_probabilities LIBRARY MODEL FILE…
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include "vad/silero.h"

using namespace trunkline;

int main(int count, char** arguments) {
  if (count < 4) return 2;
  auto runtime = onnx::Runtime::Load({arguments[1], 1});
  if (!runtime.ok()) return 3;
  auto model = vad::Silero::OpenModel(*runtime, arguments[2]);
  if (!model.ok()) return 4;
  vad::Silero silero(*model);
  for (int file = 3; file < count; ++file) {
    std::ifstream stream(arguments[file], std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    const auto* pcm = reinterpret_cast<const int16_t*>(bytes.data());
    vad::VadState state;
    std::vector<float> frame(vad::FrameSamples(vad::VadRate::k16k));
    std::printf("{\"p\":[");
    for (size_t at = 0; at + frame.size() <= bytes.size() / 2; at += frame.size()) {
      for (size_t i = 0; i < frame.size(); ++i) frame[i] = static_cast<float>(pcm[at + i]) / 32768.0f;
      vad::VadItem item{&state, frame};
      if (!silero.Run(vad::VadRate::k16k, {&item, 1}).ok()) return 5;
      std::printf("%s%.5f", at == 0 ? "" : ",", static_cast<double>(item.probability));
    }
    std::printf("]}\n");
  }
  return 0;
}
