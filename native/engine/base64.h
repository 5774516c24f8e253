// Base64 (RFC 4648, the standard alphabet; padding may be left out), into memory of the caller.
#pragma once

#include <optional>
#include <string_view>

#include "base/bytes.h"

namespace trunkline::engine {

// The bytes decoded; nothing when the text is not base64 or does not fit.
std::optional<size_t> DecodeBase64(std::string_view text, base::MutableBytes into);

}  // namespace trunkline::engine
