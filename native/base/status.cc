#include "base/status.h"

namespace trunkline::base {

std::string_view CodeName(Code code) {
  for (const CodeEntry& entry : kCodes) {
    if (entry.code == code) return entry.name;
  }
  return "internal";
}

std::string Status::ToString() const {
  std::string text(CodeName(code_));
  if (!message_.empty()) text.append(": ").append(message_);
  return text;
}

}  // namespace trunkline::base
