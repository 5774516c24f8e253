#include "binding/guard/client_frames.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::guard {
namespace {

constexpr uint64_t kMax = 1000;
using Bytes = std::vector<uint8_t>;

Bytes Frame(uint8_t first, std::string_view payload) {
  Bytes frame = {first};
  if (payload.size() < 126) {
    frame.push_back(static_cast<uint8_t>(0x80 | payload.size()));
  } else {
    frame.insert(frame.end(),
                 {0xfe, static_cast<uint8_t>(payload.size() >> 8), static_cast<uint8_t>(payload.size())});
  }
  const uint8_t mask[] = {1, 2, 3, 4};
  frame.insert(frame.end(), mask, mask + 4);
  for (size_t at = 0; at < payload.size(); ++at)
    frame.push_back(static_cast<uint8_t>(payload[at]) ^ mask[at % 4]);
  return frame;
}

Bytes operator+(Bytes one, const Bytes& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

// As it comes, `step` bytes at a time, those that wait given again: the fault, and how many bytes were good before it.
Reading InSteps(Bytes bytes, size_t step) {
  ClientFrames frames(kMax);
  size_t good = 0;
  for (size_t end = 0; end < bytes.size();) {
    end = std::min(bytes.size(), end + step);
    Reading reading{.owes_end = true};
    while (reading.owes_end) {
      reading = frames.Read(std::span(bytes).subspan(good, end - good));
      good += reading.good;
    }
    if (reading.fault != Fault::kNone) return {good, reading.fault};
    EXPECT_LE(end - good, kMaxHeld);
  }
  return {good, Fault::kNone};
}

void Expect(const Bytes& before, const Bytes& then, Fault fault, const char* what) {
  const Bytes all = before + then;
  for (size_t step = 1; step <= all.size(); ++step) {
    const Reading reading = InSteps(all, step);
    ASSERT_EQ(reading.fault, fault) << what << ", by " << step;
    // A text that came in pieces is found with its last byte, and was given as a fragment.
    const bool was_given = fault == Fault::kNotText && reading.good == all.size() && step < all.size();
    ASSERT_EQ(reading.good, fault == Fault::kNone || was_given ? all.size() : before.size())
        << what << ", by " << step;
  }
}

const Bytes kWhole = Frame(0x82, "one");
const Bytes kBegun = Frame(0x02, "one");

TEST(ClientFrames, TakesWhatTheProtocolAllowsHoweverItIsCut) {
  const std::string wide(300, 'x');
  Expect(kWhole, Frame(0x81, "h\xc3\xa9llo \xe2\x82\xac \xf0\x9f\x98\x80"), Fault::kNone, "text");
  Expect(kWhole, Frame(0x82, wide) + Frame(0x82, ""), Fault::kNone, "sixteen bits of length, and none");
  Expect(kBegun, Frame(0x89, "ping") + Frame(0x00, "two") + Frame(0x80, "three") + Frame(0x8a, ""),
         Fault::kNone, "fragments around a ping");
  Expect(Frame(0x01, "\xce"), Frame(0x80, "\xbb"), Fault::kNone, "a character across fragments");
  Expect(kWhole, Frame(0x88, "\x03\xe8goodbye"), Fault::kNone, "a close frame");
  Expect(kWhole, Frame(0x88, ""), Fault::kNone, "an empty close frame");
  Expect(kWhole, Frame(0x88, "\x0f\xa0"), Fault::kNone, "a code of an application");
}

TEST(ClientFrames, FindsWhatTheProtocolForbidsHoweverItIsCut) {
  Expect(kWhole, {0x82, 0x03, 'a', 'b', 'c'}, Fault::kProtocol, "no mask");
  Expect(kWhole, {0x81, 0x00}, Fault::kProtocol, "no mask, no bytes");
  Expect(kBegun, kWhole, Fault::kProtocol, "a whole binary message inside a fragmented one");
  Expect(kBegun, kBegun, Fault::kProtocol, "the beginning of a message inside another");
  Expect(kBegun, Frame(0x81, "b"), Fault::kProtocol, "a text inside a fragmented message");
  Expect(kWhole, Frame(0x80, "rest"), Fault::kProtocol, "a continuation of nothing");
  for (const uint8_t bits : {0x90, 0xa0, 0xc0, 0xf0})
    Expect(kWhole, Frame(bits | 2, "x"), Fault::kProtocol, "reserved bits");
  for (const uint8_t opcode : {3, 4, 5, 6, 7, 11, 12, 13, 14, 15})
    Expect(kWhole, Frame(0x80 | opcode, "x"), Fault::kProtocol, "an unknown opcode");
  Expect(kWhole, Frame(0x09, "x"), Fault::kProtocol, "a fragmented ping");
  Expect(kWhole, Frame(0x89, std::string(126, 'x')), Fault::kProtocol, "a long ping");
  Expect(kWhole, Frame(0x88, "x"), Fault::kProtocol, "a close frame of one byte");
  Expect(kWhole, Frame(0x88, "\x03\xee"), Fault::kProtocol, "a code that may not be sent");
  Expect(kWhole, Frame(0x88, "\x03\xe8\xc3\x28"), Fault::kProtocol, "a reason that is no text");
}

TEST(ClientFrames, FindsTextThatIsNone) {
  for (const char* text :
       {"\xc3\x28", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x88", "\xce"})
    Expect(kWhole, Frame(0x81, text), Fault::kNotText, text);
  Expect(Frame(0x01, "\xce"), Frame(0x80, "\xff"), Fault::kNotText, "across fragments");
  Expect(Frame(0x82, "\xff\xff"), Frame(0x81, "good"), Fault::kNone, "bytes are no text");
}

TEST(ClientFrames, FindsMessagesThatAreTooLong) {
  const std::string half(600, 'x');
  Expect(kWhole, {0x82, 0xff, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3, 4}, Fault::kTooBig, "a frame");
  Expect(kWhole, {0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4}, Fault::kTooBig,
         "every bit");
  Expect(Frame(0x02, half), Frame(0x80, half), Fault::kTooBig, "a message of fragments");
  Expect(Frame(0x82, half), Frame(0x82, half), Fault::kNone, "two messages");
}

}  // namespace
}  // namespace trunkline::guard
