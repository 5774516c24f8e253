#include "text/dictionaries/mandarin.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "text/dictionaries/pinyin.h"
#include "text/unicode/unicode.h"

namespace trunkline::text {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr std::string_view kMandarinMagic = "TLZH";
constexpr uint32_t kMandarinVersion = 1;
// The logarithm of a probability that is zero.
constexpr double kNever = -3.14e100;

size_t FindCode(const std::vector<uint32_t>& codes, char32_t c) {
  const auto found = std::lower_bound(codes.begin(), codes.end(), c);
  return found != codes.end() && *found == c ? static_cast<size_t>(found - codes.begin())
                                             : WordTable::kAbsent;
}

}  // namespace

bool IsChinese(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || c == 0x3007 ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x323AF);
}

Result<std::shared_ptr<const Mandarin>> Mandarin::Load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status(Code::kNotFound, "cannot read " + path);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return Parse(bytes);
}

Result<std::shared_ptr<const Mandarin>> Mandarin::Parse(base::ByteView file) {
  base::ByteReader reader(file);
  if (base::AsText(reader.ReadBytes(kMandarinMagic.size())) != kMandarinMagic ||
      reader.Read<uint32_t>() != kMandarinVersion)
    return Status(Code::kBadModel, "expected a table of Chinese words");
  std::shared_ptr<Mandarin> table(new Mandarin());
  const bool whole = table->ReadSyllables(reader) && table->ReadCharacters(reader) &&
                     table->ReadWords(reader) && table->ReadPhrases(reader) && table->ReadModel(reader) &&
                     reader.remaining() == 0;
  if (!whole) return Status(Code::kBadModel, "the table of Chinese words is damaged");
  return std::shared_ptr<const Mandarin>(std::move(table));
}

bool Mandarin::ReadSyllables(base::ByteReader& reader) {
  const auto count = reader.Read<uint32_t>();
  for (uint32_t i = 0; i < count && reader.ok(); ++i)
    syllables_.push_back(PinyinPhonemes(base::AsText(reader.ReadBytes(reader.Read<uint8_t>()))));
  return reader.ok();
}

bool Mandarin::ReadCharacters(base::ByteReader& reader) {
  const auto count = reader.Read<uint32_t>();
  characters_ = ReadNumbers<uint32_t>(reader, count);
  of_character_ = ReadNumbers<uint16_t>(reader, count);
  return characters_.size() == count && of_character_.size() == count &&
         std::is_sorted(characters_.begin(), characters_.end()) &&
         std::all_of(of_character_.begin(), of_character_.end(),
                     [&](auto id) { return id < syllables_.size(); });
}

bool Mandarin::ReadWords(base::ByteReader& reader) {
  if (!words_.Read(reader)) return false;
  frequencies_ = ReadNumbers<uint32_t>(reader, words_.size());
  log_total_ = std::log(static_cast<double>(std::max<uint64_t>(1, reader.Read<uint64_t>())));
  return reader.ok() && frequencies_.size() == words_.size();
}

bool Mandarin::ReadPhrases(base::ByteReader& reader) {
  if (!phrases_.Read(reader)) return false;
  readings_ = ReadNumbers<uint32_t>(reader, phrases_.size() + 1);
  const auto count = reader.Read<uint32_t>();
  of_phrases_ = ReadNumbers<uint16_t>(reader, count);
  if (!reader.ok() || readings_.size() != phrases_.size() + 1 || readings_.back() != count) return false;
  return std::is_sorted(readings_.begin(), readings_.end()) &&
         std::all_of(of_phrases_.begin(), of_phrases_.end(), [&](auto id) { return id < syllables_.size(); });
}

bool Mandarin::ReadModel(base::ByteReader& reader) {
  for (double& value : start_) value = reader.Read<double>();
  for (auto& row : steps_) {
    for (double& value : row) value = reader.Read<double>();
  }
  const auto count = reader.Read<uint32_t>();
  modelled_ = ReadNumbers<uint32_t>(reader, count);
  emissions_ = ReadNumbers<double>(reader, kStates * count);
  return reader.ok() && modelled_.size() == count && emissions_.size() == kStates * count &&
         std::is_sorted(modelled_.begin(), modelled_.end());
}

double Mandarin::Emission(char32_t c, State state) const {
  const size_t at = FindCode(modelled_, c);
  return at == WordTable::kAbsent ? kNever : emissions_[kStates * at + state];
}

