#include "text/dictionaries/japanese.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>

#include "text/dictionaries/kana.h"
#include "text/dictionaries/mandarin.h"
#include "text/unicode/unicode.h"

namespace trunkline::text {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr std::string_view kJapaneseMagic = "TLJA";
constexpr uint32_t kJapaneseVersion = 1;
constexpr size_t kLongestUnknown = 24;
constexpr size_t kMostTogether = 8;
constexpr size_t kNone = std::numeric_limits<size_t>::max();

bool IsJapanese(char32_t c) {
  return IsChinese(c) || IsHiragana(c) || IsKatakana(c) || c == 0x3005 || c == 0x3006;
}

}  // namespace

// A run of Japanese characters, the byte at which each begins, and the parts whose reading is given.
struct Japanese::Sentence {
  struct FixedReading {
    size_t from = 0, to = 0;
    std::string kana;
  };
  std::string text;
  std::vector<char32_t> codes;
  std::vector<size_t> begins;
  std::vector<FixedReading> fixed;

  void Append(char32_t c) {
    begins.push_back(text.size());
    codes.push_back(c);
    AppendUtf8(c, text);
  }
  std::string_view Part(size_t from, size_t to) const {
    const size_t end = to < begins.size() ? begins[to] : text.size();
    return std::string_view(text).substr(begins[from], end - begins[from]);
  }
  // Returns whether a word crosses the bound of a part whose reading is given.
  bool Crosses(size_t from, size_t to) const {
    return std::any_of(fixed.begin(), fixed.end(), [&](const FixedReading& part) {
      return (from < part.from && to > part.from) || (from < part.to && to > part.to);
    });
  }
};

struct Japanese::Node {
  size_t from = 0, to = 0;
  Entry entry;
  size_t reading = kNone;  // the number of an entry of the dictionary
  int64_t best = 0;
  size_t before = kNone;
};

Result<std::shared_ptr<const Japanese>> Japanese::Load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status(Code::kNotFound, "cannot read " + path);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return Parse(bytes);
}

Result<std::shared_ptr<const Japanese>> Japanese::Parse(base::ByteView file) {
  base::ByteReader reader(file);
  if (base::AsText(reader.ReadBytes(kJapaneseMagic.size())) != kJapaneseMagic ||
      reader.Read<uint32_t>() != kJapaneseVersion)
    return Status(Code::kBadModel, "expected a table of Japanese words");
  std::shared_ptr<Japanese> table(new Japanese());
  const bool whole = table->ReadMatrix(reader) && table->ReadEntries(reader) &&
                     table->together_.Read(reader) && table->ReadUnknown(reader) && reader.remaining() == 0;
  if (!whole) return Status(Code::kBadModel, "the table of Japanese words is damaged");
  return std::shared_ptr<const Japanese>(std::move(table));
}

bool Japanese::ReadMatrix(base::ByteReader& reader) {
  lefts_ = reader.Read<uint16_t>();
  rights_ = reader.Read<uint16_t>();
  matrix_ = ReadNumbers<int16_t>(reader, size_t{lefts_} * rights_);
  return reader.ok() && !matrix_.empty() && matrix_.size() == size_t{lefts_} * rights_;
}

bool Japanese::ReadEntries(base::ByteReader& reader) {
  if (!words_.Read(reader)) return false;
  first_entry_ = ReadNumbers<uint32_t>(reader, words_.size() + 1);
  const auto count = reader.Read<uint32_t>();
  left_ = ReadNumbers<uint16_t>(reader, count);
  right_ = ReadNumbers<uint16_t>(reader, count);
  cost_ = ReadNumbers<int16_t>(reader, count);
  readings_ = ReadNumbers<uint32_t>(reader, size_t{count} + 1);
  if (!reader.ok() || readings_.empty() || first_entry_.empty()) return false;
  kana_ = std::string(base::AsText(reader.ReadBytes(readings_.back())));
  const auto below = [](const std::vector<uint16_t>& contexts, uint16_t size) {
    return std::all_of(contexts.begin(), contexts.end(), [size](uint16_t context) { return context < size; });
  };
  return reader.ok() && left_.size() == count && right_.size() == count && cost_.size() == count &&
         first_entry_.back() == count && std::is_sorted(first_entry_.begin(), first_entry_.end()) &&
         std::is_sorted(readings_.begin(), readings_.end()) && below(left_, rights_) && below(right_, lefts_);
}

