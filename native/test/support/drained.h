// Reads what Drain packed, for tests.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "engine/engine.h"
#include "engine/records.h"

namespace trunkline::test {

struct Record {
  engine::LaneId id;
  uint16_t type = 0;
  uint16_t flags = 0;
  std::string bytes;

  // The status code that kClosedEvent, kJobEndEvent and kKindEvent begin with.
  base::Code code() const {
    return static_cast<base::Code>(base::Load<int32_t>(reinterpret_cast<const uint8_t*>(bytes.data())));
  }
};

inline std::vector<Record> Unpack(base::ByteView packed, bool* more = nullptr) {
  base::ByteReader reader(packed);
  const size_t used = reader.Read<uint32_t>();
  const bool rest = reader.Read<uint32_t>() != 0;
  reader.Read<uint64_t>();
  if (more != nullptr) *more = rest;
  std::vector<Record> records;
  while (reader.ok() && reader.position() < used) {
    Record record;
    record.id.slot = reader.Read<uint32_t>();
    record.id.generation = reader.Read<uint32_t>();
    record.type = reader.Read<uint16_t>();
    record.flags = reader.Read<uint16_t>();
    record.bytes = std::string(base::AsText(reader.ReadBytes(reader.Read<uint32_t>())));
    reader.Align(engine::kRecordAlignment);
    records.push_back(std::move(record));
  }
  return records;
}

// Drains until nothing is left.
inline std::vector<Record> DrainAll(engine::Engine& engine) {
  static thread_local std::vector<uint8_t> buffer(engine::kMinDrainBytes);
  std::vector<Record> all;
  bool more = true;
  while (more) {
    engine.ClearWake();
    const size_t used = engine.Drain(buffer);
    if (used == 0) break;
    for (Record& record : Unpack(base::ByteView(buffer).first(used), &more)) all.push_back(std::move(record));
  }
  return all;
}

}  // namespace trunkline::test
