// Measures what a Hear lane makes of people who never pause: how long it takes until more of the text is stable, and the
// words that are lost or doubled where the lane cuts. Recorded English sentences of several speakers are joined without
// their pauses and played in virtual time, at real pace. The same sound as a file is the control: words that are lost or
// doubled there, about the same places, are not the cuts' fault.
//
//   ninja -C build-native measure_unbroken_speech
//   build-native/measure_unbroken_speech HALF [LINE [TALKS [SECONDS [TICKS [ENDPOINTING_MS]]]]]
//
// HALF 0: sentences to choose settings on; 1: the others. LINE: wide, or telephone (8 kHz, mu-law). TICKS of 10 ms pass
// between an order and its answer.
#include <random>

#include "test/measure/plain_words.h"
#include "test/measure/recorded_streams.h"

namespace trunkline::test {
namespace {

using hear::Event;

constexpr double kMinClipS = 3, kLeadS = 0.5, kTailS = 2;
constexpr size_t kMinWords = 7, kSearch = 3;
constexpr int64_t kLateMs = 5000;

// The places of `expected` before which the other text has a word more, or at which it lacks one.
std::vector<size_t> Faults(const std::vector<std::string>& expected, const std::vector<std::string>& heard,
                           std::vector<size_t>* expected_at = nullptr) {
  const size_t width = heard.size() + 1;
  std::vector<size_t> cost((expected.size() + 1) * width);
  const auto at = [&](size_t i, size_t j) -> size_t& { return cost[i * width + j]; };
  for (size_t i = 0; i <= expected.size(); ++i) {
    for (size_t j = 0; j < width; ++j) {
      at(i, j) = i == 0 || j == 0 ? i + j
                                  : std::min({at(i - 1, j) + 1, at(i, j - 1) + 1,
                                              at(i - 1, j - 1) + (expected[i - 1] != heard[j - 1])});
    }
  }
  std::vector<size_t> faults;
  if (expected_at != nullptr) expected_at->assign(width, expected.size());
  for (size_t i = expected.size(), j = heard.size(); i > 0 || j > 0;) {
    if (i > 0 && j > 0 && at(i, j) == at(i - 1, j - 1) + (expected[i - 1] != heard[j - 1])) {
      --i, --j;
      if (expected_at != nullptr) (*expected_at)[j] = i;
    } else if (j > 0 && at(i, j) == at(i, j - 1) + 1) {
      --j;
      faults.push_back(i);
      if (expected_at != nullptr) (*expected_at)[j] = i;
    } else {
      faults.push_back(--i);
    }
  }
  return faults;
}

struct Sums {
  size_t words = 0, wrong = 0, wrong_file = 0, splits = 0, other_seams = 0, violations = 0;
  // Words lost or doubled about the cuts and about the other ends of utterances; in the text of the file, at the same
  // places.
  size_t faults = 0, faults_file = 0, other_faults = 0, other_faults_file = 0;
  double seconds = 0;
  std::vector<int64_t> stable_gaps_ms;
};

class Unbroken : public RecordedStreams {
 public:
  using RecordedStreams::RecordedStreams;

  void Play(const std::vector<Clip>& clips, uint32_t order, double seconds, int endpointing_ms, Sums& sums) {
    std::vector<Clip> talk = clips;
    std::shuffle(talk.begin(), talk.end(), std::mt19937(order));
    std::string text;
    std::vector<float> samples;
    for (size_t i = 0; static_cast<double>(samples.size()) < seconds * rate(); ++i) {
      const Clip& clip = talk[i % talk.size()];
      const auto wide = WithoutPauses(Resampled(ReadWav(Recording(clip.path)), kWide));
      const auto said = OverLine({kWide, wide});
      samples.insert(samples.end(), said.begin(), said.end());
      text += clip.text + " ";
    }
    events_.clear();
    closed_.clear();
    engine::OptionsBuilder options;
    options.Text("language", "en")
        .Number("rate", rate())
        .Number("endpointing_ms", endpointing_ms)
        .Number("partials", 1);
    const engine::LaneId lane = Open(options);
    Quiet(lane, kLeadS, rate());
    const int64_t began_ms = clock_->Now() / base::kNanosPerMilli;
    Say(lane, samples, rate());
    const int64_t end_ms = clock_->Now() / base::kNanosPerMilli;
    Quiet(lane, kTailS, rate());
    Close(lane);
    sums.seconds += static_cast<double>(samples.size()) / rate();
    CountStable(began_ms, end_ms, sums);
    CountSeams(PlainWords(text, "en"), PlainWords(AsFile(samples, "en"), "en"), sums);
  }

 private:
  void CountStable(int64_t began_ms, int64_t end_ms, Sums& sums) {
    int64_t last_ms = began_ms;
    std::string stable;
    uint32_t utterance = 0;
    for (const Event& event : events_) {
      if (event.type != hear::kHearStable && event.type != hear::kHearFinal) continue;
      if (event.utterance != utterance) stable.clear();
      utterance = event.utterance;
      sums.violations += event.text.starts_with(stable) ? 0 : 1;
      stable = event.text;
      if (event.at_ms > end_ms || event.text.empty()) continue;
      // When an utterance begins, all that was said before it is final.
      const int64_t from_ms =
          std::max(last_ms, began_ms + static_cast<int64_t>((event.start - kLeadS) * 1000));
      sums.stable_gaps_ms.push_back(event.at_ms - from_ms);
      last_ms = event.at_ms;
    }
  }