bool Japanese::ReadUnknown(base::ByteReader& reader) {
  const auto count = reader.Read<uint32_t>();
  for (uint32_t i = 0; i < count && reader.ok(); ++i) {
    Kind kind;
    const auto flags = reader.Read<uint8_t>();
    kind.always = (flags & 1) != 0;
    kind.runs = (flags & 2) != 0;
    kind.length = reader.Read<uint8_t>();
    const auto entries = reader.Read<uint32_t>();
    for (uint32_t k = 0; k < entries && reader.ok(); ++k) {
      const Entry entry{reader.Read<uint16_t>(), reader.Read<uint16_t>(), reader.Read<int16_t>()};
      if (entry.left >= rights_ || entry.right >= lefts_) return false;
      kind.entries.push_back(entry);
    }
    kinds_.push_back(std::move(kind));
  }
  const auto ranges = reader.Read<uint32_t>();
  for (uint32_t i = 0; i < ranges && reader.ok(); ++i) {
    const Range range{reader.Read<uint32_t>(), reader.Read<uint32_t>(), reader.Read<uint32_t>()};
    if (range.usual >= kinds_.size() || (i == 0) != (range.first == 0)) return false;
    if (i > 0 && range.first <= ranges_.back().first) return false;
    ranges_.push_back(range);
  }
  return reader.ok() && !kinds_.empty() && !kinds_.front().entries.empty() && !ranges_.empty();
}

const Japanese::Range& Japanese::RangeOf(char32_t c) const {
  const auto next = std::upper_bound(ranges_.begin(), ranges_.end(), static_cast<uint32_t>(c),
                                     [](uint32_t code, const Range& range) { return code < range.first; });
  return *(next - 1);
}

std::string Japanese::Reading(size_t entry) const {
  std::string out;
  for (size_t i = readings_[entry]; i < readings_[entry + 1]; ++i)
    AppendUtf8(0x30A0 + static_cast<unsigned char>(kana_[i]), out);
  return out;
}

// Words that the dictionary lacks: a run of one kind of characters, and its first few, as MeCab takes them.
void Japanese::AddUnknown(const Sentence& sentence, size_t at, bool known, std::vector<Node>& nodes) const {
  const Range& range = RangeOf(sentence.codes[at]);
  const Kind& kind = kinds_[range.usual];
  if (known && !kind.always) return;
  const auto add = [&](size_t to) {
    if (sentence.Crosses(at, to)) return;
    for (const Entry& entry : kind.entries.empty() ? kinds_.front().entries : kind.entries)
      nodes.push_back({at, to, entry, kNone, 0, kNone});
  };
  size_t end = at + 1;
  while (end < sentence.codes.size() && (RangeOf(sentence.codes[end]).kinds & (1U << range.usual)) != 0)
    ++end;
  const size_t before = nodes.size();
  if (kind.runs && end - at <= kLongestUnknown) add(end);
  for (size_t to = at + 1; to <= std::min(end, at + kind.length); ++to) {
    if (!kind.runs || to != end) add(to);
  }
  if (nodes.size() == before && !known) add(at + 1);
}

