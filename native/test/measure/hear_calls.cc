// Measures the text and the cost of a Hear lane beside the text of the same recordings as files: recordings of
// speakers in virtual time, at real pace, with its own models. Half 0 is every other recording, to choose
// settings; half 1 was used for docs/decisions/082.
//
// ninja -C build-native measure_hear_calls && build-native/measure_hear_calls HALF [STABLE [ENDPOINTING_MS
// [TICKS [LINE [EVERY [LANGUAGE]]]]]]
//
// STABLE 0: stable words are not sent, as in a call of Omni. TICKS of 10 ms pass between an order and its
// answer. LINE: wide, or telephone (8 kHz, mu-law). EVERY: only each so many-th of the half.
#include <algorithm>
#include <ctime>

#include "test/measure/plain_words.h"
#include "test/measure/recorded_streams.h"

namespace trunkline::test {
namespace {

using hear::Event;

double ThreadSeconds() {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) * 1e-9;
}

struct Sums {
  size_t words = 0, wrong = 0, wrong_file = 0, clips = 0, finals = 0, stable = 0;
  double seconds = 0, spent = 0;
  // First partials that begin with a wrong word; of them, those whose recording as a file begins with the right one.
  size_t first_wrong = 0, first_wrong_though_known = 0;
  std::vector<int64_t> to_final_ms, to_stable_ms, first_ms, right_ms;
};

class Streams : public RecordedStreams {
 public:
  Streams(bool stable_partials, int ticks, bool telephone)
      : RecordedStreams(ticks, telephone), stable_partials_(stable_partials) {}

  void Play(const Clip& clip, int endpointing_ms, Sums& sums) {
    const auto samples = OverLine(ReadWav(Recording(clip.path)));
    const double seconds = static_cast<double>(samples.size()) / rate();
    if (seconds < 1) return;
    events_.clear();
    closed_.clear();
    engine::OptionsBuilder options;
    options.Text("language", clip.language)
        .Number("rate", rate())
        .Number("endpointing_ms", endpointing_ms)
        .Number("partials", 1)
        .Number("stable_partials", stable_partials_ ? 1 : 0);
    const engine::LaneId lane = Open(options);
    const double before = ThreadSeconds();
    Quiet(lane, 0.5, rate());
    const int64_t began_ms = clock_->Now() / base::kNanosPerMilli;
    Say(lane, samples, rate());
    Quiet(lane, 2, rate());
    Close(lane);
    sums.spent += ThreadSeconds() - before;
    sums.seconds += seconds + 2.5;
    const auto words = PlainWords(clip.text, clip.language);
    const size_t wrong = WordErrors(words, PlainWords(FinalText(), clip.language));
    const std::string as_file = AsFile(samples, clip.language);
    const size_t wrong_file = WordErrors(words, PlainWords(as_file, clip.language));
    CountFirstPartial(clip, began_ms + OnsetMs(samples, rate()), as_file, sums);
    sums.words += words.size();
    sums.wrong_file += wrong_file;
    sums.wrong += wrong;
    ++sums.clips;
    for (const Event& final : Of(hear::kHearFinal)) {
      ++sums.finals;
      sums.to_final_ms.push_back(final.at_ms - began_ms - static_cast<int64_t>((final.end - 0.5) * 1000));
    }
    for (const Event& stable : Of(hear::kHearStable)) {
      ++sums.stable;
      sums.to_stable_ms.push_back(stable.at_ms - began_ms);
    }
    std::printf("%zu, file %zu of %zu | %s | %s | %s | %s\n", wrong, wrong_file, words.size(),
                clip.path.c_str(), clip.text.c_str(), FinalText().c_str(), as_file.c_str());
    std::fflush(stdout);
  }

