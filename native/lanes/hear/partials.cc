#include "lanes/hear/partials.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace trunkline::hear {
namespace {

// The first pass needs this much speech. In English, passes follow each other until two in a row begin
// with the same word; after kUnsureS of speech any partial is shown (docs/decisions/086).
constexpr double kMoonshineFirstS = 0.23, kWhisperFirstS = 0.41;
constexpr double kUnsureGapS = 0.064, kUnsureS = 1.5;
// A longer latency of a pass means that the machine is busy.
constexpr double kBusyS = 0.15;
// The least gap between partials; the gap is a multiple of the last pass's latency, so that a busy machine
// makes fewer.
constexpr double kMoonshineGapS = 0.24, kWhisperGapS = 0.64;
constexpr double kCostFactor = 3, kUnsureCostFactor = 1;
// A language identified from less speech than this is identified again.
constexpr double kLanguageS = 2.0;
constexpr int64_t kDeadline = 400 * base::kNanosPerMilli;
constexpr size_t kWordBytes = 32;

// The first run of letters and digits, in lower case.
std::string_view FirstWord(std::string_view text, std::array<char, kWordBytes>& capacity) {
  size_t size = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = byte >= 0x80 || std::isalnum(byte) || (c == '\'' && size > 0);
    if (!letter && size > 0) break;
    if (letter && size < capacity.size()) capacity[size++] = static_cast<char>(std::tolower(byte));
  }
  return {capacity.data(), size};
}

}  // namespace

HearPartials::HearPartials(HearStream& stream, const HearOptions& options, HearModels& models)
    : options_(options), pass_(stream, models, options.quick != nullptr ? *options.quick : *models.quick()) {
  stable_.reserve(kPrefixBytes);
  text_.reserve(kPrefixBytes);
  first_word_.reserve(kWordBytes);
}

void HearPartials::Begin() {
  stable_.clear();
  text_.clear();
  stable_to_s_ = ordered_at_s_ = 0;
  unsent_ = false;
  first_word_.clear();
  sure_ = false;
}

void HearPartials::Order(engine::LaneIo& io, const OpenUtterance& utterance, HearAudio& audio) {
  if (pass_.in_flight()) return;
  const double now_s = audio.heard_s();
  const double speech_s = utterance.start_s + vad::EndpointerOptions().lead_s;
  const bool quick = utterance.language == asr::Language::kEn;
  sure_ = sure_ || !quick || now_s - speech_s > kUnsureS;
  const double gap = !sure_ ? kUnsureGapS : quick ? kMoonshineGapS : kWhisperGapS;
  const double factor = sure_ ? kCostFactor : kUnsureCostFactor;
  const bool first = ordered_at_s_ <= utterance.start_s;
  const double due = first ? speech_s + (quick ? kMoonshineFirstS : kWhisperFirstS)
                           : ordered_at_s_ + std::max(gap, factor * cost_s_);
  // Times are sums of frames, so the comparison has a tolerance.
  if (now_s < due - vad::kFrameSeconds / 4) return;
  ordered_at_s_ = now_s;
  const double start_s = std::max(utterance.start_s, stable_to_s_);
  pass_.Prepare(audio.Range(start_s, now_s), utterance.number, utterance.language, start_s, now_s, sure_,
                options_.vocabulary, io.now());
  io.Submit(pass_, engine::Priority::kPartial, io.now() + kDeadline);
}

// Words that have become stable meanwhile are better than those of the pass. They are shown in its place, because a caller
// whose audio has stopped gets no further pass.
bool HearPartials::Known(engine::LaneIo& io, const OpenUtterance& utterance) {
  cost_s_ = static_cast<double>(io.now() - pass_.submitted_at()) * 1e-9;
  if (pass_.cancelled() || pass_.faulted() || pass_.utterance() != utterance.number) return false;
  if (IsOvertaken()) return true;
  return !pass_.text().empty() && Sure(pass_.text());
}

bool HearPartials::IsOvertaken() const {
  return pass_.start_s() < stable_to_s_;
}

void HearPartials::Show(engine::LaneIo& io, const OpenUtterance& utterance, HearListener& listener) {
  text_.assign(stable_);
  if (!IsOvertaken()) {
    if (!text_.empty()) text_ += ' ';
    text_ += pass_.text();
  }
  const double end_s = std::max(pass_.end_s(), stable_to_s_);
  listener.Partial(io, utterance.number, utterance.start_s, end_s, text_);
}

std::optional<asr::Language> HearPartials::FoundLanguage(const OpenUtterance& utterance) const {
  if (pass_.end_s() - utterance.start_s < kLanguageS) return std::nullopt;
  return pass_.language();
}

void HearPartials::SetStable(const std::string& text, double end_s) {
  stable_.assign(text);
  stable_to_s_ = end_s;
  unsent_ = true;
  text_.assign(text);
}

void HearPartials::ReportStable(engine::LaneIo& io, const OpenUtterance& utterance, HearListener& listener) {
  if (!unsent_) return;
  unsent_ = !listener.Stable(io, utterance.number, utterance.start_s, stable_to_s_, stable_);
}

// Returns whether two passes in a row agree on the first word. A busy machine is not asked for more passes.
bool HearPartials::Sure(std::string_view text) {
  if (sure_) return true;
  std::array<char, kWordBytes> capacity;
  const std::string_view word = FirstWord(text, capacity);
  sure_ = cost_s_ > kBusyS || (!word.empty() && word == first_word_);
  first_word_.assign(word);
  return sure_;
}

void HearPartials::CancelTasks() {
  if (pass_.in_flight()) pass_.Cancel();
}

}  // namespace trunkline::hear
