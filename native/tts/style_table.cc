#include "tts/style_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

namespace trunkline::tts {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr size_t kCachedStyles = 128;
constexpr size_t kMaxBlended = 16;

bool IsName(const std::string& name) {
  return !name.empty() && name.size() <= 40 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

std::string StyleKey(const std::vector<StylePart>& parts) {
  std::string key;
  for (const StylePart& part : parts) {
    char share[24];
    std::snprintf(share, sizeof share, ":%.4f,", static_cast<double>(part.share));
    key += part.name + share;
  }
  return key;
}

Result<std::vector<float>> StyleFolder::Read(const std::string& name) const {
  if (!IsName(name)) return Status(Code::kNotFound, "there is no style of this name");
  std::ifstream file(folder_ + "/" + name + ".bin", std::ios::binary);
  if (!file) return Status(Code::kNotFound, "no style " + name);
  std::vector<float> numbers(kStyleRows * kStyleWidth);
  const auto size = static_cast<std::streamsize>(numbers.size() * sizeof(float));
  file.read(reinterpret_cast<char*>(numbers.data()), size);
  const bool finite = std::all_of(numbers.begin(), numbers.end(), [](float n) { return std::isfinite(n); });
  if (file.gcount() != size || !finite)
    return Status(Code::kBadModel, "style " + name + " has the wrong size for a style table");
  return numbers;
}

Result<std::shared_ptr<const StyleTable>> StyleFolder::Get(const std::vector<StylePart>& parts) {
  if (parts.empty() || parts.size() > kMaxBlended)
    return Status(Code::kInvalidArgument, "a voice has 1 to 16 styles");
  const std::string key = StyleKey(parts);
  const std::lock_guard lock(mutex_);
  if (const auto found = tables_.find(key); found != tables_.end()) return found->second;
  std::vector<float> blend(kStyleRows * kStyleWidth, 0.0F);
  for (const StylePart& part : parts) {
    TRUNKLINE_ASSIGN_OR_RETURN(const auto numbers, Read(part.name));
    for (size_t i = 0; i < blend.size(); ++i) blend[i] += part.share * numbers[i];
  }
  auto table = std::make_shared<const StyleTable>(std::move(blend));
  if (tables_.size() >= kCachedStyles) tables_.erase(tables_.begin());
  tables_[key] = table;
  return std::shared_ptr<const StyleTable>(table);
}

}  // namespace trunkline::tts
