#include "lanes/embed/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "test/support/files.h"
#include "test/support/own_path.h"
#include "test/support/tiny_model.h"

namespace trunkline::embed {
namespace {

using base::Code;
using test::Message;

constexpr size_t kSize = 4;
constexpr uint64_t kInt64 = test::kTypeNumber<int64_t>;

// The rows of the tokens below, one a line of the vocabulary.
const std::vector<float> kRows = {
    0, 0, 0, 0,  // [PAD]
    1, 1, 1, 1,  // [UNK]
    4, 0, 0, 0,  // [CLS]
    0, 4, 0, 0,  // [SEP]
    0, 0, 4, 0,  // red
    0, 0, 0, 4,  // blue
};
constexpr const char* kVocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nred\nblue\n";

struct Graph {
  std::string output = "last_hidden_state";
  std::vector<float> rows = kRows;
  uint64_t ids_type = kInt64;
  bool has_types = false;
  bool pools = false;
};

// Looks each token up; a graph that pools adds the tokens up.
std::string Encoder(const Graph& graph) {
  const std::string vectors = graph.pools ? "vectors" : graph.output;
  Message made;
  made.Sub(1, test::Node("Gather", {"table", "input_ids"}, vectors));
  if (graph.pools) {
    made.Sub(
        1, test::Node("ReduceSum", {"vectors", "axes"}, graph.output).Sub(5, test::Attribute("keepdims", 0)));
    made.Sub(5, test::Constant<int64_t>("axes", {1}, {1}));
  }
  made.Bytes(2, "encoder").Sub(5, test::Constant<float>("table", graph.rows, {6, kSize}));
  made.Sub(11, test::Value("input_ids", graph.ids_type, {-1, -1}));
  made.Sub(11, test::Value("attention_mask", kInt64, {-1, -1}));
  if (graph.has_types) made.Sub(11, test::Value("token_type_ids", kInt64, {-1, -1}));
  const auto shape = graph.pools ? std::vector<int64_t>{-1, kSize} : std::vector<int64_t>{-1, -1, kSize};
  return test::Model(made.Sub(12, test::FloatValue(graph.output, shape)));
}

class EmbedModelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TRUNKLINE_NEED_FILE(test::InferenceLibrary());
    auto loaded = onnx::Runtime::Load({.library = test::InferenceLibrary()});
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    runtime_ = *loaded;
    folder_ = test::OwnPath("embed-model");
    std::filesystem::create_directories(folder_);
    Write("vocab.txt", kVocabulary);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }

  // `changes` come later in the file, so they replace these values.
  base::Result<std::shared_ptr<EmbedModel>> Open(const Graph& graph, const std::string& changes = "") {
    Write("model.onnx", Encoder(graph));
    Write("embed.conf",
          "tokenizer word_pieces\ntokens 8\nsize 4\npooling mean\noutput last_hidden_state\ntypes 0\n" +
              changes);
    return OpenFolder(runtime_, folder_.string());
  }

  static std::vector<float> VectorOf(const EmbedModel& model, const std::string& text) {
    std::vector<float> hidden, out(model.size);
    EXPECT_TRUE(Embed(model, text, hidden, out, nullptr).ok());
    return out;
  }

  std::shared_ptr<onnx::Runtime> runtime_;
  std::filesystem::path folder_;
};

void ExpectNear(const std::vector<float>& found, const std::vector<float>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
}

TEST_F(EmbedModelTest, TheMeanOfATextsTokensHasUnitLength) {
  const auto model = Open({});
  ASSERT_TRUE(model.ok()) << model.status().message();
  ExpectNear(VectorOf(**model, "Red blue"), {0.5f, 0.5f, 0.5f, 0.5f});
  const float long_side = 2 / std::sqrt(6.0f), side = 1 / std::sqrt(6.0f);
  ExpectNear(VectorOf(**model, "red red"), {side, side, long_side, 0});
}

