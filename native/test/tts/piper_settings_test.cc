// Tests what piper.conf tells of an added voice, and that sounds of added voices are told apart, without models.
#include <gtest/gtest.h>

#include "tts/piper.h"
#include "tts/sound_cache.h"

namespace trunkline::tts {
namespace {

TEST(PiperSettings, AreThoseOfTheStockVoiceWhereNothingIsSaid) {
  const auto settings = PiperSettings::Parse("");
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->rate, kPiperRate);
  EXPECT_EQ(settings->channels, 192U);
  EXPECT_EQ(settings->speakers, 1);
  EXPECT_TRUE(settings->phonemes);
}

TEST(PiperSettings, AreRead) {
  const auto settings = PiperSettings::Parse(
      "rate 16000\nchannels 96\nframe_samples 256\ncontext 14\nflow_context 32\nspeakers 904\nnoise 0.333\n"
      "duration_noise 0.5\nlength 1.25\nphonemes 0\n");
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->rate, 16000);
  EXPECT_EQ(settings->channels, 96U);
  EXPECT_EQ(settings->context, 14U);
  EXPECT_EQ(settings->speakers, 904);
  EXPECT_FLOAT_EQ(settings->noise, 0.333F);
  EXPECT_FLOAT_EQ(settings->duration_noise, 0.5F);
  EXPECT_FLOAT_EQ(settings->length, 1.25F);
  EXPECT_FALSE(settings->phonemes);
}

TEST(PiperSettings, ThatMakeNoSenseAreRefused) {
  for (const char* text : {"rate\n", "rate many\n", "rate 7\n", "channels 0\n", "frame_samples 0\n",
                           "speakers 0\n", "length 0\n", "length -1\n"}) {
    EXPECT_FALSE(PiperSettings::Parse(text).ok()) << text;
  }
}

TEST(SoundCache, TellsAddedVoicesAndTheirSpeakersApart) {
  VoiceSpec one{.model = VoiceModel::kPiper, .folder = "/data/models/a/1", .rate = 22050};
  VoiceSpec other = one, speaker = one;
  other.folder = "/data/models/b/1";
  speaker.speaker = 1;
  const auto key = SoundCache::KeyOf(one, "Hello.", 0);
  EXPECT_NE(key, SoundCache::KeyOf(other, "Hello.", 0));
  EXPECT_NE(key, SoundCache::KeyOf(speaker, "Hello.", 0));
  EXPECT_EQ(key, SoundCache::KeyOf(one, "Hello.", 0));
}

}  // namespace
}  // namespace trunkline::tts
