// Speech from the real models.

#include "tts/synthesis.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include "test/tts/speech_files.h"
#include "tts/encoder.h"

namespace trunkline::tts {
namespace {

class SynthesisTest : public testing::Test {
 protected:
  static std::shared_ptr<SpeechModels>& Models() {
    static std::shared_ptr<SpeechModels> models;
    return models;
  }

  void SetUp() override {
    const SpeechFiles files = test::SpeechFiles();
    for (const std::string& path :
         {files.kokoro.front, files.kokoro.generator, files.piper, files.phonemes.library}) {
      TRUNKLINE_NEED_FILE(path);
    }
    if (Models() != nullptr) return;
    auto runtime = onnx::Runtime::Load({test::InferenceLibrary(), 1});
    ASSERT_TRUE(runtime.ok()) << runtime.status().ToString();
    onnx::SessionOptions options;
    options.threads = 2;
    auto models = SpeechModels::Load(*runtime, files, options);
    ASSERT_TRUE(models.ok()) << models.status().ToString();
    Models() = *models;
  }

  static VoiceSpec Kokoro(const char* style = "af_heart") {
    VoiceSpec voice;
    voice.styles = {{style, 1}};
    return voice;
  }
  static VoiceSpec Joe() {
    VoiceSpec voice;
    voice.model = VoiceModel::kPiper;
    return voice;
  }

  static std::vector<float> Speak(const VoiceSpec& voice, std::string_view text,
                                  const SynthesisOptions& options = {}) {
    auto synthesis = Synthesis::Open(Models(), voice, text, options);
    EXPECT_TRUE(synthesis.ok()) << synthesis.status().ToString();
    std::vector<float> out;
    while (synthesis.ok() && !(*synthesis)->done()) {
      const auto status = (*synthesis)->Step(nullptr, out);
      EXPECT_TRUE(status.ok()) << status.ToString();
      if (!status.ok()) break;
    }
    return out;
  }

