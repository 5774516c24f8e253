// Recorded callers at the level of a telephone, and the echoes that their lines send back.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "test/support/speech.h"

namespace trunkline::test {

constexpr int kRate = 8000;
constexpr size_t kTick = kRate / 100, kFrame = 2 * kTick;
constexpr size_t kTrials = 12;  // calls
constexpr double kVoiceDbfs = -23, kMarginDb = 15.9;

// -- the callers

struct RecordedSpeech {
  std::vector<float> samples;
  size_t onset = 0, end = 0;  // found by the active speech level (ITU-T P.56)
};

inline double Mean(const std::vector<double>& levels, double least) {
  double sum = 0, count = 0;
  for (const double level : levels) {
    if (level < least) continue;
    sum += std::pow(10, level / 10);
    ++count;
  }
  return 10 * std::log10(sum / std::max(count, 1.0) + 1e-13);
}

inline double LevelOf(const std::vector<float>& samples, size_t from, size_t to) {
  double sum = 0;
  for (size_t i = from; i < to; ++i) sum += static_cast<double>(samples[i]) * samples[i];
  return 10 * std::log10(sum / static_cast<double>(std::max<size_t>(1, to - from)) + 1e-13);
}

inline RecordedSpeech AtLevel(std::vector<float> samples, double dbfs) {
  std::vector<double> levels;
  for (size_t at = 0; at + kTick <= samples.size(); at += kTick) {
    levels.push_back(LevelOf(samples, at, at + kTick));
  }
  double active = Mean(levels, -200);
  for (int round = 0; round < 20; ++round) active = Mean(levels, active - kMarginDb);
  RecordedSpeech said;
  size_t run = 0;
  bool begun = false;
  for (size_t at = 0; at < levels.size(); ++at) {
    run = levels[at] >= active - kMarginDb ? run + 1 : 0;
    if (run < 3) continue;
    if (!begun) said.onset = (at - 2) * kTick;
    begun = true;
    said.end = (at + 1) * kTick;
  }
  const double gain = std::pow(10, (dbfs - LevelOf(samples, said.onset, said.end)) / 20);
  for (float& sample : samples) sample *= static_cast<float>(gain);
  said.samples = std::move(samples);
  return said;
}

inline std::string Field(const std::string& line, const std::string& name) {
  const std::string key = "\"" + name + "\": ";
  size_t at = line.find(key);
  if (at == std::string::npos) return "";
  at += key.size();
  if (line[at] != '"') return line.substr(at, line.find_first_of(",}", at) - at);
  return line.substr(at + 1, line.find('"', at + 1) - at - 1);
}

// Returns the same half of the recordings as bench/omni/corpus.ts: every other group, and of those the short
// ones that are not backchannels.
inline std::vector<RecordedSpeech> Callers() {
  std::ifstream file(test::Recording("manifest.jsonl"));
  std::map<std::string, std::vector<std::string>> groups;
  for (std::string line; std::getline(file, line);) {
    const std::string kind = Field(line, "kind");
    if (Field(line, "lang") != "en" || kind == "noise" || kind == "tone") continue;
    if (Field(line, "path").ends_with(".wav")) groups[Field(line, "group")].push_back(line);
  }
  std::vector<std::string> paths;
  size_t which = 0;
  for (const auto& [group, lines] : groups) {
    if (which++ % 2 == 1) continue;
    for (const std::string& line : lines) {
      const auto words = test::ScoredWords(Field(line, "text"));
      const bool sign = words.size() == 1 && std::set<std::string>{"yes", "okay", "right"}.contains(words[0]);
      if (!sign && std::stod(Field(line, "seconds")) <= 3) paths.push_back(Field(line, "path"));
    }
  }
  std::vector<RecordedSpeech> callers;
  for (const std::string& path : paths) {
    const double db = std::array{0.0, -6.0, 0.0, 5.0}[callers.size() % 4];
    callers.push_back(AtLevel(test::Resampled(test::ReadWav(test::Recording(path)), kRate), kVoiceDbfs + db));
  }
  return callers;
}

// -- the line

struct Echo {
  const char* name;
  double db;
  int64_t delay_ms;
  bool room_acoustics = false, distorted = false;
  double noise_dbfs = -127;
  size_t from_trial = 0;  // it is there from this one on
  double millionths = 0;  // the clock error of the caller's sound card
};

constexpr Echo kEchoes[] = {
    {"-20", -20, 120},
    {"-20-room", -20, 120, true},
    {"-20-distorted", -20, 120, false, true},
    {"-20-noise", -20, 120, false, false, -55},
    {"-15", -15, 250},
    {"-15-room", -15, 120, true},
    {"-15-noise", -15, 120, false, false, -55},
    {"-30", -30, 50},
    {"none", -127, 0},
    {"-20-appears", -20, 120, false, false, -127, 4},
    {"-20-room-appears", -20, 160, true, false, -65, 4},
    {"-15-appears", -15, 200, false, false, -65, 4},
    {"-20-drift-0", -20, 120, false, false, -65},
    {"-20-drift-20", -20, 120, false, false, -65, 0, 20},
    {"-20-drift-50", -20, 120, false, false, -65, 0, 50},
    {"-20-drift-100", -20, 120, false, false, -65, 0, 100},
    {"-20-drift--20", -20, 120, false, false, -65, 0, -20},
    {"-20-drift--50", -20, 120, false, false, -65, 0, -50},
    {"-20-drift--100", -20, 120, false, false, -65, 0, -100},
};

}  // namespace trunkline::test
