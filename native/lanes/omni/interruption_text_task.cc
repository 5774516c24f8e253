#include "lanes/omni/interruption_text_task.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "text/reading/reading.h"

namespace trunkline::omni {
namespace {

// No one speaks more words a second than this; a recognizer with too little audio invents some.
constexpr double kSpeechRate = 16000;
constexpr size_t kSamplesOfAWord = 16000 / 7;
// The probability of a backchannel that the recognizer did not choose, and below which its own choice is
// unsure.
constexpr float kMayBeBackchannel = 0.15f, kSure = 0.4f;
// The distance from even odds that a score needs while there is time for another result, and within which the
// text counts too.
constexpr float kClear = 2.0f, kClose = 0.75f;
// The threshold is shifted, because an agent that stops at every "right" is worse than one that stops a tenth
// of a second late.
constexpr float kEven = -0.5f;
// The threshold for other languages, which have less training data.
constexpr float kEvenElsewhere = -0.75f;
// The distance at which a single result overrules an earlier backchannel.
constexpr float kSurelySaying = 0.75f;
// The first tokens suffice to see whether there is a word at all.
constexpr size_t kFirstTokens = 2;
// The mean score of all results from which a sound surely is a backchannel.
constexpr float kSurelyBackchannel = 1.25f;

std::string LettersOf(const std::string& text) {
  std::string letters;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) letters.push_back(static_cast<char>(std::tolower(byte)));
  }
  return letters;
}

}  // namespace

InterruptionTextTask::InterruptionTextTask(std::shared_ptr<hear::HearModels> models,
                                           BackchannelNets listening, BargeInDetector& detector)
    : models_(std::move(models)),
      listening_(std::move(listening)),
      detector_(detector),
      moonshine_(models_->moonshine()),
      whisper_features_(models_->whisper()) {
  samples_.reserve(kMaxSamples);
  moonshine_.Watch(&models_->listening_starts());
}

void InterruptionTextTask::Prepare(std::span<const float> samples, asr::Language language, uint32_t suspicion,
                                   float confidence_margin) {
  const auto newest = samples.last(std::min(samples.size(), kMaxSamples));
  samples_.assign(newest.begin(), newest.end());
  // The recognizer needs a quarter of a second; the silence goes in front of the speech.
  if (samples_.size() < asr::MoonshinePass::kMinSamples) {
    samples_.insert(samples_.begin(), asr::MoonshinePass::kMinSamples - samples_.size(), 0.0f);
  }
  if (suspicion != scored_suspicion_) {
    scored_suspicion_ = suspicion;
    scores_ = 0;
    score_count_ = 0;
    is_surely_backchannel_ = false;
  }
  language_ = language;
  suspicion_ = suspicion;
  confidence_margin_ = confidence_margin;
  watching_ = !detector_.suspecting();
  stage_ = Stage::kFresh;
  words_ = TextVerdict::kUnclear;
  sure_ = false;
}

engine::Task::Step InterruptionTextTask::Run() {
  const auto done = scored() ? (stage_ == Stage::kFresh ? Score() : WriteScored()) : Write();
  const bool more = done.ok() && !done.value() && !cancelled();
  if (!more && whisper_) models_->Give(std::move(whisper_));
  return more ? Step::kAgain : Step::kDone;
}

// Both encoders recognize a backchannel before any word can be decoded, the quick recognizer's also in
// languages that it cannot transcribe. The decoder only shows whether there are words at all: noise has
// none.
base::Result<bool> InterruptionTextTask::Score() {
  moonshine_.Begin(samples_, {});
  TRUNKLINE_ASSIGN_OR_RETURN(const bool written, moonshine_.Step(run_options()));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto by_whisper, ReadWhisperFeatures());
  const bool english = language_ == asr::Language::kEn;
  const float score = listening_.Score(english, moonshine_.heard(), by_whisper);
  const float even = english ? kEven : kEvenElsewhere;
  evidence_ = score_count_ == 0 ? score - even : (evidence_ + score - even) / 2;
  scores_ += score;
  ++score_count_;
  sure_ = watching_ && score - even <= -kSurelySaying;
  stage_ = Stage::kScored;
  if (!sure_ && std::abs(evidence_) < kClear * confidence_margin_) return true;
  if (!says() && evidence_ >= kClose) {
    words_ = TextVerdict::kBackchannel;
  } else if (written) {
    words_ = WeighWritten();
  } else {
    return false;
  }
  return true;
}

base::Result<std::span<const float>> InterruptionTextTask::ReadWhisperFeatures() {
  if (whisper_features_.width() != kWhisperRow) return std::span<const float>();
  return whisper_features_.Read(samples_, run_options());
}

bool InterruptionTextTask::says() const {
  return sure_ || evidence_ <= -kClose;
}

