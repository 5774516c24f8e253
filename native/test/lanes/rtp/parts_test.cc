// @requirement WebRTC: The jitter buffer adapts with time-scale modification and packet loss concealment.
// @requirement SIP: RTP handles order, loss, drift, NAT, SRTP, Opus, comfort noise and RTCP.
// @requirement Call quality: A record has loss, jitter, concealment and MOS, and one-way audio is reported live.
// @requirement Telephony: A clock that is set forward or back changes no bill.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "lanes/rtp/comfort_noise.h"
#include "lanes/rtp/quality.h"
#include "lanes/rtp/rtcp_exchange.h"
#include "lanes/rtp/sender.h"
#include "lanes/rtp/silence_watch.h"
#include "lanes/rtp/source_guard.h"
#include "lanes/rtp/srtp.h"

namespace trunkline::rtp {
namespace {

using Verdict = SourceGuard::Verdict;

const Endpoint kSignalled = *Endpoint::Parse("192.0.2.1", 4000);
const Endpoint kOutside = *Endpoint::Parse("198.51.100.7", 61000);
const Endpoint kUnknownPeer = *Endpoint::Parse("203.0.113.9", 5000);

const Network kTrunk = *Network::Parse("198.51.100.0/24");
const std::vector<Network> kNetworks = {*Network::Parse("2001:db8:1::/48"), kTrunk};

TEST(Network, HoldsTheAddressesThatBeginAsItDoes) {
  const auto holds = [](const char* network, const char* address) {
    return Network::Parse(network)->Holds(*Endpoint::Parse(address, 1));
  };
  EXPECT_TRUE(holds("192.0.2.0/24", "192.0.2.255"));
  EXPECT_FALSE(holds("192.0.2.0/24", "192.0.3.0"));
  EXPECT_TRUE(holds("192.0.2.128/25", "192.0.2.200"));
  EXPECT_FALSE(holds("192.0.2.128/25", "192.0.2.127"));
  EXPECT_TRUE(holds("192.0.2.7", "192.0.2.7"));
  EXPECT_FALSE(holds("192.0.2.7", "192.0.2.6"));
  EXPECT_TRUE(holds("0.0.0.0/0", "203.0.113.9"));
  EXPECT_FALSE(holds("0.0.0.0/0", "::1"));
  EXPECT_TRUE(holds("2001:db8::/33", "2001:db8:7fff::1"));
  EXPECT_FALSE(holds("2001:db8::/33", "2001:db8:8000::1"));
  for (const char* wrong :
       {"", "192.0.2.0/33", "192.0.2.0/-1", "192.0.2.0/", "192.0.2.0/8x", "name", "::/129"})
    EXPECT_FALSE(Network::Parse(wrong)) << wrong;
}

TEST(SourceGuard, ANatOfTheTrunkIsFollowedOnceItStays) {
  SourceGuard guard;
  EXPECT_EQ(guard.Judge(kOutside, 1, 0), Verdict::kRefuse) << "nothing was agreed on yet";
  guard.Expect(kSignalled, kNetworks, true, false);
  EXPECT_EQ(*guard.target(), kSignalled);
  EXPECT_EQ(guard.Judge(kOutside, 1, 0), Verdict::kWait);
  EXPECT_EQ(guard.Judge(kOutside.WithPort(5000), 2, 10), Verdict::kWait)
      << "another one: counting begins anew";
  EXPECT_EQ(guard.Judge(kOutside, 1, 20), Verdict::kWait);
  EXPECT_EQ(guard.Judge(kOutside, 1, 40), Verdict::kWait);
  EXPECT_EQ(guard.Judge(kOutside, 1, 60), Verdict::kMoved);
  EXPECT_EQ(*guard.target(), kOutside);
  EXPECT_TRUE(guard.Knows(kOutside.WithPort(61001)));
}

TEST(SourceGuard, AnotherPortOfTheSignalledAddressIsFollowed) {
  SourceGuard guard;
  guard.Expect(kSignalled, {}, true, false);
  const Endpoint moved = kSignalled.WithPort(4444);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(guard.Judge(moved, 1, i * 20.0), Verdict::kWait);
  EXPECT_EQ(guard.Judge(moved, 1, 40), Verdict::kMoved);
}

TEST(SourceGuard, AStrangerTakesNoStreamBeforeItsFirstPacketNorInItsSilence) {
  SourceGuard guard;
  guard.Expect(kSignalled, kNetworks, true, false);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(guard.Judge(kUnknownPeer, 9, i * 20.0), Verdict::kRefuse);
  EXPECT_EQ(*guard.target(), kSignalled);
  EXPECT_EQ(guard.Judge(kSignalled, 1, 200), Verdict::kTake);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(guard.Judge(kUnknownPeer, 9, 9000 + i * 20.0), Verdict::kRefuse);
  EXPECT_EQ(*guard.target(), kSignalled);
  EXPECT_FALSE(guard.Knows(kUnknownPeer));
}

TEST(SourceGuard, NobodyTakesAStreamThatRuns) {
  SourceGuard guard;
  guard.Expect(kSignalled, kNetworks, true, false);
  EXPECT_EQ(guard.Judge(kSignalled, 1, 0), Verdict::kTake);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(guard.Judge(kOutside, 9, i * 20.0), Verdict::kRefuse);
    EXPECT_EQ(guard.Judge(kSignalled, 1, i * 20.0), Verdict::kTake);
  }
  EXPECT_EQ(*guard.target(), kSignalled);
  // It was silent for long: its router may have given it another port.
  EXPECT_EQ(guard.Judge(kOutside, 9, 5000), Verdict::kWait);
  EXPECT_EQ(guard.Judge(kOutside, 9, 5020), Verdict::kWait);
  EXPECT_EQ(guard.Judge(kOutside, 9, 5040), Verdict::kMoved);
  EXPECT_EQ(guard.Judge(kSignalled, 1, 5060), Verdict::kMoved) << "who was signalled is always believed";
}

TEST(SourceGuard, ATrunkWithoutNatIsHeldToItsAddress) {
  SourceGuard guard;
  guard.Expect(kSignalled, kNetworks, false, false);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(guard.Judge(kOutside, 1, i), Verdict::kRefuse);
  guard.Expect(kSignalled, {}, true, true);
  guard.Expect(kUnknownPeer, {}, true, true);
  EXPECT_EQ(guard.Judge(kOutside, 1, 20), Verdict::kMoved) << "an authentic packet proves itself";
}

TEST(Sender, APacketComesEveryTwentyMillisecondsWhateverThereIsToSay) {
  Sender sender(8000, {.ssrc = 1, .sequence = 10, .timestamp = 1000});
  Speaking speaking{.payload_type = 0, .encoder = MakeEncoder(CodecName::kPcmu, 8000), .resampler = {}};
  sender.Use(&speaking);
  std::vector<uint8_t> buffer(kMaxPacket);
  const std::vector<int16_t> sound(200, 1000);
  EXPECT_EQ(sender.Push(sound), 200u);
  const size_t first = sender.Step(true, buffer);
  auto packet = ReadRtp({buffer.data(), first});
  ASSERT_TRUE(packet);
  EXPECT_TRUE(packet->header.marker);
  EXPECT_EQ(packet->header.timestamp, 1000u);
  EXPECT_EQ(packet->payload.size(), 160u);
  packet = ReadRtp({buffer.data(), sender.Step(true, buffer)});
  EXPECT_EQ(packet->header.timestamp, 1160u);
  EXPECT_EQ(packet->header.sequence, 11);
  EXPECT_EQ(packet->payload[100], 0xff) << "silence behind what there was";
  EXPECT_EQ(sender.Step(false, buffer), 0u) << "held: nothing is sent";
  packet = ReadRtp({buffer.data(), sender.Step(true, buffer)});
  EXPECT_EQ(packet->header.timestamp, 1000u + 3 * 160) << "time goes on";
  EXPECT_TRUE(packet->header.marker);
}

TEST(Sender, WhatIsClearedFadesAndIsGone) {
  Sender sender(8000, {});
  Speaking speaking{.payload_type = 8, .encoder = MakeEncoder(CodecName::kPcma, 8000), .resampler = {}};
  sender.Use(&speaking);
  sender.Push(std::vector<int16_t>(4000, 8000));
  EXPECT_EQ(sender.gone(), 0u);
  sender.Clear();
  std::vector<uint8_t> buffer(kMaxPacket);
  sender.Step(true, buffer);
  EXPECT_EQ(sender.gone(), 4000u);
  EXPECT_EQ(sender.Push(std::vector<int16_t>(20000, 1)), 16000u) << "2 s wait at most";
}

TEST(Sender, SilenceIsToldAsNoiseWhereThatWasAgreed) {
  Sender sender(8000, {});
  Speaking speaking{
      .payload_type = 0, .encoder = MakeEncoder(CodecName::kPcmu, 8000), .resampler = {}, .noise_type = 13};
  sender.Use(&speaking);
  std::vector<uint8_t> buffer(kMaxPacket);
  int sent = 0;
  for (int i = 0; i < 50; ++i) {
    const size_t size = sender.Step(true, buffer);
    if (size == 0) continue;
    ++sent;
    EXPECT_EQ(ReadRtp({buffer.data(), size})->header.payload_type, 13);
  }
  EXPECT_EQ(sent, 2);
}

TEST(RtcpExchange, TheRoundTripIsMeasuredAcrossAClockThatStepped) {
  Sender sender(8000, {.ssrc = 1});
  Speaking speaking{.payload_type = 0, .encoder = MakeEncoder(CodecName::kPcmu, 8000), .resampler = {}};
  sender.Use(&speaking);
  std::vector<uint8_t> buffer(512);
  sender.Step(true, buffer);
  // The two ends' clocks are hours apart.
  RtcpExchange here("a", 1.7e12), there("b", 1.7e12 + 7.2e6);
  here.Begin(1000);
  there.Begin(1000);
  Sender other(8000, {.ssrc = 2});
  ReceptionStats mine, theirs;
  theirs.Took(5, 0.0);
  theirs.Took(7, 0.0);
  EXPECT_FALSE(here.Due(1000));
  EXPECT_TRUE(here.Due(3000));
  size_t size = here.Write(sender, mine, std::nullopt, false, 3000, buffer);
  ASSERT_TRUE(there.Take(std::span(buffer).first(size), 2, 8000, 3040));
  size = there.Write(other, theirs, 1, false, 3540, buffer);
  ASSERT_TRUE(here.Take(std::span(buffer).first(size), 1, 8000, 3580));
  EXPECT_NEAR(*here.remote().round_trip_ms, 80, 1);
  EXPECT_NEAR(here.remote().loss, 1.0 / 3, 0.01);
  EXPECT_EQ(here.remote().lost, 1);
  EXPECT_FALSE(here.Take(std::span(buffer).first(5), 1, 8000, 3600));
}

TEST(Quality, ScoresFallWithLossAndDelay) {
  EXPECT_NEAR(OpinionScore(0, 0, {}), 4.41, 0.01);
  EXPECT_NEAR(OpinionScore(0, 100, {}), 4.36, 0.02);
  EXPECT_GT(OpinionScore(0.01, 100, {}), OpinionScore(0.05, 100, {}));
  EXPECT_LT(OpinionScore(0.2, 100, {}), 3);
  EXPECT_LT(OpinionScore(0, 600, {}), 3.4);
  EXPECT_EQ(OpinionScore(1, 5000, {}), 1);
}

TEST(SilenceWatch, TellsEachStateOnce) {
  using State = SilenceWatch::State;
  SilenceWatch watch(5000, 20000);
  watch.Expect(0);
  EXPECT_FALSE(watch.Check(std::nullopt, true, 4990));
  EXPECT_EQ(watch.Check(std::nullopt, true, 5000), State::kSilent);
  EXPECT_FALSE(watch.Check(std::nullopt, true, 10000));
  EXPECT_EQ(watch.Check(10500.0, true, 10500), State::kActive);
  EXPECT_FALSE(watch.Check(10500.0, false, 40000)) << "held";
  EXPECT_EQ(watch.Check(10500.0, true, 60000), State::kTimedOut);
}

TEST(SrtpSession, OnlyAuthenticPacketsOfTheseKeysAreRead) {
  if (!HasSrtp()) GTEST_SKIP() << "this build has no libsrtp2: apt-get install libsrtp2-dev";
  const std::vector<uint8_t> key(30, 7), another(30, 8);
  auto out = SrtpSession::Open("AES_CM_128_HMAC_SHA1_80", key, SrtpSession::Direction::kOut);
  auto in = SrtpSession::Open("AES_CM_128_HMAC_SHA1_80", key, SrtpSession::Direction::kIn);
  auto wrong = SrtpSession::Open("AES_CM_128_HMAC_SHA1_80", another, SrtpSession::Direction::kIn);
  ASSERT_TRUE(out.ok() && in.ok() && wrong.ok());
  std::vector<uint8_t> buffer(kMaxPacket + kMaxProtection);
  const std::vector<uint8_t> payload(160, 42);
  const size_t size =
      WriteRtp({.payload_type = 0, .sequence = 1, .timestamp = 1, .ssrc = 5}, payload, buffer);
  const size_t sent = (*out)->Rtp(buffer, size);
  ASSERT_EQ(sent, size + 10);
  EXPECT_NE(buffer[kRtpHeader], 42);
  auto copy = buffer;
  EXPECT_EQ((*wrong)->Rtp(copy, sent), 0u);
  copy = buffer;
  copy[20] ^= 1;
  EXPECT_EQ((*in)->Rtp(copy, sent), 0u) << "changed on its way";
  copy = buffer;
  EXPECT_EQ((*in)->Rtp(copy, sent), size);
  EXPECT_EQ(copy[kRtpHeader], 42);
  copy = buffer;
  EXPECT_EQ((*in)->Rtp(copy, sent), 0u) << "played again";
  EXPECT_EQ(
      SrtpSession::Open("AES_CM_128_HMAC_SHA1_80", std::vector<uint8_t>(16), SrtpSession::Direction::kIn)
          .status()
          .code(),
      base::Code::kInvalidArgument);
  EXPECT_EQ(SrtpSession::Open("NONE", key, SrtpSession::Direction::kIn).status().code(),
            base::Code::kInvalidArgument);
}

}  // namespace
}  // namespace trunkline::rtp
