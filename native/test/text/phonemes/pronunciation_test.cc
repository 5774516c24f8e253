#include "text/phonemes/pronunciation.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "test/support/files.h"
#include "text/phonemes/phoneme_table.h"
#include "text/reading/normalize.h"
#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

PhonemeProgram Program() {
  const std::string library = test::ModelFile("espeak-ng/libespeak-ng.so.1");
  return {TRUNKLINE_PHONEMES, library, library.substr(0, library.rfind('/')), 3000};
}

Accent AccentOf(std::string_view code) {
  Accent accent;
  EXPECT_TRUE(ParseAccent(code, accent));
  return accent;
}

#define NEED_LIBRARY() TRUNKLINE_NEED_FILE(Program().library)

// Pronounces for Kokoro's American voices.
std::string English(PhonemePool& process, std::string_view text) {
  const auto phonemes = KokoroPhonemes(process, Normalize(text, Lang::kEn), AccentOf("en-us"));
  EXPECT_TRUE(phonemes.ok());
  return phonemes.ok() ? *phonemes : std::string();
}

TEST(SeparateWords, ReadingsStandForTheirPartsWithoutADictionary) {
  const Accent accent{.espeak = "ja"};
  EXPECT_EQ(SeparateWords("ペンが\uE002三本\uE003サンボン\uE004あります.", accent),
            "ペンがサンボンあります.");
  EXPECT_EQ(SeparateWords("hello, world", accent), "hello, world");
}

TEST(Pronunciation, SaysLinesInOrder) {
  NEED_LIBRARY();
  PhonemePool process(Program());
  const auto said = process.Pronounce("en-us", false, {"hello", "", "world"});
  ASSERT_TRUE(said.ok()) << said.status().ToString();
  EXPECT_EQ(*said, (std::vector<std::string>{"həlˈoʊ", "", "wˈɜːld"}));
}

TEST(Pronunciation, LongTextIsSaidWhole) {
  NEED_LIBRARY();
  PhonemePool process(Program());
  std::string text;
  for (int i = 0; i < 300; ++i) text += "one. two, three; ";
  const auto said = process.Pronounce("en-us", false, {text});
  ASSERT_TRUE(said.ok());
  size_t count = 0;
  for (size_t at = said->front().find("θɹˈiː"); at != std::string::npos;
       at = said->front().find("θɹˈiː", at + 1))
    ++count;
  EXPECT_EQ(count, 300u);
}

TEST(Pronunciation, AProcessThatDiedIsStartedAgain) {
  NEED_LIBRARY();
  PhonemePool process(Program());
  ASSERT_TRUE(process.Pronounce("en-us", false, {"one"}).ok());
  const pid_t first = process.idle_pids().at(0);
  ASSERT_GT(first, 0);
  kill(first, SIGKILL);
  siginfo_t info;
  waitid(P_PID, static_cast<id_t>(first), &info, WEXITED | WNOWAIT);
  const auto said = process.Pronounce("en-us", false, {"two"});
  ASSERT_TRUE(said.ok()) << said.status().ToString();
  EXPECT_EQ(said->front(), "tˈuː");
  EXPECT_NE(process.idle_pids().at(0), first);
}

TEST(Pronunciation, AnAbsentProgramSaysSo) {
  PhonemeProgram program = Program();
  program.program = "/nonexistent/trunkline-phonemes";
  PhonemePool process(program);
  EXPECT_EQ(process.Pronounce("en-us", false, {"one"}).status().code(), base::Code::kNotReady);
}

TEST(Pronunciation, AProgramThatOnlyDiesIsGivenUp) {
  PhonemeProgram program = Program();
  NEED_LIBRARY();
  program.program = "/bin/false";
  PhonemePool process(program);
  EXPECT_EQ(process.Pronounce("en-us", false, {"one"}).status().code(), base::Code::kNotReady);
}

TEST(Pronunciation, AnUnknownVoiceIsNotFound) {
  NEED_LIBRARY();
  PhonemePool process(Program());
  EXPECT_EQ(process.Pronounce("tlh-xx", false, {"one"}).status().code(), base::Code::kNotFound);
  EXPECT_TRUE(process.Pronounce("es", false, {"uno"}).ok());
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Pronunciation, TheProcessHasNoSecretsAndNoReach) {
  NEED_LIBRARY();
  setenv("TRUNKLINE_SECRET_OF_A_TEST", "secret", 1);
  PhonemePool pool(Program());
  ASSERT_TRUE(pool.Pronounce("en-us", false, {"one"}).ok());
  const std::string folder = "/proc/" + std::to_string(pool.idle_pids().at(0));
  EXPECT_EQ(ReadText(folder + "/environ"), "");
  const std::string status = ReadText(folder + "/status");
  EXPECT_NE(status.find("NoNewPrivs:\t1"), std::string::npos);
  EXPECT_NE(status.find("Seccomp:\t2"), std::string::npos);
  const std::string limits = ReadText(folder + "/limits");
  EXPECT_NE(limits.find("Max processes             0 "), std::string::npos);
  EXPECT_NE(limits.find("Max file size             0 "), std::string::npos);
  unsetenv("TRUNKLINE_SECRET_OF_A_TEST");
}

