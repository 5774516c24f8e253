#include "engine/carrier_json.h"

#include <gtest/gtest.h>

#include <vector>

#include "engine/base64.h"

namespace trunkline::engine {
namespace {

using base::AsBytes;
using base::Code;

Code Decode(std::string_view message, std::string& audio) {
  std::vector<uint8_t> memory(kMaxCarrierAudio);
  size_t size = 0;
  const Code code = DecodeCarrierMedia(AsBytes(message), memory, size);
  audio.assign(memory.begin(), memory.begin() + static_cast<ptrdiff_t>(size));
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