  static double ActiveDb(std::span<const float> samples) {
    double sum = 0;
    size_t count = 0;
    for (size_t at = 0; at + 240 <= samples.size(); at += 240) {
      double power = 0;
      for (size_t i = at; i < at + 240; ++i) power += static_cast<double>(samples[i]) * samples[i] / 240;
      if (power < 1e-4) continue;
      sum += power;
      ++count;
    }
    return count == 0 ? -100 : 10 * std::log10(sum / static_cast<double>(count));
  }
};

TEST_F(SynthesisTest, SpeaksAtOnceAndAtTheCommonLoudness) {
  for (const VoiceSpec& voice : {Kokoro(), Kokoro("am_michael"), Joe()}) {
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

TEST_F(SynthesisTest, TheSameSeedSaysTheSameAgain) {
  SynthesisOptions seven;
  seven.seed = 7;
  for (const VoiceSpec& voice : {Kokoro(), Joe()}) {
    const auto first = Speak(voice, "Hello again.", seven);
    EXPECT_EQ(Speak(voice, "Hello again.", seven), first);
  }
  SynthesisOptions eight;
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
}

// One vowel alone ("A", "I", "Oh") still comes out silent of some voices.
TEST_F(SynthesisTest, AShortWordIsSpokenWithoutAMark) {
  EXPECT_GT(Speak(Kokoro(), "Hi").size(), 2000U);
}

TEST_F(SynthesisTest, PitchRangeAndSpeedAreHeard) {
  auto voice = Kokoro();
  const std::string text = "I will call you back tomorrow.";
  const auto plain = Speak(voice, text);
  voice.speed = 1.3F;
  EXPECT_LT(static_cast<double>(Speak(voice, text).size()), 0.9 * static_cast<double>(plain.size()));
  voice.speed = 0.7F;
  EXPECT_GT(static_cast<double>(Speak(voice, text).size()), 1.15 * static_cast<double>(plain.size()));
}

TEST_F(SynthesisTest, NothingToSayIsDoneAtOnce) {
  for (const char* text : {"", " ", "...", "<b></b>"}) {
    auto synthesis = Synthesis::Open(Models(), Kokoro(), text, {});
    ASSERT_TRUE(synthesis.ok());
    EXPECT_TRUE((*synthesis)->done()) << text;
  }
}

TEST_F(SynthesisTest, AnUnknownStyleIsNotFound) {
  EXPECT_EQ(Synthesis::Open(Models(), Kokoro("xx_none"), "Hi.", {}).status().code(), base::Code::kNotFound);
  EXPECT_EQ(Synthesis::Open(Models(), Kokoro("../../etc/passwd"), "Hi.", {}).status().code(),
            base::Code::kNotFound);
}

// From the order to stop to the return of the step: one node of the graph, not the rest of the window.
TEST_F(SynthesisTest, StopsWithinANode) {
  auto options = onnx::RunOptions::Create(Models()->runtime());
  ASSERT_TRUE(options.ok());
  SynthesisOptions large;
  large.first_window = large.largest_window = 4000;
  auto synthesis = Synthesis::Open(
      Models(), Kokoro(),
      "This is a rather long sentence without any pause that takes the machine well over a second "
      "to say as a whole thing at once",
      large);
  ASSERT_TRUE(synthesis.ok());
  std::vector<float> out;
  Speak(Kokoro(), "Hello.");                           // the voice is known from here on
  ASSERT_TRUE((*synthesis)->Step(nullptr, out).ok());  // what is known of it
  ASSERT_TRUE((*synthesis)->Step(nullptr, out).ok());  // the front
  using Clock = std::chrono::steady_clock;
  std::atomic<bool> started = false;
  Clock::time_point ordered;
  std::thread stopper([&] {
    while (!started) std::this_thread::yield();
    ordered = Clock::now();
    (*options)->Terminate();
  });
  started = true;
  const auto status = (*synthesis)->Step(options->get(), out);
  const double took = std::chrono::duration<double, std::milli>(Clock::now() - ordered).count();
  stopper.join();
  EXPECT_EQ(status.code(), base::Code::kCancelled);
  EXPECT_TRUE(out.empty());
  RecordProperty("milliseconds", std::to_string(took));
  EXPECT_LT(took, 500);  // the whole takes seconds; the time on a quiet machine is in the benchmark
}

TEST_F(SynthesisTest, ACalibrationOutlivesARestart) {
  const std::string folder = testing::TempDir() + "/calibrations-" + std::to_string(getpid());
  Calibration learnt;
  learnt.statistics = {1, 2, 3};
  learnt.gain = 1.5F;
  learnt.center_hz = 210;
  CalibrationStore(folder, "model", 3).Put("voice", learnt);
  CalibrationStore again(folder, "model", 3);
  const auto found = again.Find("voice");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->statistics, learnt.statistics);
  EXPECT_EQ(found->gain, learnt.gain);
  EXPECT_EQ(again.Find("other"), nullptr);
  EXPECT_EQ(CalibrationStore(folder, "other model", 3).Find("voice"), nullptr);
  for (const auto& file : std::filesystem::directory_iterator(folder)) std::filesystem::resize_file(file, 20);
  EXPECT_EQ(CalibrationStore(folder, "model", 3).Find("voice"), nullptr);
  std::filesystem::remove_all(folder);
}

TEST(WireEncoder, EveryFormatHasItsLengthAndAnySplitItsBytes) {
  std::vector<float> samples(24000);
  for (size_t i = 0; i < samples.size(); ++i) samples[i] = 0.5F * std::sin(static_cast<float>(i) * 0.1F);
  const struct {
    int rate;
    WireFormat format;
    size_t bytes;
  } wires[] = {{24000, WireFormat::kPcm16, 48000},
               {16000, WireFormat::kPcm16, 32000},
               {8000, WireFormat::kPcm16, 16000},
               {8000, WireFormat::kUlaw, 8000},
               {8000, WireFormat::kAlaw, 8000}};
  for (const auto& wire : wires) {
    std::vector<uint8_t> whole;
    auto encoder = WireEncoder::Create(24000, wire.rate, wire.format);
    ASSERT_NE(encoder, nullptr);
    encoder->Add(samples, whole);
    encoder->Finish(whole);
    EXPECT_EQ(whole.size(), wire.bytes);
    std::vector<uint8_t> split;
    auto again = WireEncoder::Create(24000, wire.rate, wire.format);
    for (size_t at = 0; at < samples.size(); at += 333) {
      again->Add(std::span(samples).subspan(at, std::min<size_t>(333, samples.size() - at)), split);
    }
    again->Finish(split);
    EXPECT_EQ(split, whole);
  }
}

}  // namespace
}  // namespace trunkline::tts
