#include "lanes/hear/voice_prints.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "test/support/files.h"
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
  std::weak_ptr<const speaker::Campplus> freed;
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
  const std::string path = (std::filesystem::temp_directory_path() / "voice-prints-other.onnx").string();
  std::ofstream(path, std::ios::binary) << test::AddModel();
  engine::Services other(ConfigOf(path));
  EXPECT_EQ(OpenVoicePrints(other).status().code(), base::Code::kBadModel);
  EXPECT_EQ(OpenVoicePrints(other).status().code(), base::Code::kBadModel);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace trunkline::hear
