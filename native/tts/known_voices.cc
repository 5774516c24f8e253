#include "tts/known_voices.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

namespace trunkline::tts {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr std::string_view kKnownVoicesMagic = "TLKV0001";

// Reads to the end of the bytes; a read beyond it gives nothing and sets `bad`.
class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  template <typename T>
  T Value() {
    T value{};
    if (const auto* from = Take(sizeof value); from != nullptr) std::memcpy(&value, from, sizeof value);
    return value;
  }
  std::string Text(size_t size) {
    const auto* from = Take(size);
    return from == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(from), size);
  }
  std::string Text() { return Text(Value<uint16_t>()); }
  std::vector<float> Floats(size_t count) {
    std::vector<float> numbers;
    if (const auto* from = Take(count * sizeof(float)); from != nullptr) {
      numbers.resize(count);
      if (count > 0) std::memcpy(numbers.data(), from, count * sizeof(float));
    }
    return numbers;
  }
  const uint8_t* Take(size_t size) {
    if (bad_ || size > bytes_.size() - at_) {
      bad_ = true;
      return nullptr;
    }
    at_ += size;
    return bytes_.data() + at_ - size;
  }
  size_t at() const { return at_; }
  bool bad() const { return bad_; }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  bool bad_ = false;
};

}  // namespace

Result<std::shared_ptr<const KnownVoices>> KnownVoices::Read(const std::string& path) {
  auto known = std::make_shared<KnownVoices>();
  std::ifstream file(path, std::ios::binary);
  known->bytes_.assign(std::istreambuf_iterator<char>(file), {});
  Reader reader(known->bytes_);
  if (reader.Text(kKnownVoicesMagic.size()) != kKnownVoicesMagic)
    return Status(Code::kBadModel, path + " is not a file of known voices");
  const auto groups = reader.Value<uint32_t>();
  for (uint32_t i = 0; i < groups && !reader.bad(); ++i) {
    Group& group = known->groups_[reader.Text()].emplace_back();
    const auto columns = reader.Value<uint32_t>();
    group.least = reader.Floats(columns);
    group.step = reader.Floats(columns);
    const auto rows = reader.Value<uint32_t>();
    for (uint32_t j = 0; j < rows && !reader.bad(); ++j) {
      Row& row = group.rows[reader.Text()];
      row.center_hz = reader.Value<float>();
      row.gain = reader.Value<float>();
      row.numbers = reader.at();
      reader.Take(columns);
    }
  }
  if (reader.bad() || reader.at() != known->bytes_.size())
    return Status(Code::kBadModel, path + " is incomplete");
  return std::shared_ptr<const KnownVoices>(known);
}

std::shared_ptr<const Calibration> KnownVoices::Make(const Group& group, const Row& row) const {
  auto made = std::make_shared<Calibration>();
  made->center_hz = row.center_hz;
  made->gain = row.gain;
  made->statistics.resize(group.least.size());
  for (size_t i = 0; i < made->statistics.size(); ++i)
    made->statistics[i] = group.least[i] + group.step[i] * static_cast<float>(bytes_[row.numbers + i]);
  return made;
}

std::shared_ptr<const Calibration> KnownVoices::Find(const std::string& model, const std::string& key) const {
  const auto groups = groups_.find(model);
  if (groups == groups_.end()) return nullptr;
  for (const Group& group : groups->second) {
    if (const auto row = group.rows.find(key); row != group.rows.end()) return Make(group, row->second);
  }
  return nullptr;
}

std::shared_ptr<const Calibration> KnownVoices::FindBySuffix(const std::string& model,
                                                             std::string_view suffix) const {
  const auto groups = groups_.find(model);
  if (groups == groups_.end()) return nullptr;
  for (const Group& group : groups->second) {
    for (const auto& [key, row] : group.rows) {
      if (key.ends_with(suffix)) return Make(group, row);
    }
  }
  return nullptr;
}

}  // namespace trunkline::tts
