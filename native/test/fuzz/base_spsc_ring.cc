// A ring against a plain queue: whatever is pushed, peeked and popped, in any sizes, both hold the same
// bytes.
#include <cstdlib>
#include <deque>
#include <vector>

#include "base/spsc_ring.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trunkline::base;
  ByteReader in({data, size});
  ByteRing ring(in.Read<uint8_t>());
  std::deque<uint8_t> model;
  uint8_t next = 0;
  while (in.ok() && in.remaining() > 0) {
    const uint8_t verb = in.Read<uint8_t>();
    const size_t count = in.Read<uint8_t>();
    std::vector<uint8_t> bytes(count);
    if (verb % 3 == 0) {
      for (uint8_t& byte : bytes) byte = next++;
      const size_t reserve = verb / 3 % 4;
      const bool fits = model.size() + count + reserve <= ring.capacity();
      const size_t cut = verb % (count + 1);
      if (ring.Push(ByteView(bytes).first(cut), ByteView(bytes).subspan(cut), {}, reserve) != fits)
        std::abort();
      if (fits) model.insert(model.end(), bytes.begin(), bytes.end());
    } else if (verb % 3 == 1) {
      const size_t popped = ring.Pop(bytes);
      if (popped != std::min(count, model.size())) std::abort();
      for (size_t i = 0; i < popped; ++i, model.pop_front()) {
        if (bytes[i] != model.front()) std::abort();
      }
    } else {
      const size_t skip = verb / 3;
      const size_t peeked = ring.Peek(bytes, skip);
      const size_t expected = skip >= model.size() ? 0 : std::min(count, model.size() - skip);
      if (peeked != expected) std::abort();
      for (size_t i = 0; i < peeked; ++i) {
        if (bytes[i] != model[skip + i]) std::abort();
      }
    }
    if (ring.size() != model.size() || ring.written() - ring.read() != model.size()) std::abort();
  }
  return 0;
}
