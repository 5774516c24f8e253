#include "tts/kokoro_graph.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "test/support/files.h"
#include "test/support/own_path.h"
#include "test/support/tiny_model.h"

namespace trunkline::tts {
namespace {

TEST(MadeSound, IsHandedOutInWindowsAndOnce) {
  MadeSound sound({1, 2, 3, 4, 5});
  std::vector<float> out;
  sound.Step(2, out);
  EXPECT_EQ(out, (std::vector<float>{1, 2}));
  EXPECT_FALSE(sound.done());
  sound.Step(100, out);
  EXPECT_EQ(out, (std::vector<float>{1, 2, 3, 4, 5}));
  EXPECT_TRUE(sound.done());
  sound.Step(1, out);
  EXPECT_EQ(out.size(), 5u);
  EXPECT_TRUE(MadeSound({}).done());
}

TEST(KokoroGraph, RefusesAFolderWithoutAGraphAndAnotherModel) {
  TRUNKLINE_NEED_FILE(test::InferenceLibrary());
  auto runtime = onnx::Runtime::Load({test::InferenceLibrary(), 1});
  ASSERT_TRUE(runtime.ok()) << runtime.status().ToString();
  const std::filesystem::path folder = test::OwnPath("kokoro-graph");
  std::filesystem::create_directories(folder);
  const auto load = [&] { return KokoroGraph::LoadFolder(*runtime, folder.string(), "", {}).status(); };
  EXPECT_FALSE(load().ok());
  std::ofstream(folder / "graph.onnx", std::ios::binary) << test::AddModel();
  EXPECT_EQ(load().code(), base::Code::kBadModel);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace trunkline::tts