std::vector<Japanese::Node> Japanese::Path(const Sentence& sentence) const {
  const size_t size = sentence.codes.size();
  std::vector<std::vector<Node>> ending(size + 1);
  Node start;
  ending[0].push_back(start);
  std::vector<Node> nodes;
  for (size_t at = 0; at < size; ++at) {
    if (ending[at].empty()) continue;
    nodes.clear();
    words_.EachPrefix(std::string_view(sentence.text).substr(sentence.begins[at]), [&](size_t word) {
      const size_t bytes = sentence.begins[at] + words_[word].size();
      const auto found = std::lower_bound(sentence.begins.begin(), sentence.begins.end(), bytes);
      if (found != sentence.begins.end() && *found != bytes) return;
      const auto to = static_cast<size_t>(found - sentence.begins.begin());
      if (sentence.Crosses(at, to)) return;
      for (size_t i = first_entry_[word]; i < first_entry_[word + 1]; ++i)
        nodes.push_back({at, to, {left_[i], right_[i], cost_[i]}, i, 0, kNone});
    });
    AddUnknown(sentence, at, !nodes.empty(), nodes);
    for (Node& node : nodes) {
      node.best = std::numeric_limits<int64_t>::max();
      for (size_t i = 0; i < ending[at].size(); ++i) {
        const int64_t cost =
            ending[at][i].best + Join(ending[at][i].entry.right, node.entry.left) + node.entry.cost;
        if (cost >= node.best) continue;
        node.best = cost;
        node.before = i;
      }
      ending[node.to].push_back(node);
    }
  }
  std::vector<Node> path;
  size_t chosen = kNone;
  int64_t best = std::numeric_limits<int64_t>::max();
  for (size_t i = 0; i < ending[size].size(); ++i) {
    const int64_t cost = ending[size][i].best + Join(ending[size][i].entry.right, 0);
    if (cost >= best) continue;
    best = cost;
    chosen = i;
  }
  for (size_t at = size; at > 0 && chosen != kNone;) {
    path.push_back(ending[at][chosen]);
    chosen = path.back().before;
    at = path.back().from;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::string Japanese::Say(const Sentence& sentence) const {
  struct Word {
    std::string_view written;
    std::string said;
    bool is_fixed = false;
  };
  std::vector<Word> words;
  const std::vector<Node> path = Path(sentence);
  for (size_t i = 0; i < path.size(); ++i) {
    const Node& node = path[i];
    const auto fixed = std::find_if(
        sentence.fixed.begin(), sentence.fixed.end(),
        [&](const Sentence::FixedReading& part) { return node.from >= part.from && node.to <= part.to; });
    if (fixed != sentence.fixed.end()) {
      if (node.from == fixed->from) words.push_back({{}, fixed->kana, true});
      continue;
    }
    const std::string_view written = sentence.Part(node.from, node.to);
    std::string said = node.reading == kNone ? std::string() : Reading(node.reading);
    if (said.empty()) {
      // Kana that are no word are said as they are written; of other characters nothing is known.
      for (const char32_t c : ToCodePoints(ToKatakana(written))) {
        if (IsKatakana(c)) AppendUtf8(c, said);
      }
    }
    words.push_back({written, std::move(said), false});
  }
  std::string out;
  for (size_t i = 0; i < words.size();) {
    size_t end = i + 1;
    std::string joined(words[i].written);
    size_t to = i + 1;
    for (size_t next = i + 1; next < std::min(words.size(), i + kMostTogether); ++next) {
      if (words[i].is_fixed || words[next].is_fixed) break;
      joined += words[next].written;
      to = next + 1;
      if (together_.Find(joined) != WordTable::kAbsent) end = to;
    }
    std::string said;
    for (; i < end; ++i) said += words[i].said;
    if (said.empty()) continue;
    if (!out.empty()) out.push_back(' ');
    out += said;
  }
  return out;
}

std::string Japanese::SeparateWords(std::string_view text) const {
  std::string out;
  Sentence sentence;
  const auto flush = [&] {
    if (sentence.codes.empty()) return;
    const std::string said = Say(sentence);
    sentence = {};
    if (said.empty()) return;
    if (!out.empty() && out.back() != ' ' && !out.ends_with(kStressText)) out.push_back(' ');
    out += said;
  };
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = DecodeOne(text, at);
    if (c == kReadAs) {
      sentence.fixed.push_back({sentence.codes.size(), sentence.codes.size(), {}});
    } else if (c == kSaidAs && !sentence.fixed.empty()) {
      sentence.fixed.back().to = sentence.codes.size();
      size_t end = at;
      while (end < text.size()) {
        size_t next = end;
        if (DecodeOne(text, next) == kReadEnd) break;
        end = next;
      }
      sentence.fixed.back().kana = std::string(text.substr(at, end - at));
      at = end;
    } else if (c == kSaidAs || c == kReadEnd) {
      continue;
    } else if (IsJapanese(c)) {
      sentence.Append(c);
    } else {
      flush();
      const bool opens = IsLetter(c) || c == kStress;
      size_t last = out.size();
      while (last > 0 && (static_cast<unsigned char>(out[--last]) & 0xC0) == 0x80) continue;
      if (opens && !out.empty() && IsKatakana(DecodeOne(out, last))) out.push_back(' ');
      out.append(text.substr(begin, at - begin));
    }
  }
  flush();
  return out;
}

}  // namespace trunkline::text
