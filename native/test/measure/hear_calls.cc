// Measures the text and the cost of a Hear lane: recordings of English speakers in virtual time, at real
// pace, with its own models. Half 0 is every other recording, to choose settings; half 1 was used for
// docs/decisions/082.
//
// ninja -C build-native measure_hear_calls && build-native/measure_hear_calls HALF [PROMISES [ENDPOINTING_MS
// [TICKS]]]
//
// PROMISES 0: settled words are not sent, as in a call of Omni. TICKS of 10 ms pass between an order and its
// answer.
#include <algorithm>
#include <ctime>

#include "test/lanes/hear/lane_scene.h"

namespace trunkline::test {
namespace {

using hear::Event;

double ThreadSeconds() {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) * 1e-9;
}

struct Sums {
  size_t words = 0, wrong = 0, clips = 0, finals = 0, settled = 0;
  double seconds = 0, spent = 0;
  std::vector<int64_t> to_final_ms, to_settled_ms;
};

class Streams : public hear::HearLaneTest {
 public:
  void TestBody() override {}
  using hear::HearLaneTest::SetUp;
  Streams(bool promises, int ticks) : promises_(promises) { busy_ticks_ = ticks; }

  void Play(const Clip& clip, int endpointing_ms, Sums& sums) {
    const auto samples = Resampled(ReadWav(Recording(clip.path)), 16000);
    const double seconds = static_cast<double>(samples.size()) / 16000;
    if (seconds < 1 || seconds > 14) return;
    events_.clear();
    closed_.clear();
    engine::OptionsBuilder options;
    options.Text("language", "en")
        .Number("endpointing_ms", endpointing_ms)
        .Number("partials", 1)
        .Number("promises", promises_ ? 1 : 0);
    const engine::LaneId lane = Open(options);
    const double before = ThreadSeconds();
    Quiet(lane, 0.5, 16000);
    const int64_t began_ms = clock_->Now() / base::kNanosPerMilli;
    Say(lane, samples, 16000);
    Quiet(lane, 2, 16000);
    Close(lane);
    sums.spent += ThreadSeconds() - before;
    sums.seconds += seconds + 2.5;
    const auto words = ScoredWords(clip.text);
    const size_t wrong = WordErrors(words, ScoredWords(FinalText()));
    sums.words += words.size();
    sums.wrong += wrong;
    ++sums.clips;
    for (const Event& final : Of(hear::kHearFinal)) {
      ++sums.finals;
      sums.to_final_ms.push_back(final.at_ms - began_ms - static_cast<int64_t>((final.end - 0.5) * 1000));
    }
    for (const Event& stable : Of(hear::kHearStable)) {
      ++sums.settled;
      sums.to_settled_ms.push_back(stable.at_ms - began_ms);
    }
    std::printf("%zu of %zu | %s | %s | %s\n", wrong, words.size(), clip.path.c_str(), clip.text.c_str(),
                FinalText().c_str());
    std::fflush(stdout);
  }

 private:
  bool promises_;
};

int64_t At(std::vector<int64_t> all, double share) {
  if (all.empty()) return -1;
  std::sort(all.begin(), all.end());
  return all[static_cast<size_t>(share * static_cast<double>(all.size() - 1) + 0.5)];
}

int Measure(size_t half, bool promises, int endpointing_ms, int ticks) {
  Streams streams(promises, ticks);
  streams.SetUp();
  Sums sums;
  const auto clips = Clips("", "en");
  for (size_t at = half; at < clips.size(); at += 2) streams.Play(clips[at], endpointing_ms, sums);
  std::printf(
      "%zu recordings: %zu of %zu words wrong (%.1f %%), %zu finals, %lld and %lld ms (p50, p95); %zu events "
      "settle words, the middle one at %lld ms; %.1f thousandths of a core\n",
      sums.clips, sums.wrong, sums.words,
      100.0 * static_cast<double>(sums.wrong) / static_cast<double>(sums.words), sums.finals,
      static_cast<long long>(At(sums.to_final_ms, 0.5)), static_cast<long long>(At(sums.to_final_ms, 0.95)),
      sums.settled, static_cast<long long>(At(sums.to_settled_ms, 0.5)), 1000 * sums.spent / sums.seconds);
  return 0;
}

}  // namespace
}  // namespace trunkline::test

int main(int count, char** words) {
  if (count < 2) return 1;
  const auto number = [&](int at, int otherwise) { return count > at ? std::atoi(words[at]) : otherwise; };
  return trunkline::test::Measure(static_cast<size_t>(number(1, 0)) % 2, number(2, 1) != 0, number(3, 300),
                                  number(4, 6));
}
