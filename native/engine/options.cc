#include "engine/options.h"

#include <algorithm>
#include <cmath>

namespace trunkline::engine {

using base::ByteReader;
using base::ByteView;

namespace {

struct Entry {
  std::string_view key;
  uint8_t type = 0;
  ByteView value;
};

Entry ReadEntry(ByteReader& reader) {
  Entry entry;
  entry.key = base::AsText(reader.ReadBytes(reader.Read<uint8_t>()));
  entry.type = reader.Read<uint8_t>();
  entry.value = reader.ReadBytes(reader.Read<uint32_t>());
  return entry;
}

bool IsList(ByteView value) {
  ByteReader reader(value);
  while (reader.ok() && reader.remaining() > 0) reader.ReadBytes(reader.Read<uint32_t>());
  return reader.ok();
}

}  // namespace

base::Result<Options> Options::Parse(ByteView bytes) {
  ByteReader reader(bytes);
  while (reader.ok() && reader.remaining() > 0) {
    const Entry entry = ReadEntry(reader);
    const bool sound = reader.ok() && !entry.key.empty() && entry.type >= kNumber && entry.type <= kList &&
                       (entry.type != kNumber || entry.value.size() == sizeof(double)) &&
                       (entry.type != kList || IsList(entry.value));
    if (!sound) return base::Status(base::Code::kInvalidArgument, "options are not well formed");
  }
  return Options(bytes);
}

std::optional<ByteView> Options::Find(std::string_view key, Type type) const {
  ByteReader reader(bytes_);
  while (reader.ok() && reader.remaining() > 0) {
    const Entry entry = ReadEntry(reader);
    if (entry.key == key && entry.type == type) return entry.value;
  }
  return std::nullopt;
}

std::optional<double> Options::Number(std::string_view key) const {
  const auto value = Find(key, kNumber);
  if (!value) return std::nullopt;
  return base::Load<double>(value->data());
}

int64_t Options::Integer(std::string_view key, int64_t otherwise, int64_t low, int64_t high) const {
  const double value = Number(key, static_cast<double>(otherwise));
  if (std::isnan(value)) return otherwise;
  return static_cast<int64_t>(std::clamp(value, static_cast<double>(low), static_cast<double>(high)));
}

std::string_view Options::Text(std::string_view key) const {
  return base::AsText(Find(key, kText).value_or(ByteView()));
}

ByteView Options::Bytes(std::string_view key) const {
  return Find(key, kBytes).value_or(ByteView());
}

bool Options::Has(std::string_view key) const {
  return Find(key, kNumber) || Find(key, kText) || Find(key, kBytes) || Find(key, kList);
}

void OptionsBuilder::Entry(std::string_view key, uint8_t type, std::string_view value) {
  bytes_.push_back(static_cast<char>(key.size()));
  bytes_.append(key);
  bytes_.push_back(static_cast<char>(type));
  const uint32_t size = static_cast<uint32_t>(value.size());
  bytes_.append(reinterpret_cast<const char*>(&size), sizeof(size)).append(value);
}

OptionsBuilder& OptionsBuilder::Number(std::string_view key, double value) {
  Entry(key, 1, {reinterpret_cast<const char*>(&value), sizeof(value)});
  return *this;
}

OptionsBuilder& OptionsBuilder::Text(std::string_view key, std::string_view value) {
  Entry(key, 2, value);
  return *this;
}

OptionsBuilder& OptionsBuilder::Bytes(std::string_view key, ByteView value) {
  Entry(key, 3, base::AsText(value));
  return *this;
}

OptionsBuilder& OptionsBuilder::List(std::string_view key, std::initializer_list<std::string_view> values) {
  std::string packed;
  for (std::string_view value : values) {
    const uint32_t size = static_cast<uint32_t>(value.size());
    packed.append(reinterpret_cast<const char*>(&size), sizeof(size)).append(value);
  }
  Entry(key, 4, packed);
  return *this;
}

}  // namespace trunkline::engine
