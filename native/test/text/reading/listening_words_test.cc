#include "text/reading/listening_words.h"

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

TEST(ListeningWords, KnowsThemByTheMarksOfTheirOwnWriting) {
  for (const char* text : {"¡Sí, sí!", "¿Vale?", "«Claro»", "Muy bien…", "Perfecto.", "Por supuesto."}) {
    EXPECT_EQ(ListenTo(text, "es"), Utterance::kListening) << text;
  }
  for (const char* text : {"D’accord.", "Ah, d’accord !", "Très bien…", "Bien sûr."}) {
    EXPECT_EQ(ListenTo(text, "fr"), Utterance::kListening) << text;
  }
  for (const char* text : {"जी।", "हाँ। जी।", "ठीक है॥", "समझ गई।", "बहुत अच्छा।"}) {
    EXPECT_EQ(ListenTo(text, "hi"), Utterance::kListening) << text;
  }
  EXPECT_EQ(ListenTo("¿Cuándo?", "es"), Utterance::kSaying);
  EXPECT_EQ(ListenTo("रुकिए।", "hi"), Utterance::kSaying);
  EXPECT_EQ(ListenTo("…", "fr"), Utterance::kNothing);
}

TEST(ListeningWords, KnowsStatements) {
  for (const char* text : {"Wait a moment", "No", "Stop", "Yeah but what about Monday", "Right, so I need",
                           "What?", "Yes yes yes yes"}) {
    EXPECT_EQ(ListenTo(text, "en"), Utterance::kSaying) << text;
  }
  EXPECT_EQ(ListenTo("right", "es"), Utterance::kSaying);
}

TEST(ListeningWords, ForgivesAQuickRecognizerItsRepeats) {
  EXPECT_EQ(ListenToStart("Right? Right? Right? Right? Right", "en"), Utterance::kListening);
  EXPECT_EQ(ListenToStart("Seven, seven, seven, seven,", "en"), Utterance::kSaying);
  EXPECT_EQ(ListenToStart("", "en"), Utterance::kNothing);
  EXPECT_EQ(DistinctWords("The third is the third is the third is"), 3u);
}

TEST(ListeningWords, KnowsTheirFirstPieces) {
  for (const char* piece : {"Yea", "Yeah", "Righ", "ok", "Sure", "Mm", "hmm"}) {
    EXPECT_TRUE(OpensListening(piece, "en")) << piece;
  }
  for (const char* piece : {"I", "so", "R", "Stop", "Go", "See", "Ex", "And", "", "sureness"}) {
    EXPECT_FALSE(OpensListening(piece, "en")) << piece;
  }
}

TEST(ListeningWords, TakesDescriptionsOfSoundsForNothing) {
  for (const char* text : {"", "  ", "[BLANK_AUDIO]", "(coughs)", "*sighs*", "..."}) {
    EXPECT_EQ(ListenTo(text, "en"), Utterance::kNothing) << text;
  }
}

}  // namespace
}  // namespace trunkline::text
