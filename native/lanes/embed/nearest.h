// Which of many vectors of bytes are most alike one: exact sums of products, the largest kept.
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

// `rows` holds vectors of the query's length, one behind the other; what is left over at its end is no row. The `most`
// with the largest sums, largest first, of equal ones the earliest. Bytes are at least -127; a query has at most 2^16.
std::vector<Neighbour> Nearest(std::span<const int8_t> rows, std::span<const int8_t> query, size_t most);

}  // namespace trunkline::embed
