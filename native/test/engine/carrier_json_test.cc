#include "engine/carrier_json.h"

#include <gtest/gtest.h>

#include <vector>

#include "engine/base64.h"
#include "engine/carrier_order.h"

namespace trunkline::engine {
namespace {

using base::AsBytes;
using base::Code;

Code Decode(std::string_view message, std::string& audio) {
  std::vector<uint8_t> memory(kMaxCarrierAudio);
  CarrierMedia media;
  const Code code = DecodeCarrierMedia(AsBytes(message), memory, media);
  audio.assign(memory.begin(), memory.begin() + static_cast<ptrdiff_t>(media.size));
  return code;
}

TEST(CarrierJson, DecodesAMessageAsCarriersSendIt) {
  std::string audio;
  EXPECT_EQ(
      Decode(
          R"({"event":"media","sequenceNumber":"3","media":{"track":"inbound","chunk":"1","timestamp":"5",)"
          R"("payload":"aGVsbG8="},"streamSid":"MZ18ad3ab5a668481ce02b83e7395059f0"})",
          audio),
      Code::kOk);
  EXPECT_EQ(audio, "hello");
  EXPECT_EQ(Decode(" {\n\"media\" : { \"payload\" : \"aGk=\" } , \"event\" : \"media\" } \n", audio),
            Code::kOk);
  EXPECT_EQ(audio, "hi") << "any order, any white space, no track";
  EXPECT_EQ(Decode(R"({"event":"media","media":{"payload":"\/\/8\u003d"}})", audio), Code::kOk);
  EXPECT_EQ(audio, "\xff\xff") << "escapes, which some encoders write";
}

TEST(CarrierJson, ReadsTheTimeOfAMessage) {
  std::vector<uint8_t> memory(kMaxCarrierAudio);
  const auto time = [&](const char* timestamp) {
    CarrierMedia media;
    const std::string message =
        std::string(R"({"event":"media","media":{"timestamp":)") + timestamp + R"(,"payload":"aGk="}})";
    EXPECT_EQ(DecodeCarrierMedia(AsBytes(message), memory, media), Code::kOk) << timestamp;
    return media.timestamp_ms;
  };
  EXPECT_EQ(time("\"240\""), 240) << "as carriers write it";
  EXPECT_EQ(time("240"), 240);
  EXPECT_EQ(time("\"2.5\""), std::nullopt);
  EXPECT_EQ(time("\"\""), std::nullopt);
  EXPECT_EQ(time("\"99999999999999999999\""), std::nullopt);
  EXPECT_EQ(time("[1]"), std::nullopt);
}

TEST(CarrierOrder, LeavesOutWhatCameTwiceAndFillsWhatIsMissing) {
  CarrierOrder order;
  EXPECT_TRUE(order.PlaceOf(5000).wanted) << "a stream may begin at any time";
  order.Took(5000, 160);
  EXPECT_EQ(order.PlaceOf(5020).silence, 0u);
  EXPECT_FALSE(order.PlaceOf(5000).wanted) << "a duplicate";
  EXPECT_EQ(order.PlaceOf(5060).silence, 320u) << "two messages are missing";
  order.Took(5060, 160);
  EXPECT_FALSE(order.PlaceOf(5040).wanted) << "too late: its place was filled";
  EXPECT_EQ(order.PlaceOf(35'080).silence, 8000u) << "half a minute of nothing is a second of it";
  EXPECT_TRUE(order.PlaceOf(std::nullopt).wanted) << "without a time, in the order of arrival";
}

TEST(CarrierJson, LeavesOtherMessagesAlone) {
  std::string audio;
  EXPECT_EQ(
      Decode(
          R"({"event":"start","start":{"tracks":["inbound"],"customParameters":{"a":{"b":[1,2,-3.5e7]}}}})",
          audio),
      Code::kNotMedia);
  EXPECT_EQ(Decode(R"({"event":"media","media":{"track":"outbound","payload":"aGk="}})", audio),
            Code::kNotMedia);
  EXPECT_EQ(Decode(R"({"event":null,"media":{"payload":"aGk="}})", audio), Code::kNotMedia);
  EXPECT_EQ(Decode("{}", audio), Code::kNotMedia);
}

TEST(CarrierJson, RefusesWhatIsCutShortAnywhere) {
  const std::string whole =
      R"({"event":"media","media":{"track":"inbound","payload":"aGVsbG8="},"x":[true,{"a":1}]})";
  std::string audio;
  ASSERT_EQ(Decode(whole, audio), Code::kOk);
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(Decode(whole.substr(0, size), audio), Code::kBadMessage) << size;
  }
}

TEST(CarrierJson, RefusesWhatIsNoSuchMessage) {
  std::string audio;
  for (const char* message :
       {"", "null", "[]", "\"media\"", "{\"event\":\"media\"} x", "{\"event\" \"media\"}",
        "{event:\"media\"}", "{\"event\":\"media\",\"media\":{\"payload\":\"a\"}}",
        "{\"event\":\"media\",\"media\":{\"payload\":\"####\"}}",
        "{\"event\":\"media\",\"media\":{\"payload\":\"aGk=\"},}", "{\"event\":\"media\",\"media\":\"aGk=\"}",
        "{\"event\":\"media\",\"media\":{\"payload\":\"\\u00ff\"}}"}) {
    EXPECT_EQ(Decode(message, audio), Code::kBadMessage) << message;
  }
  const std::string deep = "{\"event\":\"media\",\"x\":" + std::string(100'000, '[') + "}";
  EXPECT_EQ(Decode(deep, audio), Code::kBadMessage);
  const std::string large =
      "{\"event\":\"media\",\"media\":{\"payload\":\"" + std::string(kMaxCarrierAudio * 2, 'A') + "\"}}";
  EXPECT_EQ(Decode(large, audio), Code::kBadMessage);
}

TEST(Base64, DecodesEveryLengthWithAndWithoutPadding) {
  const char* cases[][2] = {
      {"", ""},        {"Zg==", "f"},        {"Zg", "f"},           {"Zm8=", "fo"},        {"Zm8", "fo"},
      {"Zm9v", "foo"}, {"Zm9vYg==", "foob"}, {"Zm9vYmE=", "fooba"}, {"Zm9vYmFy", "foobar"}};
  for (const auto& [text, bytes] : cases) {
    std::vector<uint8_t> memory(16);
    const auto size = DecodeBase64(text, memory);
    ASSERT_TRUE(size.has_value()) << text;
    EXPECT_EQ(std::string(memory.begin(), memory.begin() + static_cast<ptrdiff_t>(*size)), bytes);
  }
  std::vector<uint8_t> memory(16);
  for (const char* text : {"Z", "Zm9vY", "Zm9=v", "=", "====", "Zm 9", "Zm9v\n"}) {
    EXPECT_FALSE(DecodeBase64(text, memory).has_value()) << text;
  }
  EXPECT_FALSE(DecodeBase64("Zm9v", std::span(memory).first(2)).has_value());
}

}  // namespace
}  // namespace trunkline::engine
