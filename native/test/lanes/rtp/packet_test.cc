// @requirement SIP: RTP handles order, loss, drift, NAT, SRTP, Opus, comfort noise and RTCP.
#include "lanes/rtp/packet.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "lanes/rtp/rtcp.h"
#include "lanes/rtp/telephone_event.h"

namespace trunkline::rtp {
namespace {

TEST(Packet, WhatIsWrittenIsRead) {
  const std::vector<uint8_t> payload = {1, 2, 3};
  std::array<uint8_t, 64> buffer;
  const Header header{
      .payload_type = 111, .marker = true, .sequence = 65535, .timestamp = 0xfffffff0, .ssrc = 7};
  const size_t size = WriteRtp(header, payload, buffer);
  ASSERT_EQ(size, 15u);
  const auto read = ReadRtp({buffer.data(), size});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->header.payload_type, 111);
  EXPECT_TRUE(read->header.marker);
  EXPECT_EQ(read->header.sequence, 65535);
  EXPECT_EQ(read->header.timestamp, 0xfffffff0u);
  EXPECT_EQ(read->header.ssrc, 7u);
  EXPECT_EQ(std::vector<uint8_t>(read->payload.begin(), read->payload.end()), payload);
  EXPECT_EQ(WriteRtp(header, payload, std::span(buffer).first(14)), 0u);
}

TEST(Packet, SourcesExtensionAndPaddingAreSkipped) {
  const std::vector<uint8_t> bytes = {0xb1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1,  // padded, extended, one source
                                      9,    9, 9, 9,                          // the source
                                      1,    2, 0, 1, 5, 5, 5, 5,              // an extension of one word
                                      42,   0, 0, 3};                         // a byte, three of padding
  const auto read = ReadRtp(bytes);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->payload.size(), 1u);
  EXPECT_EQ(read->payload[0], 42);
}

TEST(Packet, LengthsThatDoNotAddUpAreNoPacket) {
  std::vector<uint8_t> bytes(12, 0);
  EXPECT_FALSE(ReadRtp(bytes)) << "version 0";
  bytes[0] = 0x80;
  EXPECT_TRUE(ReadRtp(bytes));
  bytes[0] = 0x8f;
  EXPECT_FALSE(ReadRtp(bytes)) << "fifteen sources that are not there";
  bytes[0] = 0x90;
  EXPECT_FALSE(ReadRtp(bytes)) << "an extension that is not there";
  bytes[0] = 0xa0;
  EXPECT_FALSE(ReadRtp(bytes)) << "padding of nothing";
  bytes.push_back(2);
  EXPECT_FALSE(ReadRtp(bytes)) << "more padding than payload";
  EXPECT_FALSE(ReadRtp(base::ByteView(bytes).first(11)));
}

TEST(Rtcp, ReportsCrossWhole) {
  std::array<uint8_t, 256> buffer;
  const Report sent{
      .ssrc = 5,
      .sender = SenderInfo{.ntp = 0x0123456789abcdef, .timestamp = 8, .packets = 9, .bytes = 10},
      .reception = Reception{.ssrc = 77,
                             .fraction_lost = 64,
                             .lost = -3,
                             .highest = 70000,
                             .jitter = 12,
                             .last_report = 13,
                             .since_report = 14},
      .bye = true};
  const size_t size = WriteRtcp(sent, "me@trunkline", buffer);
  ASSERT_GT(size, 0u);
  EXPECT_EQ(size % 4, 0u);
  EXPECT_TRUE(LooksLikeRtcp({buffer.data(), size}));
  const auto read = ReadRtcp({buffer.data(), size}, 77);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->ssrc, 5u);
  EXPECT_EQ(read->sender->ntp, 0x0123456789abcdefu);
  EXPECT_EQ(read->sender->bytes, 10u);
  EXPECT_EQ(read->reception->lost, -3);
  EXPECT_EQ(read->reception->fraction_lost, 64);
  EXPECT_EQ(read->reception->highest, 70000u);
  EXPECT_EQ(read->reception->since_report, 14u);
  EXPECT_TRUE(read->bye);
  EXPECT_FALSE(ReadRtcp({buffer.data(), size}, 78)->reception) << "another stream's";
  EXPECT_FALSE(ReadRtcp({buffer.data(), size - 1}, 77)) << "cut off";
}

TEST(TelephoneEvent, AKeyIsPressedOnceHoweverOftenItIsTold) {
  KeyPress press;
  ASSERT_TRUE(press.Press("5#"));
  EXPECT_FALSE(press.Press("x"));
  KeyReader reader;
  std::string read;
  uint32_t began = 0, clock = 1000;
  size_t ends = 0;
  for (int steps = 0; !press.idle() && steps < 100; ++steps, clock += 160) {
    const auto step = press.Next(8000);
    if (!step.event) continue;
    if (step.first) began = clock;
    std::array<uint8_t, 4> payload;
    ASSERT_EQ(WriteEvent(*step.event, payload), 4u);
    if (step.event->ended) {
      ++ends;
      EXPECT_EQ(step.event->duration, 800u);
    }
    if (const auto key = reader.Take(payload, began)) read += *key;
    if (const auto key = reader.Take(payload, began)) read += *key;
  }
  EXPECT_EQ(read, "5#");
  EXPECT_EQ(ends, 6u) << "each end is told three times";
}

TEST(TelephoneEvent, ALatePacketOfTheKeyBeforePressesNothing) {
  KeyReader reader;
  const std::array<uint8_t, 4> one = {1, 10, 0, 160}, two = {2, 10, 0, 160}, flash = {16, 10, 0, 160};
  EXPECT_EQ(reader.Take(one, 0xffffff00), '1');
  EXPECT_EQ(reader.Take(two, 0x00000100), '2');
  EXPECT_FALSE(reader.Take(one, 0xffffff00));
  EXPECT_FALSE(reader.Take(flash, 0x00000500)) << "a flash is no key";
  EXPECT_FALSE(reader.Take(std::span(one).first(3), 0x00000700));
}

}  // namespace
}  // namespace trunkline::rtp
