// Speech from the real models.

#include "tts/synthesis.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <string>
#include <thread>

#include "test/support/own_path.h"
#include "test/tts/synthesis_scene.h"

namespace trunkline::tts {
namespace {

TEST_F(SynthesisTest, SpeaksAtOnceAndAtTheCommonLoudness) {
  for (const VoiceSpec& voice : {Kokoro(), Kokoro("am_michael"), Joe(), HibariVoice()}) {
    const auto speech = Speak(voice, "Thank you for calling. How can I help you today?");
    const int rate = voice.model == VoiceModel::kPiper ? kPiperRate : kKokoroRate;
    const double seconds = static_cast<double>(speech.size()) / rate;
    EXPECT_GT(seconds, 1.5);
    EXPECT_LT(seconds, 5);
    EXPECT_NEAR(ActiveDb(speech), kTargetDb, 2.5);
    // The first 30 ms hold sound above -40 dBFS.
    float peak = 0;
    for (size_t i = 0; i < static_cast<size_t>(rate) * 3 / 100; ++i)
      peak = std::max(peak, std::abs(speech[i]));
    EXPECT_GT(peak, 0.01F);
  }
}

// Windows of one size: otherwise the time of each step sizes the next, and Piper's sums differ in their last bits.
SynthesisOptions EqualWindows() {
  SynthesisOptions options;
  options.first_window = options.largest_window = 32;
  return options;
}

TEST_F(SynthesisTest, TheSameSeedSaysTheSameAgain) {
  SynthesisOptions seven = EqualWindows();
  seven.seed = 7;
  for (const VoiceSpec& voice : {Kokoro(), Joe(), HibariVoice()}) {
    const auto first = Speak(voice, "Hello again.", seven);
    EXPECT_EQ(Speak(voice, "Hello again.", seven), first);
  }
  SynthesisOptions eight = EqualWindows();
  eight.seed = 8;
  EXPECT_NE(Speak(Joe(), "Hello again.", eight), Speak(Joe(), "Hello again.", seven));
}

// Windows of any size give one sound, to the bit: there is no seam to be heard.
TEST_F(SynthesisTest, WindowsJoinWithoutASeam) {
  SynthesisOptions small, large;
  small.first_window = small.largest_window = 16;
  large.first_window = large.largest_window = 4000;
  EXPECT_EQ(Speak(Kokoro(), "I can check your booking.", small),
            Speak(Kokoro(), "I can check your booking.", large));
  // Piper's windows overlap by what a frame depends on: the same sound, but for the last bits of its sums.
  const auto one = Speak(Joe(), "I can check your booking.", small),
             other = Speak(Joe(), "I can check your booking.", large);
  ASSERT_EQ(one.size(), other.size());
  for (size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(one[i], other[i], 1e-3F) << i;
}

// The shortest things that are said: a clause that is mostly silence is normalised by other means than a
// sentence, and came out silent when it was not.
TEST_F(SynthesisTest, LongFormTheShortestTextsAreSpokenByEveryKindOfVoice) {
  for (const VoiceSpec& voice :
       {Kokoro(), Kokoro("am_michael"), Kokoro("af_bella"), Kokoro("bm_george"), Joe()}) {
    const std::string name = voice.styles.empty() ? "joe" : voice.styles[0].name;
    for (const char* text :
         {"A", "I", "Oh", "e", "Hi", "Yes.", "5", "No!", "Ok, bye.", "Okay.", "Right.", "Yeah.", "Sure."}) {
      const auto speech = Speak(voice, text);
      EXPECT_GT(speech.size(), 2000U) << name << ": " << text;
      EXPECT_NEAR(ActiveDb(speech), kTargetDb, 5) << name << ": " << text;
    }
  }
}

// By means that do not fit it a clause is silent, as "Okay." of a voice that was learnt from long sentences
// alone: it is made again by its own.
TEST_F(SynthesisTest, LongFormAWordIsSpokenWhateverWasLearntOfTheVoice) {
  SpeechFiles files = test::SpeechFiles();
  files.known_voices.clear();
  onnx::SessionOptions options;
  options.threads = 2;
  auto loaded = SpeechModels::Load(test::ModelOpener(Runtime()), files, options);
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  for (const char* style : {"af_bella", "am_michael"}) {
    const VoiceSpec voice = Kokoro(style);
    const auto known = Models()->FindCalibration(voice);
    ASSERT_NE(known, nullptr);
    Calibration unfit = *known;
    const auto half = static_cast<std::ptrdiff_t>(unfit.statistics.size() / 2);
    std::copy(known->statistics.begin() + half, known->statistics.end(), unfit.statistics.begin());
    (*loaded)->KeepCalibration(voice, unfit);
    for (const char* text : {"Okay.", "Right.", "Yeah.", "Sure."}) {
      const auto speech = SpeakWith(*loaded, voice, text);
      EXPECT_GT(speech.size(), 2000U) << style << ": " << text;
      EXPECT_GT(ActiveDb(speech), kTargetDb - 8) << style << ": " << text;
    }
  }
}

// The means of the sentences that a Chinese voice was learnt from made this clause 9 dB too soft.
TEST_F(SynthesisTest, ChineseIsAsLoudAsOtherSpeech) {
  VoiceSpec voice = Kokoro("zf_xiaoxiao");
  voice.lang = text::Lang::kZh;
  voice.accent = "zh";
  for (const char* text : {"您的包裹会在3月14日下午6点以前送到。", "总价是85元，已经包含早餐。"}) {
    const auto speech = Speak(voice, text);
    ASSERT_GT(speech.size(), 48000U) << text;
    EXPECT_NEAR(ActiveDb(speech), kTargetDb, 3) << text;
  }
}

// The model's silent end grows as the words slow down; none of it is given out, or billed.
TEST_F(SynthesisTest, SlowSpeechEndsWithItsLastWord) {
  VoiceSpec slow = Kokoro();
  slow.speed = 0.7F;
  const auto speech = Speak(slow, "Hello there.");
  ASSERT_GT(speech.size(), 12000U);
  EXPECT_GT(ActiveDb(std::span(speech).last(kKokoroRate / 4)), -40);
}

// The text is in no benchmark: two words, then clauses of other lengths.
TEST_F(SynthesisTest, LongFormClausesOfAnyLengthAreEquallyLoud) {
  const std::string text =
      "Not yet. The lawyer is reading the contract tonight. Once he agrees, you only have to sign it. "
      "Congratulations on the house!";
  for (const VoiceSpec& voice : {Kokoro(), Kokoro("am_michael"), Kokoro("af_nova"), Joe()}) {
    const std::string name = voice.styles.empty() ? "joe" : voice.styles[0].name;
    auto synthesis = Synthesis::Open(Models(), voice, text, {});
    ASSERT_TRUE(synthesis.ok());
    std::vector<float> out;
    while (!(*synthesis)->done()) ASSERT_TRUE((*synthesis)->Step(nullptr, out).ok());
    auto starts = (*synthesis)->clause_starts();
    starts.push_back(out.size());
    ASSERT_GE(starts.size(), 5U - (voice.model == VoiceModel::kPiper ? 1 : 0)) << name;
    std::vector<double> levels;
    for (size_t i = 0; i + 1 < starts.size(); ++i)
      levels.push_back(ActiveDb(std::span(out).subspan(starts[i], starts[i + 1] - starts[i])));
    std::vector<double> sorted = levels;
    std::sort(sorted.begin(), sorted.end());
    const double middle = (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
    for (size_t i = 0; i < levels.size(); ++i)
      EXPECT_NEAR(levels[i], middle, 1.5) << name << ", clause " << i;
  }
}

TEST_F(SynthesisTest, LongFormPitchRangeSpeedAndTiltAreHeard) {
  auto voice = Kokoro();
  const std::string text = "I will call you back tomorrow, or on the day after.";
  const auto plain = Speak(voice, text);
  voice.speed = 1.3F;
  EXPECT_LT(static_cast<double>(Speak(voice, text).size()), 0.9 * static_cast<double>(plain.size()));
  voice.speed = 0.7F;
  EXPECT_GT(static_cast<double>(Speak(voice, text).size()), 1.15 * static_cast<double>(plain.size()));
  voice = Kokoro();
  voice.pitch = 1.2F;
  EXPECT_NEAR(Melody(Speak(voice, text)).hertz / Melody(plain).hertz, 1.2, 0.06);
  voice.pitch = 0.8F;
  EXPECT_NEAR(Melody(Speak(voice, text)).hertz / Melody(plain).hertz, 0.8, 0.06);
  voice = Kokoro();
  voice.range = 1.5F;
  EXPECT_GT(Melody(Speak(voice, text)).octaves, 1.2 * Melody(plain).octaves);
  voice.range = 0.5F;
  EXPECT_LT(Melody(Speak(voice, text)).octaves, 0.75 * Melody(plain).octaves);
  voice = Kokoro();
  voice.tilt_db = 6;
  EXPECT_GT(Brightness(Speak(voice, text)), Brightness(plain) + 1);
  voice.tilt_db = -6;
  EXPECT_LT(Brightness(Speak(voice, text)), Brightness(plain) - 1);
  voice = Kokoro();
  voice.gain_db = -4;
  EXPECT_NEAR(ActiveDb(Speak(voice, text)), ActiveDb(plain) - 4, 1);
}

// @requirement Cast: Emphasis comes from marks, directions, rules or a model.
// A word that is stressed lasts longer; at the end of a sentence, where nothing follows it, it is heard to be louder and higher.
TEST_F(SynthesisTest, LongFormAStressedWordStandsOut) {
  for (const char* style : {"af_heart", "am_michael"}) {
    const auto plain = Speak(Kokoro(style), "They never, ever listen.");
    const auto stressed = Speak(Kokoro(style), "They \uE000never, ever listen.");
    const auto last = Speak(Kokoro(style), "They never, ever \uE000listen.");
    ASSERT_GT(stressed.size(), plain.size()) << style;
    // The ends are the same words: from either end until they differ lies what was not stressed.
    const size_t longer = stressed.size() - plain.size();
    EXPECT_GT(longer, static_cast<size_t>(kKokoroRate) * 4 / 100) << style;
    EXPECT_GT(last.size(), plain.size()) << style;
    const auto part = [](const std::vector<float>& sound, double from, double to) {
      const auto at = [&](double share) {
        return static_cast<size_t>(share * static_cast<double>(sound.size()));
      };
      return std::span(sound).subspan(at(from), at(to) - at(from));
    };
    EXPECT_GT(ActiveDb(part(last, 0.6, 1)), ActiveDb(part(plain, 0.6, 1)) + 1.5) << style;
    // The syllable that carries the stress; the end of the word is creaky and has no pitch to compare.
    EXPECT_GT(Melody(part(last, 0.7, 0.8)).hertz, 1.1 * Melody(part(plain, 0.7, 0.8)).hertz) << style;
  }
  EXPECT_EQ(Speak(Joe(), "They \uE000never listen.", EqualWindows()),
            Speak(Joe(), "They never listen.", EqualWindows()));
}

TEST_F(SynthesisTest, NothingToSayIsDoneWithItsFirstStep) {
  for (const char* text : {"", " ", "...", "<b></b>"}) {
    auto synthesis = Synthesis::Open(Models(), Kokoro(), text, {});
    ASSERT_TRUE(synthesis.ok());
    std::vector<float> out;
    ASSERT_TRUE((*synthesis)->Step(nullptr, out).ok());
    EXPECT_TRUE((*synthesis)->done()) << text;
    EXPECT_TRUE(out.empty()) << text;
  }
}

VoiceSpec Spoken(VoiceSpec voice, text::Lang lang, const char* accent) {
  voice.lang = lang;
  voice.accent = accent;
  return voice;
}

// The tables of Japanese words are a pipe to which the test writes, so that reading them lasts as long as it wants.
TEST_F(SynthesisTest, OnlyVoicesThatNeedADictionaryWaitForIt) {
  const std::filesystem::path folder = test::OwnPath("dictionary");
  std::filesystem::create_directories(folder);
  SpeechFiles files = test::SpeechFiles();
  files.japanese = folder / "japanese.bin";
  ASSERT_EQ(mkfifo(files.japanese.c_str(), 0600), 0);
  onnx::SessionOptions options;
  options.threads = 2;
  auto models = SpeechModels::Load(test::ModelOpener(Runtime()), files, options);
  ASSERT_TRUE(models.ok()) << models.status().ToString();
  // Nothing is read before the first step, or this would wait for ever.
  auto japanese = Synthesis::Open(*models, Spoken(Kokoro("jf_alpha"), text::Lang::kJa, "ja"), "はい。", {});
  ASSERT_TRUE(japanese.ok()) << japanese.status().ToString();
  base::Status status;
  std::thread reader([&] {
    std::vector<float> out;
    status = (*japanese)->Step(nullptr, out);
  });
  {
    // Opens once the table is being read. The program of phonemes, which starts meanwhile, must not inherit the pipe.
    const int table = open(files.japanese.c_str(), O_WRONLY | O_CLOEXEC);
    EXPECT_GT(SpeakWith(*models, Kokoro(), "Hi.").size(), 2000U);
    EXPECT_TRUE((*models)->AccentOf(Spoken(Kokoro("zf_xiaoxiao"), text::Lang::kZh, "zh")).ok());
    EXPECT_EQ(write(table, "no table", 8), 8);
    close(table);
  }
  reader.join();
  EXPECT_EQ(status.code(), base::Code::kBadModel);
  std::filesystem::remove_all(folder);
}

TEST_F(SynthesisTest, AVoiceWithoutItsDictionaryIsRefusedBeforeItsFirstStep) {
  SpeechFiles files = test::SpeechFiles();
  files.japanese.clear();
  auto models = SpeechModels::Load(test::ModelOpener(Runtime()), files, {});
  ASSERT_TRUE(models.ok()) << models.status().ToString();
  const VoiceSpec voice = Spoken(Kokoro("jf_alpha"), text::Lang::kJa, "ja");
  EXPECT_EQ(Synthesis::Open(*models, voice, "はい。", {}).status().code(), base::Code::kNotReady);
  EXPECT_EQ(Synthesis::Open(*models, Spoken(Kokoro(), text::Lang::kEn, "xx"), "Hi.", {}).status().code(),
            base::Code::kInvalidArgument);
}

TEST_F(SynthesisTest, AnUnknownStyleIsNotFound) {
  EXPECT_EQ(Synthesis::Open(Models(), Kokoro("xx_none"), "Hi.", {}).status().code(), base::Code::kNotFound);
  EXPECT_EQ(Synthesis::Open(Models(), Kokoro("../../etc/passwd"), "Hi.", {}).status().code(),
            base::Code::kNotFound);
}

// The order comes from inside: while a step is known to be at work, and far from its end.
double StopAfter(Synthesis& synthesis, onnx::RunOptions& options,
                 std::chrono::duration<double, std::milli> after, base::Status& status) {
  using Clock = std::chrono::steady_clock;
  std::vector<float> out;
  Clock::time_point ordered;
  std::atomic<bool> begun = false;
  std::thread stopper([&] {
    begun.wait(false);
    std::this_thread::sleep_for(after);
    ordered = Clock::now();
    options.Terminate();
  });
  begun = true;
  begun.notify_one();
  status = synthesis.Step(&options, out);
  const auto ended = Clock::now();
  stopper.join();
  EXPECT_TRUE(out.empty());
  return std::chrono::duration<double, std::milli>(ended - ordered).count();
}

// Measures from the order to the return of the step: one node of a graph or one layer of the generator, not
// the rest of the step. The time of an uninterrupted step is measured beside it, so that a stop between steps
// fails.
TEST_F(SynthesisTest, StopsInTheMiddleOfAStep) {
  const std::string text =
      "This is a rather long sentence without any pause that takes the machine well over a second to say as "
      "a "
      "whole thing at once";
  SynthesisOptions large;
  large.first_window = large.largest_window = 4000;
  for (const VoiceSpec& voice : {Kokoro(), Joe()}) {
    using Clock = std::chrono::steady_clock;
    Speak(voice, "Hello.");  // the voice is known from here on
    auto measured = Synthesis::Open(Models(), voice, text, large);
    ASSERT_TRUE(measured.ok());
    std::vector<float> out;
    double longest = 0;
    size_t which = 0;
    for (size_t step = 0; !(*measured)->done(); ++step) {
      const auto began = Clock::now();
      ASSERT_TRUE((*measured)->Step(nullptr, out).ok());
      const double took = std::chrono::duration<double, std::milli>(Clock::now() - began).count();
      if (took > longest) {
        longest = took;
        which = step;
      }
    }
    ASSERT_GT(longest, 60) << "too fast a machine for this test: make the sentence longer";
    double best = longest;
    for (int attempt = 0; attempt < 5; ++attempt) {
      auto options = onnx::RunOptions::Create(Models()->runtime());
      ASSERT_TRUE(options.ok());
      auto synthesis = Synthesis::Open(Models(), voice, text, large);
      ASSERT_TRUE(synthesis.ok());
      for (size_t step = 0; step < which; ++step) ASSERT_TRUE((*synthesis)->Step(nullptr, out).ok());
      base::Status status;
      best = std::min(best, StopAfter(**synthesis, **options,
                                      std::chrono::duration<double, std::milli>(longest / 8), status));
      EXPECT_EQ(status.code(), base::Code::kCancelled);
    }
    RecordProperty("milliseconds", std::to_string(best));
    EXPECT_LT(best, std::max(20.0, longest / 8));
  }
}

TEST_F(SynthesisTest, ACalibrationOutlivesARestart) {
  const std::string folder = test::OwnPath("calibrations");
  Calibration learnt;
  learnt.statistics = {1, 2, 3};
  learnt.gain = 1.5F;
  learnt.center_hz = 210;
  CalibrationStore(folder, "model", 3, nullptr).Put("voice", learnt);
  CalibrationStore again(folder, "model", 3, nullptr);
  const auto found = again.Find("voice");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->statistics, learnt.statistics);
  EXPECT_EQ(found->gain, learnt.gain);
  EXPECT_EQ(again.Find("other"), nullptr);
  EXPECT_EQ(CalibrationStore(folder, "other model", 3, nullptr).Find("voice"), nullptr);
  for (const auto& file : std::filesystem::directory_iterator(folder)) std::filesystem::resize_file(file, 20);
  EXPECT_EQ(CalibrationStore(folder, "model", 3, nullptr).Find("voice"), nullptr);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace trunkline::tts
