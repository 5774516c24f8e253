// @requirement Models: Calls whose voice an operator added do not wait while another voice is opened.
// Voices that an operator added are opened by their first use, which takes as long as their files are large.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <iterator>

#include "test/support/added_kokoro.h"
#include "test/support/own_path.h"
#include "test/tts/synthesis_scene.h"

namespace trunkline::tts {
namespace {

constexpr auto kDeadline = std::chrono::seconds(20);

class AddedVoicesTest : public SynthesisTest {
 protected:
  static VoiceSpec Added(const char* name) {
    VoiceSpec voice;
    voice.folder = test::AddedKokoro(test::OwnPath(std::string("added-voices-") + name));
    voice.styles = {{"ours", 1}};
    return voice;
  }
};

// The table of phonemes is a pipe, so that the opening lasts until somebody has written it.
TEST_F(AddedVoicesTest, AreServedWhileAnotherIsOpenedAndThatOneIsOpenedOnce) {
  const VoiceSpec known = Added("known"), slow = Added("slow");
  const auto open = Models()->GraphOf(known);
  ASSERT_TRUE(open.ok()) << open.status().ToString();
  const std::string pipe = slow.folder + "/vocab.json";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const auto graph = [](const VoiceSpec& voice) { return Models()->GraphOf(voice); };
  auto first = std::async(std::launch::async, graph, slow);
  const int written = ::open(pipe.c_str(), O_WRONLY);  // it waits for the reader
  ASSERT_GE(written, 0);
  auto second = std::async(std::launch::async, graph, slow);
  auto others = std::async(std::launch::async, [&] {
    VoiceSpec piper = Joe();
    piper.folder = test::OwnPath("added-voices-none");
    EXPECT_EQ(Models()->PiperOf(piper).status().code(), base::Code::kNotFound);
    EXPECT_EQ(Models()->FindCalibration(slow), nullptr);
    const auto again = Models()->GraphOf(known);
    EXPECT_TRUE(again.ok() && *again == *open);
  });
  EXPECT_EQ(others.wait_for(kDeadline), std::future_status::ready) << "they wait for the opening";
  std::ifstream file(test::ModelFile("kokoro/vocab.json"), std::ios::binary);
  const std::string table{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(write(written, table.data(), table.size()), static_cast<ssize_t>(table.size()));
  close(written);
  const auto one = first.get(), same = second.get();
  ASSERT_TRUE(one.ok()) << one.status().ToString();
  ASSERT_TRUE(same.ok()) << same.status().ToString();
  EXPECT_EQ(*one, *same);
}

TEST_F(AddedVoicesTest, KeepTwoGraphsOpen) {
  const auto open = [](const VoiceSpec& voice) {
    const auto graph = Models()->GraphOf(voice);
    EXPECT_TRUE(graph.ok()) << graph.status().ToString();
    return graph.ok() ? std::weak_ptr<KokoroGraph>(*graph) : std::weak_ptr<KokoroGraph>();
  };
  const VoiceSpec a = Added("a"), b = Added("b"), c = Added("c");
  const auto oldest = open(a), used = open(b);
  open(b);
  const auto newest = open(c);
  EXPECT_TRUE(oldest.expired());
  EXPECT_FALSE(used.expired());
  EXPECT_FALSE(newest.expired());
}

TEST_F(AddedVoicesTest, ThatCannotBeOpenedTakeNoPlace) {
  const VoiceSpec a = Added("a"), b = Added("b");
  ASSERT_TRUE(Models()->GraphOf(a).ok());
  const std::weak_ptr<KokoroGraph> open = *Models()->GraphOf(b);
  for (const char* name : {"none", "neither"}) {
    VoiceSpec missing = a;
    missing.folder = test::OwnPath(std::string("added-voices-") + name);
    EXPECT_FALSE(Models()->GraphOf(missing).ok());
  }
  EXPECT_FALSE(open.expired());
}

}  // namespace
}  // namespace trunkline::tts