  void CountSeams(const std::vector<std::string>& expected, const std::vector<std::string>& file,
                  Sums& sums) {
    std::vector<std::string> heard;
    std::vector<std::pair<size_t, bool>>
        seams;  // a place in `heard`; the cut of an utterance that grew too long
    for (const Event& final : Of(hear::kHearFinal)) {
      const auto words = PlainWords(final.text, "en");
      heard.insert(heard.end(), words.begin(), words.end());
      seams.emplace_back(heard.size(), final.reason == static_cast<uint32_t>(vad::EndReason::kMaxUtterance));
      if (std::getenv("TRUNKLINE_SHOW") != nullptr)
        std::printf("%.2f-%.2f %u %s\n", final.start, final.end, final.reason, final.text.c_str());
    }
    if (!seams.empty()) seams.pop_back();
    std::vector<size_t> expected_at;
    const auto faults = Faults(expected, heard, &expected_at), faults_file = Faults(expected, file);
    for (const auto& [at, split] : seams) {
      const size_t place = at < expected_at.size() ? expected_at[at] : expected.size();
      const auto near = [&](size_t fault) { return fault + kSearch >= place && fault < place + kSearch; };
      const auto here = static_cast<size_t>(std::count_if(faults.begin(), faults.end(), near));
      const auto there = static_cast<size_t>(std::count_if(faults_file.begin(), faults_file.end(), near));
      (split ? sums.splits : sums.other_seams) += 1;
      (split ? sums.faults : sums.other_faults) += here;
      (split ? sums.faults_file : sums.other_faults_file) += there;
      if (here > 0 && std::getenv("TRUNKLINE_SHOW") != nullptr) {
        std::printf("FAULT %zu (file %zu) %s: ", here, there, split ? "cut" : "end");
        for (size_t i = at > 5 ? at - 5 : 0; i < std::min(heard.size(), at + 5); ++i)
          std::printf("%s%s ", i == at ? "| " : "", heard[i].c_str());
        std::printf("  << ");
        for (size_t i = place > 5 ? place - 5 : 0; i < std::min(expected.size(), place + 5); ++i)
          std::printf("%s%s ", i == place ? "| " : "", expected[i].c_str());
        std::printf("\n");
      }
    }
    sums.words += expected.size();
    sums.wrong += WordErrors(expected, heard);
    sums.wrong_file += WordErrors(expected, file);
  }
};

int Measure(size_t half, bool telephone, uint32_t talks, double seconds, int ticks, int endpointing_ms) {
  std::vector<Clip> clips;
  size_t which = 0;
  for (const Clip& clip : Clips("", "en")) {
    // AN4 is spelled letters and numbers; two people speak at once in the other.
    if (clip.path.starts_with("an4/") || clip.path.starts_with("faster_whisper/") ||
        PlainWords(clip.text, "en").size() < kMinWords)
      continue;
    const Recorded recorded = ReadWav(Recording(clip.path));
    if (static_cast<double>(recorded.samples.size()) < kMinClipS * std::max(1, recorded.rate)) continue;
    if (which++ % 2 == half) clips.push_back(clip);
  }
  Unbroken streams(ticks, telephone);
  streams.SetUp();
  Sums sums;
  for (uint32_t order = 1; order <= talks; ++order) streams.Play(clips, order, seconds, endpointing_ms, sums);
  const auto& gaps = sums.stable_gaps_ms;
  const auto late = std::count_if(gaps.begin(), gaps.end(), [](int64_t ms) { return ms > kLateMs; });
  std::printf(
      "{\"half\":%zu,\"telephone\":%s,\"talks\":%u,\"seconds\":%.0f,\"words\":%zu,\"wrong\":%zu,"
      "\"wrongFile\":%zu,"
      "\"splits\":%zu,\"faults\":%zu,\"faultsFile\":%zu,\"otherSeams\":%zu,\"otherFaults\":%zu,"
      "\"otherFaultsFile\":%zu,\"stable\":%zu,\"stableGapP50\":%lld,\"stableGapP95\":%lld,\"stableGapMax\":%"
      "lld,"
      "\"stableLate\":%lld,\"stableViolations\":%zu}\n",
      half, telephone ? "true" : "false", talks, sums.seconds, sums.words, sums.wrong, sums.wrong_file,
      sums.splits, sums.faults, sums.faults_file, sums.other_seams, sums.other_faults, sums.other_faults_file,
      gaps.size(), static_cast<long long>(Percentile(gaps, 0.5)),
      static_cast<long long>(Percentile(gaps, 0.95)), static_cast<long long>(Percentile(gaps, 1)),
      static_cast<long long>(late), sums.violations);
  return 0;
}

}  // namespace
}  // namespace trunkline::test

int main(int count, char** words) {
  if (count < 2) return 1;
  const auto number = [&](int at, int otherwise) { return count > at ? std::atoi(words[at]) : otherwise; };
  return trunkline::test::Measure(
      static_cast<size_t>(number(1, 0)) % 2, count > 2 && std::string(words[2]) == "telephone",
      static_cast<uint32_t>(number(3, 4)), number(4, 100), number(5, 6), number(6, 500));
}
