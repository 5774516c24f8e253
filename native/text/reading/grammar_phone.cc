#include <algorithm>

#include "text/reading/grammar.h"
#include "text/unicode/unicode.h"

namespace trunkline::text {

bool Grammar::LooksLikePhone(const std::vector<std::string_view>& groups, size_t at, bool plus,
                             bool spaced) const {
  size_t digits = 0;
  size_t longest = 0;
  const bool card =
      groups.size() >= 3 && std::all_of(groups.begin(), groups.end(), [](auto g) { return g.size() == 4; });
  if (card) return true;
  for (const std::string_view group : groups) {
    digits += group.size();
    longest = std::max(longest, group.size());
  }
  if (digits < 7 || digits > 15) return false;
  if (plus) return true;
  if (groups.size() == 1) return digits <= 12 && CueBefore(at, words_.phoneCues);
  if (groups[0][0] == '0') return true;
  if (CueBefore(at, words_.phoneCues)) return true;
  const bool american = groups.size() >= 3 && groups.back().size() == 4 &&
                        groups[groups.size() - 2].size() == 3 && groups[groups.size() - 3].size() == 3 &&
                        (groups.size() == 3 || groups[0].size() == 1);
  const bool local = groups.size() == 2 && groups[0].size() == 3 && groups[1].size() == 4;
  const bool brazilian = groups.size() == 3 && groups[0].size() == 2 && groups[1].size() >= 4 &&
                         groups[1].size() <= 5 && groups[2].size() == 4;
  const bool indian = groups.size() == 2 && groups[0].size() == 5 && groups[1].size() == 5;
  if (american || local || brazilian || indian) return true;
  if (spaced && words_.decimalMark == ',') {
    // Nine digits in groups, as Spain writes them; a number grouped by thousands has threes after the first.
    const bool threes = std::all_of(groups.begin() + 1, groups.end(), [](auto g) { return g.size() == 3; });
    return digits == 9 && groups.size() >= 3 && (!threes || groups[0][0] >= '6');
  }
  return digits >= 10 && longest <= 5 && groups.size() >= 3 && !spaced && longest < 5;
}

std::string Grammar::SayPhone(const std::vector<std::string_view>& groups, bool plus) const {
  std::string out = plus ? std::string(words_.plus) : std::string();
  for (size_t i = 0; i < groups.size(); ++i) {
    if (i > 0) out += ",";
    const std::string_view group = groups[i];
    const bool round = group.size() == 3 && group.substr(1) == "00" && group[0] != '0';
    if (round) {
      Say(out, reader_.Cardinal(ToValue(group), Gender::kBare));
    } else {
      Say(out, group.size() > 5 ? SayLongDigits(group, 5) : reader_.PhoneGroup(group));
    }
  }
  return out;
}

size_t Grammar::Phone(size_t at) {
  const bool plus = IsMark(at, '+');
  size_t next = plus ? at + 1 : at;
  if (!StartsHere(at)) return 0;
  std::vector<std::string_view> groups;
  bool spaced = false;
  size_t end = at;
  while (next < tokens_.size()) {
    size_t i = next;
    bool gap = false;
    bool opened = false;
    while (i < tokens_.size() && i - next < 4 && !IsNumber(i)) {
      if (IsSpace(i)) {
        gap = true;
      } else if (IsMark(i, '(')) {
        opened = true;
      } else if (!(IsMark(i, '-') || IsMark(i, '.') || IsMark(i, ')') || IsMark(i, '/')) || i == at) {
        break;
      }
      ++i;
    }
    if (!IsNumber(i) || (i > next && groups.empty() && !opened) || (i == next && !groups.empty())) break;
    if (opened && !groups.empty() && !plus && groups[0].size() > 3) break;
    groups.push_back(tokens_[i].text);
    spaced = spaced || gap;
    next = end = i + 1;
  }
  if (groups.empty() || IsWord(end) || IsMark(end, ':') || IsMark(end, '%')) return 0;
  if (!LooksLikePhone(groups, at, plus, spaced)) return 0;
  PutWord(SayPhone(groups, plus));
  return end - at;
}

}  // namespace trunkline::text
