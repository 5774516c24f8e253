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

#include "dsp/g711.h"
#include "lanes/hear/transcribe_job.h"
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
  size_t words = 0, wrong = 0, wrong_file = 0, clips = 0, finals = 0, stable = 0;
  double seconds = 0, spent = 0;
  std::vector<int64_t> to_final_ms, to_stable_ms;
};

class Streams : public hear::HearLaneTest {
 public:
  void TestBody() override {}
  void SetUp() override {
    engine::Kinds kinds;
    kinds.AddLane(kind_);
    kinds.AddJob(hear::MakeTranscribeKind());
    Make(std::move(kinds));
  }
  Streams(bool stable_partials, int ticks, bool telephone)
      : stable_partials_(stable_partials), telephone_(telephone) {
    busy_ticks_ = ticks;
  }

  void Play(const Clip& clip, int endpointing_ms, Sums& sums) {
    const int rate = telephone_ ? 8000 : kWide;
    auto samples = Resampled(ReadWav(Recording(clip.path)), rate);
    const double seconds = static_cast<double>(samples.size()) / rate;
    if (seconds < 1 || seconds > kLongestS) return;
    if (telephone_) ThroughMuLaw(samples);
    events_.clear();
    closed_.clear();
    engine::OptionsBuilder options;
    options.Text("language", clip.language)
        .Number("rate", rate)
        .Number("endpointing_ms", endpointing_ms)
        .Number("partials", 1)
        .Number("stable_partials", stable_partials_ ? 1 : 0);
    const engine::LaneId lane = Open(options);
    const double before = ThreadSeconds();
    Quiet(lane, 0.5, rate);
    const int64_t began_ms = clock_->Now() / base::kNanosPerMilli;
    Say(lane, samples, rate);
    Quiet(lane, 2, rate);
    Close(lane);
    sums.spent += ThreadSeconds() - before;
    sums.seconds += seconds + 2.5;
    const auto words = ScoredWords(clip.text);
    const size_t wrong = WordErrors(words, ScoredWords(FinalText()));
    const std::string as_file = AsFile(Resampled({rate, samples}, kWide), clip.language);
    const size_t wrong_file = WordErrors(words, ScoredWords(as_file));
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
  static constexpr int kWide = 16000;
  static constexpr double kLongestS = 50;  // one piece of a recording as a file

  static void ThroughMuLaw(std::vector<float>& samples) {
    std::vector<int16_t> pcm(samples.size());
    std::vector<uint8_t> coded(samples.size());
    for (size_t i = 0; i < pcm.size(); ++i) pcm[i] = Pcm(samples[i]);
    dsp::EncodeUlaw(pcm, coded);
    dsp::DecodeUlaw(coded, pcm);
    for (size_t i = 0; i < pcm.size(); ++i) samples[i] = static_cast<float>(pcm[i]) / 32768.0f;
  }
  static int16_t Pcm(float sample) {
    return static_cast<int16_t>(std::lround(std::clamp(sample, -1.0f, 1.0f) * 32767));
  }

  std::string AsFile(const std::vector<float>& samples, const std::string& language) {
    std::string text;
    for (size_t at = 0; at < samples.size();) {
      std::vector<uint8_t> input((samples.size() - at) * 2);
      for (size_t i = at; i < samples.size(); ++i) base::Store(input.data() + 2 * (i - at), Pcm(samples[i]));
      engine::OptionsBuilder options;
      options.Text("language", language).Number("last", 1);
      const auto job = engine_->Submit("transcribe", options.packed(), std::move(input));
      RunAll();
      DrainAll(*engine_);
      engine::Chunk chunk;
      if (!job.ok() || !engine_->Take(*job, chunk)) break;
      base::ByteReader reader(chunk);
      const size_t used = reader.Read<uint32_t>();
      while (reader.ok() && reader.remaining() > 0) {
        reader.ReadBytes(sizeof(uint32_t) + 2 * sizeof(double));
        text += std::string(base::AsText(reader.ReadBytes(reader.Read<uint32_t>()))) + " ";
        for (uint32_t words = reader.Read<uint32_t>(); words > 0; --words) {
          reader.ReadBytes(2 * sizeof(float));
          reader.ReadBytes(reader.Read<uint16_t>());
        }
      }
      if (used == 0) break;
      at += used;
    }
    return text;
  }

  bool stable_partials_, telephone_;
};

int64_t At(std::vector<int64_t> all, double share) {
  if (all.empty()) return -1;
  std::sort(all.begin(), all.end());
  return all[static_cast<size_t>(share * static_cast<double>(all.size() - 1) + 0.5)];
}

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
      static_cast<long long>(At(sums.to_final_ms, 0.5)), static_cast<long long>(At(sums.to_final_ms, 0.95)),
      sums.stable, static_cast<long long>(At(sums.to_stable_ms, 0.5)), 1000 * sums.spent / sums.seconds);
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
