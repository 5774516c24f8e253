// A folder of a Kokoro that an operator added, with a graph of a few bytes: every token lasts 25 ms, and it refuses a run of
// more tokens than a short clause has.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "test/support/tiny_model.h"

namespace trunkline::test {

inline constexpr size_t kAddedTokenSamples = 600;
// The tokens of sixty characters, with room for those that are spoken by two, and the silence around them.
inline constexpr size_t kAddedMostTokens = 80;

inline std::string AddedKokoroGraph() {
  std::vector<float> wave(kAddedTokenSamples);
  for (size_t i = 0; i < wave.size(); ++i) wave[i] = i / 60 % 2 == 0 ? 0.2F : -0.2F;
  const std::vector<float> ones(kAddedMostTokens, 1);
  Message graph;
  // The position of each token picks one of the ones; a position beyond them is an error of the run.
  graph.Sub(1, Node("Equal", {"tokens", "tokens"}, "same"));
  graph.Sub(1, Node("Cast", {"same"}, "each").Sub(5, Attribute("to", kTypeNumber<int64_t>)));
  graph.Sub(1, Node("CumSum", {"each", "axis"}, "counted"));
  graph.Sub(1, Node("Sub", {"counted", "one"}, "position"));
  graph.Sub(1, Node("Gather", {"ones", "position"}, "row"));
  graph.Sub(1, Node("Reshape", {"row", "column"}, "levels"));
  graph.Sub(1, Node("MatMul", {"levels", "wave"}, "waves"));
  graph.Sub(1, Node("Reshape", {"waves", "flat"}, "audio"));
  graph.Bytes(2, "kokoro");
  graph.Sub(5, Constant<int64_t>("axis", {1})).Sub(5, Constant<int64_t>("one", {1}));
  graph.Sub(5, Constant("ones", ones, {static_cast<int64_t>(ones.size())}));
  graph.Sub(5, Constant<int64_t>("column", {-1, 1}, {2})).Sub(5, Constant<int64_t>("flat", {-1}, {1}));
  graph.Sub(5, Constant("wave", wave, {1, static_cast<int64_t>(wave.size())}));
  graph.Sub(11, Value("tokens", kTypeNumber<int64_t>, {1, -1}));
  graph.Sub(11, FloatValue("style", {1, 256})).Sub(11, FloatValue("speed", {1}));
  graph.Sub(12, FloatValue("audio", {-1}));
  return Model(graph);
}

// Lays the folder out; its one style is "ours", and its phonemes are those of the bundled Kokoro.
inline std::string AddedKokoro(const std::filesystem::path& folder) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "graph.onnx", std::ios::binary) << AddedKokoroGraph();
  const std::vector<float> style(510 * 256, 0.0F);
  std::ofstream(folder / "ours.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(style.data()),
             static_cast<std::streamsize>(style.size() * sizeof(float)));
  return folder.string();
}

}  // namespace trunkline::test