// The division whose words are together the most frequent. Characters that are left alone and are together no known word
// are divided by the model.
std::vector<size_t> Mandarin::Divide(const Run& run) const {
  const size_t size = run.size();
  std::vector<double> best(size + 1, 0);
  std::vector<size_t> next(size, 0);
  for (size_t from = size; from-- > 0;) {
    best[from] = kNever;
    words_.EachPrefix(run.text.substr(run.begins[from]), [&](size_t word) {
      const size_t end = run.begins[from] + words_[word].size();
      const auto found = std::lower_bound(run.begins.begin(), run.begins.end(), end);
      if (found == run.begins.end() || *found != end) return;
      const auto to = static_cast<size_t>(found - run.begins.begin());
      const double score = std::log(static_cast<double>(frequencies_[word])) - log_total_ + best[to];
      // The longer word is taken where two divisions are equal.
      if (score < best[from]) return;
      best[from] = score;
      next[from] = to;
    });
    if (next[from] > 0) continue;
    // A character that begins no word counts as one that was seen once.
    best[from] = -log_total_ + best[from + 1];
    next[from] = from + 1;
  }
  std::vector<size_t> ends;
  size_t alone = 0;  // the begin of the characters that are left alone
  const auto flush = [&](size_t to) {
    if (to > alone) DivideUnknown(run, alone, to, ends);
  };
  for (size_t at = 0; at < size; at = next[at]) {
    if (next[at] == at + 1) continue;
    flush(at);
    ends.push_back(next[at]);
    alone = next[at];
  }
  flush(size);
  return ends;
}

void Mandarin::DivideUnknown(const Run& run, size_t from, size_t to, std::vector<size_t>& ends) const {
  if (to - from == 1 || words_.Find(run.Part(from, to)) != WordTable::kAbsent) {
    for (size_t at = from; at < to; ++at) ends.push_back(at + 1);
    return;
  }
  // The first is taken where both are equally likely, as they are for characters that the model lacks.
  constexpr State kBefore[kStates][2] = {
      {kSingle, kEnd}, {kMiddle, kBegin}, {kMiddle, kBegin}, {kSingle, kEnd}};
  const size_t size = to - from;
  std::vector<std::array<double, kStates>> best(size);
  std::vector<std::array<State, kStates>> before(size);
  for (size_t i = 0; i < size; ++i) {
    size_t at = run.begins[from + i];
    const char32_t c = DecodeOne(run.text, at);
    for (const State state : {kBegin, kEnd, kMiddle, kSingle}) {
      const double here = Emission(c, state);
      if (i == 0) {
        best[i][state] = start_[state] + here;
        continue;
      }
      const auto [one, other] = kBefore[state];
      const double first = best[i - 1][one] + steps_[one][state] + here;
      const double second = best[i - 1][other] + steps_[other][state] + here;
      before[i][state] = first >= second ? one : other;
      best[i][state] = std::max(first, second);
    }
  }
  std::vector<size_t> found;
  State state = best.back()[kSingle] >= best.back()[kEnd] ? kSingle : kEnd;
  for (size_t i = size; i-- > 0;) {
    if (state == kEnd || state == kSingle || i + 1 == size) found.push_back(from + i + 1);
    state = before[i][state];
  }
  ends.insert(ends.end(), found.rbegin(), found.rend());
}

std::string Mandarin::SeparateWords(std::string_view text) const {
  std::string out;
  const auto space = [&out] {
    if (!out.empty() && out.back() != ' ') out.push_back(' ');
  };
  for (size_t at = 0; at < text.size();) {
    Run run{text, {}};
    const size_t begin = at;
    while (at < text.size()) {
      size_t end = at;
      if (!IsChinese(DecodeOne(text, end))) break;
      run.begins.push_back(at - begin);
      at = end;
    }
    if (run.begins.empty()) {
      const char32_t c = DecodeOne(text, at);
      // A mark belongs to the word before it, and the sign of stress to the one behind it.
      const bool joins = out.empty() || !(IsLetter(c) || c == kStress);
      size_t last = 0;
      for (size_t i = out.size(); i-- > 0;) {
        if ((static_cast<unsigned char>(out[i]) & 0xC0) == 0x80) continue;
        last = i;
        break;
      }
      if (!joins && IsChinese(DecodeOne(out, last))) space();
      out.append(text.substr(begin, at - begin));
      continue;
    }
    run.begins.push_back(at - begin);
    run.text = text.substr(begin, at - begin);
    if (!out.ends_with(kStressText)) space();
    size_t from = 0;
    for (const size_t to : Divide(run)) {
      if (from > 0) space();
      out.append(run.Part(from, to));
      from = to;
    }
  }
  return out;
}

std::string Mandarin::Pronounce(std::string_view word) const {
  std::string out;
  for (size_t at = 0; at < word.size();) {
    size_t phrase = WordTable::kAbsent;
    phrases_.EachPrefix(word.substr(at), [&](size_t known) { phrase = known; });
    if (phrase != WordTable::kAbsent) {
      for (size_t i = readings_[phrase]; i < readings_[phrase + 1]; ++i) out += syllables_[of_phrases_[i]];
      at += phrases_[phrase].size();
      continue;
    }
    const size_t character = FindCode(characters_, DecodeOne(word, at));
    if (character != WordTable::kAbsent) out += syllables_[of_character_[character]];
  }
  return out;
}

}  // namespace trunkline::text
