// An outbox drained into buffers of any size: records come out whole and in order, finals all of them, and
// the packed layout is what its reader expects.
#include <cstdlib>
#include <vector>

#include "engine/outbox.h"
#include "engine/records.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trunkline;
  constexpr uint16_t kFinal = 20, kPartial = 21;
  base::ByteReader in({data, size});
  base::BlockPool memory;
  engine::Outbox outbox({.ring_bytes = 512, .mailboxes = 2, .mailbox_bytes = 64}, memory);
  uint32_t written = 0, read = 0;
  const auto drain = [&](size_t room) {
    std::vector<uint8_t> buffer(room);
    engine::PackedWriter writer(buffer);
    outbox.DrainTo(writer, {1, 2});
    base::ByteReader out(base::ByteView(buffer).first(writer.Finish(false)));
    if (out.remaining() == 0) return;
    if (out.Read<uint32_t>() != out.remaining() + 4) std::abort();
    out.Read<uint32_t>();
    out.Read<uint64_t>();
    while (out.remaining() > 0) {
      if (out.Read<uint32_t>() != 1 || out.Read<uint32_t>() != 2) std::abort();
      const uint16_t type = out.Read<uint16_t>();
      out.Read<uint16_t>();
      const auto body = out.ReadBytes(out.Read<uint32_t>());
      out.Align(engine::kRecordAlignment);
      if (!out.ok() || body.size() < 4) std::abort();
      const uint32_t number = base::Load<uint32_t>(body.data());
      if (type == kFinal && number != read++) std::abort();
      if (type == kPartial && number != read) std::abort();
    }
  };
  while (in.ok() && in.remaining() > 0) {
    const uint8_t verb = in.Read<uint8_t>();
    std::vector<uint8_t> body(in.Read<uint8_t>() % 60);
    uint8_t number[4];
    base::Store(number, written);
    if (verb % 4 == 0) drain(in.Read<uint16_t>() % 1024);
    if (verb % 4 == 1) written += outbox.Write(kFinal, 0, number, body) ? 1 : 0;
    if (verb % 4 >= 2) outbox.WriteLatest(verb / 4 % 2, kPartial, 0, number, body);
  }
  for (int i = 0; i < 100 && read != written; ++i) drain(2048);
  if (read != written) std::abort();
  return 0;
}
