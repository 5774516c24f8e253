#include "asr/whisper_settings.h"

#include <sstream>

namespace trunkline::asr {
namespace {

base::Status Bad(const std::string& what) {
  return base::Status(base::Code::kBadModel, "whisper.conf: " + what);
}

}  // namespace

base::Result<WhisperSettings> WhisperSettings::Parse(std::string_view text) {
  WhisperSettings out;
  const std::pair<std::string_view, int64_t*> numbers[] = {{"bands", &out.bands},
                                                           {"layers", &out.layers},
                                                           {"heads", &out.heads},
                                                           {"width", &out.width},
                                                           {"vocabulary", &out.vocabulary},
                                                           {"text_room", &out.text_capacity},
                                                           {"alignment_heads", &out.alignment_heads}};
  constexpr std::string_view kOptional = "english_only";
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name == "suppress" || name == "suppress_begin") {
      auto& list = name == "suppress" ? out.suppress : out.suppress_begin;
      for (int32_t id; words >> id;) list.push_back(id);
      continue;
    }
    if (name == kOptional && !(words >> out.english_only)) return Bad("no number after " + name);
    for (const auto& [known, number] : numbers) {
      if (name == known && !(words >> *number)) return Bad("no number after " + name);
    }
  }
  for (const auto& [name, number] : numbers) {
    if (*number <= 0) return Bad("it lacks " + std::string(name));
  }
  if (out.width % out.heads != 0) return Bad("width is not a multiple of heads");
  for (const auto* list : {&out.suppress, &out.suppress_begin}) {
    for (const int32_t id : *list) {
      if (id < 0 || id >= out.vocabulary) return Bad("a suppressed token is out of range");
    }
  }
  return out;
}

}  // namespace trunkline::asr