TEST(Pronunciation, OneCallerDoesNotWaitForAnothersProcess) {
  NEED_LIBRARY();
  PhonemePool pool(Program());
  ASSERT_TRUE(pool.Pronounce("en-us", false, {"one"}).ok());
  const pid_t first = pool.idle_pids().at(0);
  kill(first, SIGSTOP);
  // Whoever gets the process that stands still waits for it; everybody else is served meanwhile.
  std::thread waiting([&pool] { pool.Pronounce("en-us", false, {"two"}); });
  while (!pool.idle_pids().empty()) std::this_thread::yield();
  const auto said = pool.Pronounce("en-us", false, {"three"});
  ASSERT_TRUE(said.ok());
  EXPECT_EQ(said->front(), "θɹˈiː");
  EXPECT_NE(pool.idle_pids().at(0), first);
  kill(first, SIGCONT);
  waiting.join();
}

TEST(Pronunciation, ManyThreadsGetTheirOwnAnswers) {
  NEED_LIBRARY();
  PhonemePool process(Program());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&process, thread] {
      for (int i = 0; i < 50; ++i) {
        const auto said =
            process.Pronounce(thread % 2 == 0 ? "es" : "en-us", false, {"no " + std::to_string(i % 7)});
        ASSERT_TRUE(said.ok());
        EXPECT_EQ(said->front().starts_with("nˈoʊ"), thread % 2 != 0) << said->front();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Pronunciation, ThePronounIsStressed) {
  NEED_LIBRARY();
  PhonemePool process(Program());
  const auto said = KokoroPhonemes(process, "Yes, I do.", AccentOf("en-us"));
  ASSERT_TRUE(said.ok());
  EXPECT_EQ(*said, "jˈɛs, ˌI dˈu.");
}

TEST(Pronunciation, AStressedWordIsMarkedAndHasAMainStress) {
  NEED_LIBRARY();
  PhonemePool process(Program());
  const auto said = [&](std::string_view text) { return English(process, text); };
  EXPECT_EQ(said("You \uE000can do it."), "ju \uE000kˈæn\uE001 dˈu ɪt.") << "alone it has another vowel";
  EXPECT_EQ(said("Ask \uE000me, please."), "ˈæsk \uE000mˈi\uE001, plˈiz.");
  EXPECT_TRUE(said("\uE00042 of them").starts_with("\uE000fˈɔɹɾi")) << said("\uE00042 of them");
  EXPECT_EQ(said("Nothing \uE000"), "nˈʌθɪŋ");
  const auto other = PiperPhonemes(process, "You \uE000can do it.", AccentOf("en-us"));
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(*other, *PiperPhonemes(process, "You can do it.", AccentOf("en-us")));
}

TEST(PhonemeTable, TellsWhichSoundsAreStressed) {
  const auto table = ReadPhonemeTable(R"({"vocab": {"a": 1, "b": 2}})", "vocab");
  ASSERT_TRUE(table.ok());
  std::vector<bool> stressed;
  EXPECT_EQ(table->Encode("ab\uE000ba\uE001a", &stressed), (std::vector<int64_t>{1, 2, 2, 1, 1}));
  EXPECT_EQ(stressed, (std::vector<bool>{false, false, true, true, false}));
}

TEST(PhonemeTable, ACharacterMayHaveSeveralNumbers) {
  const auto table =
      ReadPhonemeTable(R"({"phoneme_id_map": {"e": [18], "é": [18, 141], "x": [7]}})", "phoneme_id_map");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->Encode("xéex"), (std::vector<int64_t>{7, 18, 141, 18, 7}));
  EXPECT_FALSE(ReadPhonemeTable(R"({"phoneme_id_map": {"e": []}})", "phoneme_id_map").ok());
}

