// Tests what a lane detects in the audio: clipping, echo and keys.
#include <array>
#include <cstring>
#include <deque>
#include <random>

#include "dsp/dsp.h"
#include "test/lanes/rtp/lane_fixture.h"

namespace trunkline::rtp {
namespace {

// Places in the statistics.
constexpr size_t kSent = 15, kClippedIn = 26, kClippedOut = 27, kEchoDelay = 28, kEchoDb = 29;

TEST_F(RtpLaneTest, TellsWhatIsClippedOfEachWay) {
  const auto [one, one_port] = Open();
  const auto [other, other_port] = Open();
  SetUp(one, other_port);
  SetUp(other, one_port);
  std::vector<int16_t> frames(10 * 160, 1000);
  for (size_t i = 0; i < 400; ++i) frames[i * 4] = i % 2 == 0 ? 32767 : -32768;
  ASSERT_EQ(engine_->Push(one, base::AsBytes(std::span<const int16_t>(frames))), Code::kOk);
  Pass(180);
  engine_->Close(one, false);
  Pass(5);
  const auto said = Statistics(one);
  EXPECT_NEAR(said[kClippedOut] * said[kSent] * 160, 400, 1e-6);
  EXPECT_EQ(said[kClippedIn], 0);
  const auto heard = Statistics(other);
  EXPECT_NEAR(heard[kClippedIn], said[kClippedOut], said[kClippedOut] / 10);
  EXPECT_EQ(heard[kClippedOut], 0);
}

TEST_F(RtpLaneTest, TellsOfOurSoundThatComesBackLaterAndQuieter) {
  std::array<double, 2> delays{};
  for (const size_t later : {0u, 15u}) {
    const auto [call, port] = Open();
    const auto [far, far_port] = Open();
    SetUp(call, far_port);
    SetUp(far, port);
    EXPECT_EQ(Statistics(call)[kEchoDelay], -1);
    std::mt19937 chance(1);
    std::deque<std::vector<int16_t>> waiting(later, std::vector<int16_t>(80));
    for (int frame = 0; frame < 200; ++frame) {
      std::vector<int16_t> said(160);
      for (int16_t& sample : said) sample = static_cast<int16_t>(chance() % 12001) - 6000;
      engine_->Push(call, base::AsBytes(std::span<const int16_t>(said)));
      records_.clear();
      Pass(2);
      for (const std::string& bytes : Of(far, engine::kAudioEvent)) {
        std::vector<int16_t> piece(bytes.size() / 2);
        std::memcpy(piece.data(), bytes.data(), bytes.size());
        for (int16_t& sample : piece) sample = static_cast<int16_t>(sample / 10);
        waiting.push_back(std::move(piece));
        engine_->Push(far, base::AsBytes(std::span<const int16_t>(waiting.front())));
        waiting.pop_front();
      }
    }
    Pass(100);
    const auto of_call = Statistics(call), of_far = Statistics(far);
    delays[later == 0 ? 0 : 1] = of_call[kEchoDelay];
    EXPECT_NEAR(of_call[kEchoDb], -20, 1);
    EXPECT_EQ(of_far[kEchoDelay], -1) << "who sends it back hears none";
  }
  EXPECT_GT(delays[0], 20);
  EXPECT_NEAR(delays[1] - delays[0], 150, 10);
}

TEST_F(RtpLaneTest, KeysAreHeardInTheSoundOfASideWithoutEvents) {
  const auto [a, a_port] = Open();
  const auto [b, b_port] = Open();
  SetUp(a, b_port);
  OptionsBuilder options;
  options.Text("address", "127.0.0.1")
      .Number("port", a_port)
      .List("listen", {"0 pcmu"})
      .Text("speak", "0 pcmu");
  ASSERT_EQ(engine_->Control(b, kRtpSetup, options.packed()), Code::kOk);
  auto keys = dsp::DtmfGenerator::Create(8000, "57#");
  std::array<float, 160> sound{};
  std::array<int16_t, 160> frame{};
  while (!keys->done()) {
    keys->Process(sound);
    for (size_t i = 0; i < sound.size(); ++i) frame[i] = static_cast<int16_t>(sound[i] * 32767);
    engine_->Push(a, base::AsBytes(std::span<const int16_t>(frame)));
    Pass(2);
  }
  Pass(40);
  std::string heard;
  for (const std::string& body : Of(b, kRtpKey)) heard += body[0];
  EXPECT_EQ(heard, "57#");
}

TEST_F(RtpLaneTest, KeysPressedWithTheSetupWaitForIt) {
  const auto [a, a_port] = Open();
  const auto [b, b_port] = Open();
  SetUp(b, a_port);
  OptionsBuilder options;
  options.Text("address", "127.0.0.1").Number("port", b_port).List("listen", {"0 pcmu"});
  options.Text("speak", "0 pcmu").Number("event_type", 101);
  ASSERT_EQ(engine_->Control(a, kRtpSetup, options.packed()), Code::kOk);
  ASSERT_EQ(engine_->Control(a, kRtpKeys, base::AsBytes(std::string_view("7"))), Code::kOk);
  Pass(100);
  ASSERT_EQ(Of(b, kRtpKey).size(), 1u);
  EXPECT_EQ(Of(b, kRtpKey)[0][0], '7');
}

TEST_F(RtpLaneTest, KeysAreHeardAndPressed) {
  const auto [a, a_port] = Open();
  const auto [b, b_port] = Open();
  SetUp(a, b_port);
  SetUp(b, a_port);
  Say(a, 10);
  ASSERT_EQ(engine_->Control(a, kRtpKeys, base::AsBytes(std::string_view("12#"))), Code::kOk);
  Pass(150);
  std::string keys;
  for (const std::string& body : Of(b, kRtpKey)) keys += body[0];
  EXPECT_EQ(keys, "12#");
}

}  // namespace
}  // namespace trunkline::rtp
