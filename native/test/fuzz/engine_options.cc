// Any bytes in place of packed options: they are refused, or every getter reads inside them.
#include <cstdlib>

#include "engine/options.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trunkline;
  const base::ByteView bytes{data, size};
  const auto options = engine::Options::Parse(bytes);
  if (!options.ok()) return 0;
  for (const char* key : {"a", "rate", "terms", "language"}) {
    const auto inside = [&](const void* at, size_t count) {
      const auto* start = static_cast<const uint8_t*>(at);
      if (count > 0 && (start < data || start + count > data + size)) std::abort();
    };
    options->Number(key, 1);
    const int64_t integer = options->Integer(key, 5, 0, 10);
    if (integer < 0 || integer > 10) std::abort();
    inside(options->Text(key).data(), options->Text(key).size());
    inside(options->Bytes(key).data(), options->Bytes(key).size());
    options->EachText(key, [&](std::string_view text) { inside(text.data(), text.size()); });
  }
  return 0;
}
