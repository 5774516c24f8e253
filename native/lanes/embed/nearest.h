// Nearest-neighbour search over vectors of bytes, by exact dot products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trunkline::embed {

struct Neighbour {
  uint32_t row;
  int32_t sum;
};

// `rows` holds vectors of the query's length, one after the other; a remainder at the end is ignored. Returns
// the `most` with the largest dot products, largest first and the earliest of equal ones. Bytes are at least
// -127; a query has at most 2^16.
std::vector<Neighbour> Nearest(std::span<const int8_t> rows, std::span<const int8_t> query, size_t most);

}  // namespace trunkline::embed
