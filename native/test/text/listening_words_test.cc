#include "text/listening_words.h"

#include <gtest/gtest.h>

namespace trunkline::text {
namespace {

TEST(ListeningWords, KnowsSignsOfListening) {
  for (const char* text :
       {"Mhm.", "Mm-hmm.", "Uh-huh", "Right.", "Okay, okay.", "Yeah yeah", "I see.", "Hmm...", "Got it!"}) {
    EXPECT_EQ(ListenTo(text, "en"), Utterance::kListening) << text;
  }
  EXPECT_EQ(ListenTo("Sí, claro.", "es"), Utterance::kListening);
  EXPECT_EQ(ListenTo("D'accord.", "fr"), Utterance::kListening);
  EXPECT_EQ(ListenTo("Ja, genau.", "de"), Utterance::kListening);
  EXPECT_EQ(ListenTo("हाँ जी", "hi"), Utterance::kListening);
}

TEST(ListeningWords, KnowsStatements) {
  for (const char* text : {"Wait a moment", "No", "Stop", "Yeah but what about Monday", "Right, so I need",
                           "What?", "Yes yes yes yes"}) {
    EXPECT_EQ(ListenTo(text, "en"), Utterance::kSaying) << text;
  }
  EXPECT_EQ(ListenTo("right", "es"), Utterance::kSaying);
}

TEST(ListeningWords, TakesDescriptionsOfSoundsForNothing) {
  for (const char* text : {"", "  ", "[BLANK_AUDIO]", "(coughs)", "*sighs*", "..."}) {
    EXPECT_EQ(ListenTo(text, "en"), Utterance::kNothing) << text;
  }
}

}  // namespace
}  // namespace trunkline::text
