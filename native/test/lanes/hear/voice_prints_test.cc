#include "lanes/hear/voice_prints.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "test/support/files.h"
#include "test/support/own_path.h"
#include "test/support/tiny_model.h"

namespace trunkline::hear {
namespace {

using test::InferenceLibrary;
using test::ModelFile;

engine::EngineConfig ConfigOf(const std::string& model) {
  engine::EngineConfig config;
  config.library = InferenceLibrary();
  config.models["speakers/embedding.onnx"] = model;
  return config;
}

TEST(VoicePrints, AreOpenedOnceForAllKindsAndEngines) {
  const std::string model = ModelFile("speakers/embedding.onnx");
  TRUNKLINE_NEED_FILE(model);
  engine::Services first(ConfigOf(model)), second(ConfigOf(model));
  const auto calls = OpenVoicePrints(first);
  ASSERT_TRUE(calls.ok()) << calls.status().message();
  const auto jobs = OpenVoicePrints(first);
  ASSERT_TRUE(jobs.ok());
  EXPECT_EQ(*calls, *jobs);
  const auto elsewhere = OpenVoicePrints(second);
  ASSERT_TRUE(elsewhere.ok());
  EXPECT_EQ(*calls, *elsewhere);
  ASSERT_EQ(second.placements().size(), 1u);
  EXPECT_EQ(second.placements()[0].name, "speakers/embedding.onnx");
}

TEST(VoicePrints, AreFreedWithTheirLastKind) {
  const std::string model = ModelFile("speakers/embedding.onnx");
  TRUNKLINE_NEED_FILE(model);
  engine::Services services(ConfigOf(model));
  std::weak_ptr<const speaker::SpeakerEncoder> freed;
  {
    const auto opened = OpenVoicePrints(services);
    ASSERT_TRUE(opened.ok());
    freed = *opened;
  }
  EXPECT_TRUE(freed.expired());
  EXPECT_TRUE(OpenVoicePrints(services).ok());
}

TEST(VoicePrints, RefuseAMissingModelAndAnotherInItsPlace) {
  engine::EngineConfig config = ConfigOf("");
  config.models.clear();
  engine::Services missing(config);
  EXPECT_EQ(OpenVoicePrints(missing).status().code(), base::Code::kNotReady);
  TRUNKLINE_NEED_FILE(InferenceLibrary());
  const std::string path = test::OwnPath("voice-prints-other");
  std::ofstream(path, std::ios::binary) << test::AddModel();
  engine::Services other(ConfigOf(path));
  EXPECT_EQ(OpenVoicePrints(other).status().code(), base::Code::kBadModel);
  EXPECT_EQ(OpenVoicePrints(other).status().code(), base::Code::kBadModel);
  std::filesystem::remove(path);
}

TEST(AddedEncoders, AreOpenedWithTheirWindowAndTheLastOneStaysOpen) {
  const std::string model = ModelFile("speakers/embedding.onnx");
  TRUNKLINE_NEED_FILE(model);
  engine::Services services(ConfigOf(model));
  const std::filesystem::path folder = test::OwnPath("added-encoder");
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(model, folder / "encoder.onnx",
                             std::filesystem::copy_options::overwrite_existing);
  const auto write = [&](const std::string& text) { std::ofstream(folder / "encoder.conf") << text; };
  for (const std::string wrong : {"", "window", "window round", "hamming"}) {
    write(wrong);
    EXPECT_EQ(OpenAddedEncoder(services, folder.string()).status().code(), base::Code::kBadModel) << wrong;
  }
  write("window hamming\n");
  const auto opened = OpenAddedEncoder(services, folder.string());
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  EXPECT_EQ((*opened)->window(), speaker::FbankWindow::kHamming);
  EXPECT_EQ((*opened)->size(), kVoicePrintSize);
  std::filesystem::remove_all(folder);
  const auto again = OpenAddedEncoder(services, folder.string());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*opened, *again);
  EXPECT_FALSE(OpenAddedEncoder(services, folder.string() + "-other").ok());
}

}  // namespace
}  // namespace trunkline::hear
