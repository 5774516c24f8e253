// Talk-off: what the tone detectors make of real speech. The recordings lie beside the project, not in it; a
// person may do without them, CI may not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "dsp/call_tones.h"
#include "dsp/convert.h"
#include "dsp/dtmf.h"
#include "dsp/resampler.h"

namespace trunkline::dsp {
namespace {

namespace fs = std::filesystem;

fs::path Folder() {
  if (const char* folder = std::getenv("TRUNKLINE_SPEECH")) return folder;
  return fs::path(TRUNKLINE_VECTORS) / "../../../../shared/speech";
}

struct Recording {
  std::string name;
  std::vector<float> samples;  // 8 kHz
};

uint32_t Read32(const std::string& bytes, size_t at) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, 4);
  return value;
}
uint16_t Read16(const std::string& bytes, size_t at) {
  uint16_t value = 0;
  std::memcpy(&value, bytes.data() + at, 2);
  return value;
}

// 16-bit PCM, first channel; nothing for other files.
std::vector<float> ReadWave(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (bytes.size() < 44 || bytes.compare(0, 4, "RIFF") != 0) return {};
  int channels = 0, rate = 0;
  for (size_t at = 12; at + 8 <= bytes.size();) {
    const size_t size = std::min<size_t>(Read32(bytes, at + 4), bytes.size() - at - 8);
    if (bytes.compare(at, 4, "fmt ") == 0) {
      if (Read16(bytes, at + 8) != 1 || Read16(bytes, at + 22) != 16) return {};
      channels = Read16(bytes, at + 10);
      rate = static_cast<int>(Read32(bytes, at + 12));
    }
    if (bytes.compare(at, 4, "data") == 0 && channels > 0) {
      const size_t frame = 2 * static_cast<size_t>(channels), count = size / frame;
      std::vector<int16_t> whole(count);
      for (size_t i = 0; i < count; ++i) std::memcpy(&whole[i], bytes.data() + at + 8 + i * frame, 2);
      std::vector<float> samples(count);
      ToFloat(whole, samples);
      return rate == 8000 ? samples : ResampleWhole(samples, rate, 8000, Grade::kStrict);
    }
    at += 8 + size + size % 2;
  }
  return {};
}

// Everything but tones and noise, by the manifest's `kind`.
std::vector<Recording> Speech() {
  std::vector<Recording> recordings;
  std::ifstream manifest(Folder() / "manifest.jsonl");
  for (std::string line; std::getline(manifest, line);) {
    const auto field = [&](const std::string& key) {
      const size_t at = line.find("\"" + key + "\": \"");
      if (at == std::string::npos) return std::string();
      const size_t from = at + key.size() + 5;
      return line.substr(from, line.find('"', from) - from);
    };
    if (field("kind") == "tone" || field("kind") == "noise") continue;
    Recording recording = {field("path"), ReadWave(Folder() / field("path"))};
    if (!recording.samples.empty()) recordings.push_back(std::move(recording));
  }
  return recordings;
}

class RecordingsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { speech_ = new std::vector<Recording>(Speech()); }
  static void TearDownTestSuite() { delete speech_; }
  void SetUp() override {
    if (!speech_->empty()) return;
    const char* ci = std::getenv("CI");
    if (ci && std::strcmp(ci, "true") == 0) FAIL() << "no recordings in " << Folder();
    GTEST_SKIP() << "no recordings in " << Folder();
  }
  static double Minutes() {
    double seconds = 0;
    for (const Recording& recording : *speech_)
      seconds += static_cast<double>(recording.samples.size()) / 8000;
    return seconds / 60;
  }
  static std::vector<Recording>* speech_;
};
std::vector<Recording>* RecordingsTest::speech_ = nullptr;

// Read aloud at four levels: telephone speech comes at -35 to -10 dBFS.
TEST_F(RecordingsTest, SpeechHardlyEverSoundsLikeADigit) {
  int hits = 0;
  for (const Recording& recording : *speech_) {
    for (float gain : {0.25f, 0.5f, 1.0f, 2.0f}) {
      auto samples = recording.samples;
      for (float& sample : samples) sample *= gain;
      DtmfDetector detector(8000);
      std::vector<DtmfEvent> events(1000);
      const size_t count = detector.Process(samples, events);
      for (size_t i = 0; i < count; ++i) {
        if (events[i].ended) continue;
        ++hits;
        std::printf("digit %c in %s at %.2f s, gain %.2f\n", events[i].digit, recording.name.c_str(),
                    static_cast<double>(events[i].start) / 8000, static_cast<double>(gain));
      }
    }
  }
  std::printf("talk-off: %d digits in %.1f minutes of speech at four levels\n", hits, Minutes() * 4);
  EXPECT_LE(hits, 2);
}

TEST_F(RecordingsTest, SpeechHasNoCallTones) {
  std::map<CallTone, int> counts;
  for (const Recording& recording : *speech_) {
    CallToneDetector detector(8000);
    std::vector<CallToneEvent> events(1000);
    const size_t count = detector.Process(recording.samples, events);
    for (size_t i = 0; i < count; ++i) {
      ++counts[events[i].tone];
      std::printf("tone %d of %.0f Hz in %s at %.2f s for %.0f ms\n", static_cast<int>(events[i].tone),
                  events[i].frequency, recording.name.c_str(), static_cast<double>(events[i].start) / 8000,
                  static_cast<double>(events[i].end - events[i].start) / 8);
    }
  }
  std::printf("talk-off: %d beeps in %.1f minutes\n", counts[CallTone::kBeep], Minutes());
  EXPECT_LE(counts[CallTone::kBeep], Minutes() / 4);
  for (const auto& [tone, count] : counts) {
    if (tone != CallTone::kBeep) EXPECT_EQ(count, 0) << static_cast<int>(tone);
  }
}

// Digits that a telephone system's library plays.
TEST_F(RecordingsTest, RecordedDigitsAreHeard) {
  for (const auto& [file, digit] : {std::pair{"dtmf-0.wav", '0'},
                                    {"dtmf-2.wav", '2'},
                                    {"dtmf-4.wav", '4'},
                                    {"dtmf-6.wav", '6'},
                                    {"dtmf-8.wav", '8'},
                                    {"dtmf-pound.wav", '#'}}) {
    auto samples = ReadWave(Folder() / "tones" / file);
    ASSERT_FALSE(samples.empty()) << file;
    samples.resize(samples.size() + 800);
    DtmfDetector detector(8000);
    std::array<DtmfEvent, 8> events;
    ASSERT_EQ(detector.Process(samples, events), 2u) << file;
    EXPECT_EQ(events[0].digit, digit);
  }
}

}  // namespace
}  // namespace trunkline::dsp
