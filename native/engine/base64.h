// Base64 (RFC 4648, the standard alphabet, with optional padding), into the caller's memory.
#pragma once

#include <optional>
#include <string_view>

#include "base/bytes.h"

namespace trunkline::engine {

// Returns the bytes decoded, or nothing when the text is not base64 or does not fit.
std::optional<size_t> DecodeBase64(std::string_view text, base::MutableBytes into);

}  // namespace trunkline::engine