 private:
  // The first frame of 10 ms that is louder than the level that a twentieth of the recording exceeds, less 35 dB.
  static int64_t OnsetMs(const std::vector<float>& samples, int rate) {
    const size_t frame = static_cast<size_t>(rate) / 100;
    std::vector<double> levels;
    for (size_t at = 0; at + frame <= samples.size(); at += frame) {
      double power = 0;
      for (size_t i = at; i < at + frame; ++i) power += static_cast<double>(samples[i]) * samples[i];
      levels.push_back(10 * std::log10(power / static_cast<double>(frame) + 1e-12));
    }
    std::vector<double> sorted = levels;
    std::sort(sorted.begin(), sorted.end());
    const double least = sorted[sorted.size() * 95 / 100] - 35;
    return 10 * (std::find_if(levels.begin(), levels.end(), [&](double level) { return level >= least; }) -
                 levels.begin());
  }

  void CountFirstPartial(const Clip& clip, int64_t onset_ms, const std::string& as_file, Sums& sums) const {
    const std::string first = FirstPlainWord(clip.text, clip.language);
    bool shown = false, right = false;
    for (const Event& event : events_) {
      if (event.type != hear::kHearPartial && event.type != hear::kHearFinal) continue;
      if (event.text.empty()) continue;
      const bool matches = FirstPlainWord(event.text, clip.language) == first;
      if (!shown) {
        sums.first_ms.push_back(event.at_ms - onset_ms);
        sums.first_wrong += matches ? 0 : 1;
        sums.first_wrong_though_known += !matches && FirstPlainWord(as_file, clip.language) == first;
      }
      shown = true;
      if (matches && !right) sums.right_ms.push_back(event.at_ms - onset_ms);
      right |= matches;
    }
    if (!right) sums.right_ms.push_back(kNeverMs);
  }

  static constexpr int64_t kNeverMs = 99999;
  const bool stable_partials_;
};

struct Corpus {
  size_t half = 0, every = 1;
  std::string language = "en";
  bool telephone = false;
};

int Measure(const Corpus& corpus, bool stable_partials, int endpointing_ms, int ticks) {
  Streams streams(stable_partials, ticks, corpus.telephone);
  streams.SetUp();
  Sums sums;
  const auto clips = Clips("", corpus.language);
  for (size_t at = corpus.half; at < clips.size(); at += 2 * corpus.every)
    streams.Play(clips[at], endpointing_ms, sums);
  std::printf(
      "%zu recordings: %zu of %zu words wrong (%.1f %%), %zu as files (%.1f %%), %zu finals, %lld and %lld "
      "ms (p50, p95); %zu events "
      "stable words, the middle one at %lld ms; %.1f thousandths of a core\n",
      sums.clips, sums.wrong, sums.words,
      100.0 * static_cast<double>(sums.wrong) / static_cast<double>(sums.words), sums.wrong_file,
      100.0 * static_cast<double>(sums.wrong_file) / static_cast<double>(sums.words), sums.finals,
      static_cast<long long>(Percentile(sums.to_final_ms, 0.5)),
      static_cast<long long>(Percentile(sums.to_final_ms, 0.95)), sums.stable,
      static_cast<long long>(Percentile(sums.to_stable_ms, 0.5)), 1000 * sums.spent / sums.seconds);
  std::printf(
      "first partials: %zu of %zu begin with a wrong word, of %zu of which the file has the right one; shown "
      "after %lld ms "
      "(p50), the right word after %lld and %lld ms (p50, p75)\n",
      sums.first_wrong, sums.first_ms.size(), sums.first_wrong_though_known,
      static_cast<long long>(Percentile(sums.first_ms, 0.5)),
      static_cast<long long>(Percentile(sums.right_ms, 0.5)),
      static_cast<long long>(Percentile(sums.right_ms, 0.75)));
  return 0;
}

}  // namespace
}  // namespace trunkline::test

int main(int count, char** words) {
  if (count < 2) return 1;
  const auto number = [&](int at, int otherwise) { return count > at ? std::atoi(words[at]) : otherwise; };
  const trunkline::test::Corpus corpus{.half = static_cast<size_t>(number(1, 0)) % 2,
                                       .every = static_cast<size_t>(std::max(1, number(6, 1))),
                                       .language = count > 7 ? words[7] : "en",
                                       .telephone = count > 5 && std::string(words[5]) == "telephone"};
  return trunkline::test::Measure(corpus, number(2, 1) != 0, number(3, 300), number(4, 6));
}
