#include "text/reading/backchannels.h"

#include <gtest/gtest.h>

namespace trunkline::text {
namespace {

TEST(ListeningWords, KnowsSignsOfListening) {
  for (const char* text :
       {"Mhm.", "Mm-hmm.", "Uh-huh", "Right.", "Okay, okay.", "Yeah yeah", "I see.", "Hmm...", "Got it!"}) {
    EXPECT_EQ(ClassifyUtterance(text, "en"), Utterance::kBackchannel) << text;
  }
  EXPECT_EQ(ClassifyUtterance("Sí, claro.", "es"), Utterance::kBackchannel);
  EXPECT_EQ(ClassifyUtterance("D'accord.", "fr"), Utterance::kBackchannel);
  EXPECT_EQ(ClassifyUtterance("Ja, genau.", "de"), Utterance::kBackchannel);
  EXPECT_EQ(ClassifyUtterance("हाँ जी", "hi"), Utterance::kBackchannel);
}

TEST(ListeningWords, KnowsThemByTheMarksOfTheirOwnWriting) {
  for (const char* text : {"¡Sí, sí!", "¿Vale?", "«Claro»", "Muy bien…", "Perfecto.", "Por supuesto."}) {
    EXPECT_EQ(ClassifyUtterance(text, "es"), Utterance::kBackchannel) << text;
  }
  for (const char* text : {"D’accord.", "Ah, d’accord !", "Très bien…", "Bien sûr."}) {
    EXPECT_EQ(ClassifyUtterance(text, "fr"), Utterance::kBackchannel) << text;
  }
  for (const char* text : {"जी।", "हाँ। जी।", "ठीक है॥", "समझ गई।", "बहुत अच्छा।"}) {
    EXPECT_EQ(ClassifyUtterance(text, "hi"), Utterance::kBackchannel) << text;
  }
  EXPECT_EQ(ClassifyUtterance("¿Cuándo?", "es"), Utterance::kTurn);
  EXPECT_EQ(ClassifyUtterance("रुकिए।", "hi"), Utterance::kTurn);
  EXPECT_EQ(ClassifyUtterance("…", "fr"), Utterance::kNothing);
}

TEST(ListeningWords, KnowsStatements) {
  for (const char* text : {"Wait a moment", "No", "Stop", "Yeah but what about Monday", "Right, so I need",
                           "What?", "Yes yes yes yes"}) {
    EXPECT_EQ(ClassifyUtterance(text, "en"), Utterance::kTurn) << text;
  }
  EXPECT_EQ(ClassifyUtterance("right", "es"), Utterance::kTurn);
}

TEST(ListeningWords, ForgivesAQuickRecognizerItsRepeats) {
  EXPECT_EQ(ClassifyUtteranceStart("Right? Right? Right? Right? Right", "en"), Utterance::kBackchannel);
  EXPECT_EQ(ClassifyUtteranceStart("Seven, seven, seven, seven,", "en"), Utterance::kTurn);
  EXPECT_EQ(ClassifyUtteranceStart("", "en"), Utterance::kNothing);
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
    EXPECT_EQ(ClassifyUtterance(text, "en"), Utterance::kNothing) << text;
  }
}

}  // namespace
}  // namespace trunkline::text