TEST_F(EmbedModelTest, TheFirstTokenAloneCountsWhereTheModelSaysSo) {
  const auto model = Open({}, "pooling first\n");
  ASSERT_TRUE(model.ok()) << model.status().message();
  ExpectNear(VectorOf(**model, "red blue"), {1, 0, 0, 0});
}

TEST_F(EmbedModelTest, AGraphThatPoolsGivesTheTextsVector) {
  const Graph graph = {.output = "sentence_embedding", .has_types = true, .pools = true};
  const auto model = Open(graph, "pooling graph\noutput sentence_embedding\ntypes 1\n");
  ASSERT_TRUE(model.ok()) << model.status().message();
  ExpectNear(VectorOf(**model, "blue"), {1 / std::sqrt(3.0f), 1 / std::sqrt(3.0f), 0, 1 / std::sqrt(3.0f)});
}

TEST_F(EmbedModelTest, AnEmptyTextHasNoVector) {
  const auto model = Open({});
  ASSERT_TRUE(model.ok()) << model.status().message();
  ExpectNear(VectorOf(**model, ""), {0, 0, 0, 0});
  ExpectNear(VectorOf(**model, " \n"), {0, 0, 0, 0});
}

TEST_F(EmbedModelTest, ALongTextIsCutAtTheModelsTokens) {
  const auto model = Open({}, "tokens 3\n");
  ASSERT_TRUE(model.ok()) << model.status().message();
  ExpectNear(VectorOf(**model, "red blue blue blue"), VectorOf(**model, "red"));
}

TEST_F(EmbedModelTest, AVectorThatIsNotFiniteIsABadModel) {
  Graph graph;
  graph.rows[4 * kSize] = std::numeric_limits<float>::infinity();
  const auto model = Open(graph);
  ASSERT_TRUE(model.ok()) << model.status().message();
  std::vector<float> hidden, out(kSize);
  EXPECT_EQ(Embed(**model, "red", hidden, out, nullptr).code(), Code::kBadModel);
  std::fill(out.begin(), out.end(), 0.0f);
  EXPECT_TRUE(Embed(**model, "blue", hidden, out, nullptr).ok());
}

TEST_F(EmbedModelTest, RefusesSettingsThatTheGraphDoesNotHave) {
  struct Case {
    Graph graph;
    std::string changes, says;
  };
  const std::vector<Case> cases = {
      {{}, "size 5\n", "numbers a token"},
      {{}, "size 0\n", "no numbers"},
      {{}, "size -1\n", "size"},
      {{}, "size 99999999999999999999\n", "size"},
      {{}, "tokens 2\n", "no tokens"},
      {{}, "tokens 100000\n", "tokens"},
      {{}, "tokens many\n", "tokens"},
      {{}, "types 1\n", "token_type_ids"},
      {{}, "types 2\n", "types"},
      {{}, "pooling max\n", "pooling"},
      {{}, "output pooler_output\n", "pooler_output"},
      {{}, "tokenizer bytes\n", "tokenizer"},
      {{.ids_type = test::kTypeNumber<int32_t>}, "", "int64"},
  };
  for (const auto& [graph, changes, says] : cases) {
    const auto model = Open(graph, changes);
    ASSERT_FALSE(model.ok()) << changes;
    EXPECT_EQ(model.status().code(), Code::kBadModel) << changes;
    EXPECT_NE(model.status().message().find(says), std::string::npos) << changes << model.status().message();
  }
}

TEST_F(EmbedModelTest, RefusesAFolderWithoutItsFiles) {
  EXPECT_EQ(OpenFolder(runtime_, (folder_ / "absent").string()).status().code(), Code::kNotFound);
  ASSERT_TRUE(Open({}).ok());
  std::filesystem::remove(folder_ / "vocab.txt");
  EXPECT_EQ(OpenFolder(runtime_, folder_.string()).status().code(), Code::kNotFound);
  Write("vocab.txt", kVocabulary);
  Write("model.onnx", "not a graph");
  EXPECT_EQ(OpenFolder(runtime_, folder_.string()).status().code(), Code::kBadModel);
}

}  // namespace
}  // namespace trunkline::embed