base::Result<bool> InterruptionTextTask::WriteScored() {
  // A turn is clear from its first word.
  const size_t most = says() ? kFirstTokens : asr::MoonshinePass::kTokensPerStep;
  TRUNKLINE_ASSIGN_OR_RETURN(const bool done, moonshine_.Step(run_options(), most));
  if (!done && !says()) return false;
  words_ = WeighWritten();
  return true;
}

TextVerdict InterruptionTextTask::WeighWritten() const {
  const std::string text = moonshine_.model().tokens().Decode(moonshine_.tokens());
  if (text::ClassifyUtteranceStart(text, "en") == text::Utterance::kNothing) return TextVerdict::kNone;
  if (says()) return TextVerdict::kTurn;
  if (language_ != asr::Language::kEn) return evidence_ >= 0 ? TextVerdict::kBackchannel : TextVerdict::kTurn;
  // A single word that also opens statements ("I", "oh") decides nothing.
  const bool listens = text::ClassifyUtteranceStart(text, "en") == text::Utterance::kBackchannel;
  const bool tells = text::DistinctWords(text) > 1 || text::OpensListening(LettersOf(text), "en");
  return (listens && tells) || evidence_ >= 0 ? TextVerdict::kBackchannel : TextVerdict::kTurn;
}

bool InterruptionTextTask::SoundsLikeBackchannel() const {
  return score_count_ > 0 && scores_ >= kSurelyBackchannel * static_cast<float>(score_count_);
}

TextVerdict InterruptionTextTask::Judge(const std::string& text) const {
  if (text::DistinctWords(text) > 1 + samples_.size() / kSamplesOfAWord) return TextVerdict::kUnclear;
  switch (text::ClassifyUtteranceStart(text, asr::CodeOf(language_))) {
    case text::Utterance::kNothing:
      return TextVerdict::kNone;
    case text::Utterance::kBackchannel:
      return TextVerdict::kBackchannel;
    case text::Utterance::kTurn:
      break;
  }
  if (SoundsLikeBackchannel()) return TextVerdict::kUnclear;
  return language_ == asr::Language::kEn ? VerdictOfFirstWord() : TextVerdict::kTurn;
}

bool InterruptionTextTask::scored() const {
  return samples_.size() <= kMaxScoredS * kSpeechRate;
}

// Weighs the first word that is not a backchannel. A repeated word decides nothing.
TextVerdict InterruptionTextTask::VerdictOfFirstWord() const {
  const auto& tokens = moonshine_.tokens();
  const auto& pieces = moonshine_.model().tokens();
  std::vector<std::string> seen;
  for (size_t at = 0; at < tokens.size();) {
    size_t end = at + 1;
    while (end < tokens.size() && !pieces.OpensWord(tokens[end])) ++end;
    std::string word = LettersOf(pieces.Decode(
        {tokens.begin() + static_cast<ptrdiff_t>(at), tokens.begin() + static_cast<ptrdiff_t>(end)}));
    const auto [written, listening] = moonshine_.likelihood()[at];
    const bool again = std::find(seen.begin(), seen.end(), word) != seen.end();
    if (!again && listening < kMayBeBackchannel &&
        text::ClassifyUtterance(word, "en") == text::Utterance::kTurn) {
      return written < kSure ? TextVerdict::kUnclear : TextVerdict::kTurn;
    }
    seen.push_back(std::move(word));
    at = end;
  }
  return TextVerdict::kBackchannel;
}

base::Result<bool> InterruptionTextTask::Write() {
  if (language_ != asr::Language::kEn) return WriteInWhisper();
  if (stage_ == Stage::kFresh) moonshine_.Begin(samples_, {});
  stage_ = Stage::kWriting;
  TRUNKLINE_ASSIGN_OR_RETURN(const bool done, moonshine_.Step(run_options()));
  if (done) words_ = Judge(moonshine_.model().tokens().Decode(moonshine_.tokens()));
  return done;
}

base::Result<bool> InterruptionTextTask::WriteInWhisper() {
  if (stage_ == Stage::kFresh) {
    whisper_ = models_->TakeTranscriber();
    asr::TranscribeOptions options;
    options.language = language_;
    options.retries = 0;
    options.word_times = false;
    whisper_->Begin(samples_, {}, options);
  }
  stage_ = Stage::kWriting;
  TRUNKLINE_ASSIGN_OR_RETURN(const bool done, whisper_->Step(run_options()));
  if (done) words_ = Judge(whisper_->transcript().text);
  return done;
}

void InterruptionTextTask::Done(engine::LaneIo&) {
  // A task that was cancelled before it ran, or that threw, may still hold a pass.
  if (whisper_) models_->Give(std::move(whisper_));
  is_surely_backchannel_ = SoundsLikeBackchannel();
  detector_.Heard(suspicion_, words_, sure_);
}

}  // namespace trunkline::omni
