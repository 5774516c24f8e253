// Any bytes in place of a carrier's message: a code comes back, and no more audio than fits.
#include <cstdlib>
#include <vector>

#include "engine/carrier_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trunkline;
  static std::vector<uint8_t> audio(engine::kMaxCarrierAudio);
  engine::CarrierMedia media;
  const base::Code code = engine::DecodeCarrierMedia({data, size}, audio, media);
  const size_t decoded = media.size;
  if (decoded > audio.size() || decoded > size) std::abort();
  if (code != base::Code::kOk && decoded != 0) std::abort();
  if (code != base::Code::kOk && code != base::Code::kNotMedia && code != base::Code::kBadMessage)
    std::abort();
  return 0;
}
