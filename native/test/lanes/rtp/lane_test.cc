// @requirement SIP: DTMF works as events and as tones, both ways.
// @requirement Call quality: A record reports clipping.
// Lanes with real sockets on loopback, in virtual time.
#include <vector>

#include "lanes/rtp/packet.h"
#include "lanes/rtp/rtcp.h"
#include "lanes/rtp/socket.h"
#include "test/lanes/rtp/lane_fixture.h"
#include "test/support/counted_new.h"

namespace trunkline::rtp {
namespace {

constexpr double kToneLevel = 8000 / 1.4142;

TEST_F(RtpLaneTest, SoundCrossesWithEachCodecAndRate) {
  EXPECT_NEAR(Across("0 pcmu", 8000), kToneLevel, 300);
  EXPECT_NEAR(Across("8 pcma", 16000), kToneLevel, 300);
}

TEST_F(RtpLaneTest, ThisSideMaySpeakULawWhateverThePacketsHold) {
  auto options = Opening();
  options.Text("codec", "ulaw");
  const auto lane = engine_->Open("rtp", options.packed());
  ASSERT_TRUE(lane.ok());
  Pass(1);
  const auto port = base::Load<uint32_t>(reinterpret_cast<const uint8_t*>(Of(*lane, kRtpOpened)[0].data()));
  const auto [other, other_port] = Open();
  SetUp(*lane, other_port, "8 pcma");
  SetUp(other, static_cast<uint16_t>(port), "8 pcma");
  std::vector<uint8_t> loud(160);
  for (size_t i = 0; i < loud.size(); ++i) loud[i] = i % 8 < 4 ? 0x90 : 0x10;
  for (int i = 0; i < 50; ++i) {
    engine_->Push(*lane, loud);
    Pass(2);
  }
  const auto heard = Heard(other);
  EXPECT_GT(LevelOf(std::span<const int16_t>(heard).last(800)), 10000);
  Say(other, 50);
  const auto back = Of(*lane, engine::kAudioEvent);
  EXPECT_EQ(back.back().size(), 80u) << "10 ms, a byte a sample";
}

TEST_F(RtpLaneTest, OpusCrosses) {
  if (!HasOpus()) GTEST_SKIP() << "this build has no libopus: apt-get install libopus-dev";
  EXPECT_NEAR(Across("111 opus", 16000), kToneLevel, 900);
}

TEST_F(RtpLaneTest, SoundCrossesEnciphered) {
  if (!HasSrtp()) GTEST_SKIP() << "this build has no libsrtp2: apt-get install libsrtp2-dev";
  EXPECT_NEAR(Across("0 pcmu", 8000, "AES_CM_128_HMAC_SHA1_80"), kToneLevel, 300);
}

TEST_F(RtpLaneTest, TwoCallsAreJoinedInsideTheEngine) {
  const auto [a, a_port] = Open();
  const auto [b, b_port] = Open();
  const auto [c, c_port] = Open();
  const auto [d, d_port] = Open();
  SetUp(a, b_port);
  SetUp(b, a_port);
  SetUp(c, d_port);
  SetUp(d, c_port);
  // The audio of a goes to b, from there without JavaScript to c, and so to d.
  records_.clear();
  ASSERT_EQ(engine_->Join(b, c, false, true), Code::kOk);
  Say(a, 100);
  const auto heard = Heard(d);
  ASSERT_GT(heard.size(), 8000u);
  EXPECT_NEAR(LevelOf(std::span<const int16_t>(heard).last(4000)), kToneLevel, 300);
  EXPECT_TRUE(Heard(b).empty()) << "it does not tell JavaScript";
  ASSERT_EQ(engine_->Part(b), Code::kOk);
  records_.clear();
  Say(a, 100);
  const auto after = Heard(d);
  EXPECT_LT(LevelOf(std::span<const int16_t>(after).last(4000)), 50);
  EXPECT_FALSE(Heard(b).empty());
}

TEST_F(RtpLaneTest, AJointEndsWithEitherLane) {
  const auto [a, a_port] = Open();
  const auto echo = engine_->Open("loopback", {});
  ASSERT_EQ(engine_->Join(a, *echo, false, false), Code::kOk);
  EXPECT_EQ(engine_->Join(a, a, false, false), Code::kInvalidArgument);
  ASSERT_EQ(engine_->Close(*echo, true), Code::kOk);
  Pass(3);
  EXPECT_EQ(engine_->Join(a, *echo, false, false), Code::kStale);
  Pass(3);
  EXPECT_EQ(engine_->Part(a), Code::kOk);
  EXPECT_EQ(engine_->Close(a, true), Code::kOk);
  Pass(3);
  EXPECT_EQ(engine_->Part(a), Code::kStale);
}

TEST_F(RtpLaneTest, StatisticsTellOfBothWays) {
  const auto [a, a_port] = Open();
  const auto [b, b_port] = Open();
  SetUp(a, b_port);
  SetUp(b, a_port);
  Say(a, 600);
  const auto numbers = Statistics(b);
  ASSERT_EQ(numbers.size(), kStatistics);
  EXPECT_GT(numbers[0], 550) << "packets";
  EXPECT_EQ(numbers[2], 0) << "lost";
  EXPECT_GT(numbers[14], 4.2) << "opinion score";
  EXPECT_GT(numbers[15], 550) << "packets sent: silence, by the clock";
  EXPECT_GE(numbers[20], 0) << "round trip";
  EXPECT_GT(numbers[21], 4.0) << "of what the other end hears";
}

TEST_F(RtpLaneTest, AStrangersPacketsAreCountedAndNotHeard) {
  const auto [a, a_port] = Open();
  const auto [b, b_port] = Open();
  SetUp(a, b_port);
  SetUp(b, a_port);
  Say(a, 20);
  auto unknown_peer = OpenPair(*Endpoint::Parse("127.0.0.1", 0), 32000, 32100);
  ASSERT_TRUE(unknown_peer.ok());
  std::vector<uint8_t> packet(172, 0x00);
  WriteRtp({.payload_type = 0, .sequence = 9, .timestamp = 9, .ssrc = 9}, std::vector<uint8_t>(160, 0x80),
           packet);
  for (int i = 0; i < 10; ++i) unknown_peer->rtp->Send(packet, *Endpoint::Parse("127.0.0.1", b_port));
  unknown_peer->rtp->Send(std::vector<uint8_t>(3, 1), *Endpoint::Parse("127.0.0.1", b_port));
  Say(a, 60);
  const auto numbers = Statistics(b);
  EXPECT_EQ(numbers[22], 10);
  EXPECT_EQ(numbers[23], 1);
  EXPECT_EQ(Of(b, kRtpSource).size(), 1u);
}

TEST_F(RtpLaneTest, SilenceOfTheNetworkIsToldAndItsEnd) {
  const auto [a, a_port] = Open();
  const auto [b, b_port] = Open();
  SetUp(b, a_port);
  Pass(2100);
  const auto states = Of(b, kRtpSilence);
  ASSERT_EQ(states.size(), 2u);
  EXPECT_EQ(states[0][0], 1);
  EXPECT_EQ(states[1][0], 2);
  SetUp(a, b_port);
  Say(a, 5);
  EXPECT_EQ(Of(b, kRtpSilence).back()[0], 0);
}

TEST_F(RtpLaneTest, MarksComeBackOnceWhatWasSaidBeforeIsSent) {
  const auto [a, a_port] = Open();
  const auto [b, b_port] = Open();
  SetUp(a, b_port);
  std::vector<int16_t> second(8000, 100);
  engine_->Push(a, base::AsBytes(std::span<const int16_t>(second)));
  const uint32_t number = 7;
  engine_->Control(a, kRtpMark, base::AsBytes(std::span<const uint32_t>(&number, 1)));
  Pass(90);
  EXPECT_TRUE(Of(a, kRtpMarked).empty());
  Pass(15);
  ASSERT_EQ(Of(a, kRtpMarked).size(), 1u);
  EXPECT_EQ(Of(a, kRtpMarked)[0][0], 7);
  engine_->Push(a, base::AsBytes(std::span<const int16_t>(second)));
  engine_->Control(a, kRtpMark, base::AsBytes(std::span<const uint32_t>(&number, 1)));
  engine_->Control(a, kRtpClear, {});
  Pass(4);
  EXPECT_EQ(Of(a, kRtpMarked).size(), 2u) << "cleared: it comes back at once";
}

TEST_F(RtpLaneTest, WhatCannotBeServedIsRefusedInWords) {
  const auto [a, a_port] = Open();
  SetUp(a, 4000, "9 g722");
  ASSERT_EQ(Of(a, kRtpRefused).size(), 1u);
  EXPECT_NE(Of(a, kRtpRefused)[0].find("g722"), std::string::npos);
  OptionsBuilder nowhere;
  nowhere.Text("address", "example.com").Number("port", 4000);
  engine_->Control(a, kRtpSetup, nowhere.packed());
  Pass(2);
  EXPECT_EQ(Of(a, kRtpRefused).size(), 2u);
  EXPECT_EQ(engine_->Open("rtp", OptionsBuilder().Text("bind", "nobody").packed()).status().code(),
            Code::kInvalidArgument);
}

TEST_F(RtpLaneTest, PortsRunOutInWords) {
  OptionsBuilder options;
  options.Text("bind", "127.0.0.1").Number("port_from", 32200).Number("port_to", 32203);
  EXPECT_TRUE(engine_->Open("rtp", options.packed()).ok());
  const auto second = engine_->Open("rtp", options.packed());
  ASSERT_TRUE(second.ok());
  const auto third = engine_->Open("rtp", options.packed());
  EXPECT_EQ(third.status().code(), Code::kCapacity);
  EXPECT_NE(third.status().message().find("32200-32203"), std::string::npos);
  engine_->Close(*second, true);
  Pass(3);
  EXPECT_TRUE(engine_->Open("rtp", options.packed()).ok()) << "a port comes back with its lane's end";
}

TEST_F(RtpLaneTest, ACallsTicksAllocateNothing) {
  const auto [a, a_port] = Open();
  const auto [b, b_port] = Open();
  SetUp(a, b_port);
  SetUp(b, a_port);
  ASSERT_EQ(engine_->Join(a, b, false, false), Code::kOk) << "each says what it hears: sound goes round";
  std::vector<uint8_t> buffer(engine::kMinDrainBytes);
  const auto tick = [&] {
    clock_->Advance(engine::kTickNanos);
    engine_->Tick();
    engine_->ClearWake();
    engine_->Drain(buffer);
  };
  for (int i = 0; i < 300; ++i) tick();
  const uint64_t before = test::all_allocations.load();
  for (int i = 0; i < 1000; ++i) tick();
  EXPECT_EQ(test::all_allocations.load(), before);
}

}  // namespace
}  // namespace trunkline::rtp
