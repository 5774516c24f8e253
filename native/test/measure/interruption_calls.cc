// When the agent is interrupted by what is said under its voice, by the whole lane in virtual time with its own models: sounds of a
// half that bench/omni/trial-sounds.ts wrote.
//
//   ninja -C build-native measure_interruption_calls && build-native/measure_interruption_calls FOLDER [WORD of a kind or a name…]
#include <cstdio>
#include <fstream>
#include <map>

#include "test/measure/callers.h"
#include "test/support/omni_scene.h"

namespace trunkline::test {
namespace {

struct Trial {
  std::string language, kind, path;
  std::vector<float> samples;
  int64_t onset_ms = 0;
};

struct Outcome {
  int64_t ducked_ms = -1, interrupted_ms = -1;  // counted from the onset; -1: never
};

std::vector<float> ReadRaw(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<float> samples;
  for (int16_t sample; file.read(reinterpret_cast<char*>(&sample), 2);) samples.push_back(sample / 32768.0f);
  return samples;
}

std::vector<Trial> Trials(const std::string& folder) {
  std::ifstream file(folder + "/trials.jsonl");
  std::vector<Trial> trials;
  for (std::string line; std::getline(file, line);) {
    trials.push_back({Field(line, "language"), Field(line, "kind"), Field(line, "path"),
                      ReadRaw(folder + "/" + Field(line, "file")), std::stoll(Field(line, "startMs"))});
  }
  return trials;
}

bool Wanted(const Trial& trial, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if ((trial.kind + " " + trial.path).find(word) == std::string::npos) return false;
  }
  return true;
}

// Calls of a language, each for some trials.
class Calls {
 public:
  Outcome Play(const Trial& trial) {
    if (!scene_ || trial.language != language_ || trials_ % kTrials == 0) Open(trial.language);
    ++trials_;
    Begin();
    scene_->Quiet(1.1 + 0.13 * static_cast<double>(trials_ % 5));
    const int64_t began = scene_->now_ms(), onset = began + trial.onset_ms;
    Outcome outcome;
    const size_t step = OmniScene::kFrame;
    for (size_t at = 0; at < trial.samples.size() + 12 * kRate / 10 && outcome.interrupted_ms < 0;
         at += step) {
      std::vector<float> frame(step);
      for (size_t i = 0; i < step && at + i < trial.samples.size(); ++i) frame[i] = trial.samples[at + i];
      scene_->Say(frame);
      for (const OmniHeard& interrupted : scene_->Of(omni::kOmniInterrupted, began))
        outcome.interrupted_ms = interrupted.at_ms - onset;
    }
    for (const OmniHeard& duck : scene_->Of(omni::kOmniDuck, onset)) {
      if (duck.number(0) == 0 || outcome.ducked_ms >= 0) continue;
      outcome.ducked_ms = duck.at_ms - onset;
    }
    End();
    return outcome;
  }

 private:
  void Open(const std::string& language) {
    scene_.reset();
    scene_ = std::make_unique<OmniScene>();
    // The first of two equal options counts, so that this one replaces the scene's.
    scene_->Configure(omni::kOmniLanguage,
                      [&](engine::OptionsBuilder& options) { options.Text("language", language); });
    scene_->inference_ticks = 2;
    language_ = language;
    trials_ = 0;
    speech_ = 0;
  }
  void Begin() {
    const int64_t since = scene_->now_ms();
    for (uint32_t part = 0; part < 3; ++part) {
      scene_->Speak(
          speech_ + 1,
          "We are open from nine in the morning until five in the afternoon, and you may come at any time.",
          part == 2, part);
    }
    ++speech_;
    while (scene_->Of(omni::kOmniPlaying, since).empty()) scene_->Quiet(0.02);
  }
  void End() {
    scene_->Quiet(0.3);
    scene_->Configure(omni::kOmniInterrupt, [](engine::OptionsBuilder&) {});
    scene_->Quiet(1.2);
  }

  std::unique_ptr<OmniScene> scene_;
  std::string language_;
  size_t trials_ = 0;
  uint32_t speech_ = 0;
};

void Tell(const std::string& kind, std::vector<Outcome> of) {
  std::vector<int64_t> interrupted;
  for (const Outcome& one : of) interrupted.push_back(one.interrupted_ms < 0 ? 99'999 : one.interrupted_ms);
  std::sort(interrupted.begin(), interrupted.end());
  const auto within = [&](int64_t ms) {
    return std::upper_bound(interrupted.begin(), interrupted.end(), ms) - interrupted.begin();
  };
  const auto at = [&](double q) {
    return interrupted[static_cast<size_t>(q * static_cast<double>(interrupted.size() - 1) + 0.5)];
  };
  std::printf("%-36s %3zu: interrupted %3td, within 400 ms %3td, p50 %lld, p95 %lld\n", kind.c_str(),
              interrupted.size(), within(99'998), within(400), static_cast<long long>(at(0.5)),
              static_cast<long long>(at(0.95)));
}

int Measure(const std::string& folder, const std::vector<std::string>& words) {
  std::map<std::string, std::vector<Outcome>> kinds;
  Calls calls;
  for (const Trial& trial : Trials(folder)) {
    if (!Wanted(trial, words)) continue;
    const Outcome outcome = calls.Play(trial);
    kinds[trial.kind].push_back(outcome);
    std::printf("%s | %s | lowered %lld, interrupted %lld\n", trial.kind.c_str(), trial.path.c_str(),
                static_cast<long long>(outcome.ducked_ms), static_cast<long long>(outcome.interrupted_ms));
    std::fflush(stdout);
  }
  for (const auto& [kind, outcomes] : kinds) Tell(kind, outcomes);
  return 0;
}

}  // namespace
}  // namespace trunkline::test

int main(int count, char** words) {
  if (count < 2) return 1;
  return trunkline::test::Measure(words[1], std::vector<std::string>(words + 2, words + count));
}