TEST(Pronunciation, ReadsNumbersOfLanguagesOfAddedVoices) {
  NEED_LIBRARY();
  PhonemePool process(Program());
  for (const char* language : {"ru", "uk", "pl", "cs", "tr", "ko", "cmn", "sv", "el", "ar"}) {
    const Accent accent{language};
    const auto one = PiperPhonemes(process, "1", accent), many = PiperPhonemes(process, "1, 2, 3.", accent);
    ASSERT_TRUE(one.ok() && many.ok()) << language;
    EXPECT_FALSE(one->empty()) << language;
    EXPECT_GT(many->size(), one->size()) << language;
  }
}

TEST(Pronunciation, TheDandaIsAFullStop) {
  NEED_LIBRARY();
  PhonemePool process(Program());
  const auto said = KokoroPhonemes(process, "नमस्ते। ठीक है।", AccentOf("hi"));
  ASSERT_TRUE(said.ok());
  EXPECT_EQ(std::count(said->begin(), said->end(), '.'), 2);
}

TEST(Pronunciation, SpelledLettersAreLetters) {
  NEED_LIBRARY();
  PhonemePool process(Program());
  const auto said = KokoroPhonemes(process, "A B C", AccentOf("en-us"));
  ASSERT_TRUE(said.ok());
  EXPECT_EQ(*said, "ˈA bˈi sˈi");
  const auto article = KokoroPhonemes(process, "A dog", AccentOf("en-us"));
  ASSERT_TRUE(article.ok());
  EXPECT_EQ(article->substr(0, 2), "ə");
}

TEST(Pronunciation, AHumIsNotSpelled) {
  NEED_LIBRARY();
  PhonemePool process(Program());
  const auto said = [&](std::string_view text) { return English(process, text); };
  EXPECT_EQ(said("Mm-hmm."), "ˈʌmhəm.");
  EXPECT_EQ(said("Mhm, mm, go on."), "ˈʌmhəm, həm, ɡˌO ˈɔn.");
  EXPECT_NE(said("MM").find("ˈɛm"), std::string::npos) << "initials are";
}

// Every sound of the seven languages has a number in the model's table: nothing is dropped in silence.
TEST(Pronunciation, TheModelKnowsEverySound) {
  NEED_LIBRARY();
  const std::string path = test::ModelFile("kokoro/vocab.json");
  TRUNKLINE_NEED_FILE(path);
  std::stringstream json;
  json << std::ifstream(path).rdbuf();
  const auto table = ReadPhonemeTable(json.str(), "vocab");
  ASSERT_TRUE(table.ok()) << table.status().ToString();
  EXPECT_GT(table->size(), 100u);
  const std::pair<const char*, const char*> texts[] = {
      {"en-us",
       "The quick brown fox jumps over the lazy dog, while button and bottle vision thing joy church year "
       "now."},
      {"en-gb", "The quick brown fox jumps over the lazy dog. Here are the poor boys, where no bird goes."},
      {"en-in", "Thank you for calling, very well, the water is there."},
      {"es",
       "El veloz murciélago hindú comía feliz cardillo y kiwi, la cigüeña tocaba el saxofón; año, lluvia."},
      {"fr",
       "Portez ce vieux whisky au juge blond qui fume. Un bon vin blanc, peut-être. Agneau, huit, cœur."},
      {"de",
       "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. Ich möchte Pfeffer, hübsche "
       "Mädchen."},
      {"hi", "ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश करने वाले विष्णु, ठंड, घड़ी, झील।"},
      {"it",
       "Quel vituperabile xenofobo zelante assaggia il whisky ed esclama: alleluja! Gnocchi, figlio, scena."},
      {"pt",
       "Luís argüia à Júlia que brações, fé, chá, óxido, pôr, zângão eram palavras do português. Lhe, "
       "nhoque."}};
  for (const auto& [code, text] : texts) {
    PhonemePool process(Program());
    const auto said = KokoroPhonemes(process, text, AccentOf(code));
    ASSERT_TRUE(said.ok()) << code << ": " << said.status().ToString();
    std::string lost;
    for (const char32_t c : ToCodePoints(*said)) {
      std::string symbol;
      AppendUtf8(c, symbol);
      if (table->Encode(symbol).empty()) lost += symbol + " ";
    }
    EXPECT_EQ(lost, "") << code << ": " << *said;
  }
}

TEST(Pronunciation, ATableThatIsNoneIsRefused) {
  for (const char* json :
       {"", "{}", "{\"vocab\"", "{\"vocab\": {}}", "{\"vocab\": {\"a\": ", "{\"vocab\": {\"a\" \"b\"}}"}) {
    EXPECT_FALSE(ReadPhonemeTable(json, "vocab").ok()) << json;
  }
}

}  // namespace
}  // namespace trunkline::text
