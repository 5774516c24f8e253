#pragma once

// The common rules of Spanish, French, Italian and Portuguese. A language overrides what differs.

#include "text/reading/reader.h"

namespace trunkline::text {

// A million or a billion, after its count.
struct NumberGroup {
  uint64_t value;
  std::string_view one, many;
};

// Reads the groups of `n`, the largest first, and returns the rest. `count` writes the count of a
// group.
template <typename Count>
uint64_t SayGroups(std::string& out, uint64_t n, std::span<const NumberGroup> groups, Count count) {
  for (const auto& group : groups) {
    if (n < group.value) continue;
    const uint64_t many = n / group.value;
    Say(out, count(many));
    Say(out, many == 1 ? group.one : group.many);
    n %= group.value;
  }
  return n;
}

// Makes an ordinal in -o agree with the gender.
std::string Agreed(std::string_view word, Gender gender);

class Romance : public Reader {
 public:
  std::string Decimal(uint64_t whole, std::string_view fraction) const override;
  std::string Counted(uint64_t n, const Noun& noun) const override;
  std::string OfMillions(std::string_view noun) const override;
  std::string SayDate(const Date& date, std::string_view wordBefore) const override;
  std::string SuffixedOrdinal(uint64_t n, std::string_view suffix) const override;

 protected:
  struct Ways {
    std::string_view point;
    std::string_view of;     // "un millón de euros"
    std::string_view first;  // the first day of a month
    bool ofBetween;          // "cinco de mayo de …", where others say "cinque maggio …"
    bool degreeIsOrdinal;    // "3°" for "3º"
  };
  Romance(const Lexicon& lexicon, const Ways& ways) : Reader(lexicon), ways_(ways) {}

 private:
  const Ways ways_;
};

}  // namespace trunkline::text
