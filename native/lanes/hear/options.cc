#include "lanes/hear/options.h"

#include <algorithm>
#include <array>
#include <bit>

namespace trunkline::hear {
namespace {

constexpr std::array kRates = {8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000};
constexpr size_t kMaxTerms = 1000;

asr::Term ReadTerm(std::string_view text) {
  asr::Term term;
  for (bool first = true; !text.empty() || first; first = false) {
    const size_t tab = std::min(text.find('\t'), text.size());
    (first ? term.text : term.sounds_like.emplace_back()) = std::string(text.substr(0, tab));
    text.remove_prefix(std::min(tab + 1, text.size()));
  }
  return term;
}

}  // namespace

std::optional<asr::Language> ReadLanguage(const engine::Options& options) {
  return asr::LanguageOf(options.Text("language"));
}

asr::LanguageSet ReadLanguages(const engine::Options& options) {
  asr::LanguageSet set = 0;
  options.EachText("languages", [&](std::string_view text) {
    if (const auto language = asr::LanguageOf(text)) set |= asr::SetOf(*language);
  });
  return std::has_single_bit(set) ? 0 : set;
}

std::shared_ptr<const asr::Vocabulary> ReadVocabulary(const engine::Options& options,
                                                      const text::ByteTokens& tokens) {
  std::vector<asr::Term> terms;
  options.EachText("terms", [&](std::string_view text) {
    if (terms.size() < kMaxTerms) terms.push_back(ReadTerm(text));
  });
  const std::string_view before = options.Text("before");
  if (terms.empty() && before.empty()) return nullptr;
  return std::make_shared<const asr::Vocabulary>(terms, tokens, before);
}

base::Result<std::shared_ptr<Recognizer>> ReadRecognizer(const engine::Options& options, HearModels& models) {
  auto recognizer = models.FindRecognizer(options.Text("recognizer"));
  if (recognizer == nullptr) {
    return base::Status(base::Code::kNotReady,
                        "the recognizer " + std::string(options.Text("recognizer")) + " is not open");
  }
  const bool english = ReadLanguage(options) == asr::Language::kEn && ReadLanguages(options) == 0;
  if (recognizer->whisper()->english_only() && !english) {
    return base::Status(base::Code::kInvalidArgument, "this recognizer knows English alone");
  }
  return recognizer;
}

base::Result<std::shared_ptr<QuickRecognizer>> ReadQuick(const engine::Options& options, HearModels& models) {
  auto quick = models.FindQuick(options.Text("quick"));
  if (quick == nullptr) {
    return base::Status(base::Code::kNotReady,
                        "the quick recognizer " + std::string(options.Text("quick")) + " is not open");
  }
  return quick;
}

base::Result<HearOptions> ReadHearOptions(const engine::Options& options, HearModels& models) {
  HearOptions out;
  out.rate = static_cast<int>(options.Integer("rate", 16000, 0, 1'000'000));
  if (std::find(kRates.begin(), kRates.end(), out.rate) == kRates.end()) {
    return base::Status(base::Code::kInvalidArgument,
                        "rate: expected 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100 or 48000");
  }
  out.language = ReadLanguage(options);
  out.languages = ReadLanguages(options);
  out.endpointing_s = static_cast<double>(options.Integer("endpointing_ms", 500, 100, 3000)) / 1000;
  out.partials = options.Flag("partials", true);
  out.stable_partials = options.Flag("stable_partials", true);
  out.temperature = static_cast<float>(std::clamp(options.Number("temperature", 0), 0.0, 2.0));
  out.seed = static_cast<uint64_t>(options.Integer("seed", 0, INT64_MIN, INT64_MAX));
  TRUNKLINE_ASSIGN_OR_RETURN(out.recognizer, ReadRecognizer(options, models));
  TRUNKLINE_ASSIGN_OR_RETURN(out.quick, ReadQuick(options, models));
  out.vocabulary = ReadVocabulary(options, out.recognizer->whisper()->tokens());
  return out;
}

}  // namespace trunkline::hear
