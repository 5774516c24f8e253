#include "asr/word_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace trunkline::asr {
namespace {

constexpr double kRowSeconds = 0.02;
constexpr size_t kMedian = 7;
constexpr double kShortestWordS = 0.02;

// Letters and digits of any script; ASCII punctuation, general punctuation and the danda do not count.
bool HoldsLetter(std::string_view bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    if (byte < 0x80) {
      if ((byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z')) return true;
      continue;
    }
    if (byte == 0xC2 || byte == 0xE2) {  // ¿ ¡ « » and the dashes and quotes
      i += byte == 0xC2 ? 1 : 2;
      continue;
    }
    if (bytes.substr(i, 3) == "\xE0\xA5\xA4") {
      i += 2;
      continue;
    }
    return true;
  }
  return false;
}

std::string Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1));
}

// The mean over heads of each head's attention, standardised over the tokens and smoothed along time.
// [tokens, audio_rows]
std::vector<float> Prepare(const Attention& attention, size_t tokens) {
  const size_t rows = attention.audio_rows, stride = attention.heads * attention.rows;
  std::vector<float> mean(tokens * rows, 0.0f), plane(tokens * rows);
  for (size_t head = 0; head < attention.heads; ++head) {
    for (size_t row = 0; row < rows; ++row) {
      float sum = 0, squares = 0;
      for (size_t t = 0; t < tokens; ++t) sum += attention.values[t * stride + head * attention.rows + row];
      const float average = sum / static_cast<float>(tokens);
      for (size_t t = 0; t < tokens; ++t) {
        const float away = attention.values[t * stride + head * attention.rows + row] - average;
        squares += away * away;
        plane[t * rows + row] = away;
      }
      const float scale = 1.0f / (std::sqrt(squares / static_cast<float>(tokens)) + 1e-8f);
      for (size_t t = 0; t < tokens; ++t) plane[t * rows + row] *= scale;
    }
    for (size_t t = 0; t < tokens; ++t) {
      const float* line = plane.data() + t * rows;
      for (size_t row = 0; row < rows; ++row) {
        std::array<float, kMedian> near;
        for (size_t k = 0; k < kMedian; ++k) {
          auto at = static_cast<ptrdiff_t>(row + k) - static_cast<ptrdiff_t>(kMedian / 2);
          const auto last = static_cast<ptrdiff_t>(rows) - 1;
          if (at < 0) at = -at;
          if (at > last) at = 2 * last - at;
          near[k] = line[std::clamp<ptrdiff_t>(at, 0, last)];
        }
        std::nth_element(near.begin(), near.begin() + kMedian / 2, near.end());
        mean[t * rows + row] += near[kMedian / 2];
      }
    }
  }
  return mean;
}

// Returns the row at which each token begins on the path of the greatest sum from corner to
// corner.
std::vector<size_t> Warp(const std::vector<float>& score, size_t tokens, size_t rows) {
  constexpr float kFar = std::numeric_limits<float>::infinity();
  std::vector<float> above(rows + 1, kFar), here(rows + 1, kFar);
  std::vector<uint8_t> step((tokens + 1) * (rows + 1), 0);
  above[0] = 0;
  for (size_t t = 1; t <= tokens; ++t) {
    here[0] = kFar;
    for (size_t r = 1; r <= rows; ++r) {
      const float both = above[r - 1], down = above[r], right = here[r - 1];
      uint8_t move = 2;
      float best = right;
      if (both <= down && both <= right) {
        move = 0;
        best = both;
      } else if (down <= right) {
        move = 1;
        best = down;
      }
      here[r] = best - score[(t - 1) * rows + r - 1];
      step[t * (rows + 1) + r] = move;
    }
    std::swap(above, here);
  }
  std::vector<size_t> begins(tokens, 0);
  size_t t = tokens, r = rows;
  while (t > 0 && r > 0) {
    begins[t - 1] = r - 1;
    const uint8_t move = step[t * (rows + 1) + r];
    if (move != 2) --t;
    if (move != 1) --r;
  }
  return begins;
}

}  // namespace

std::vector<Word> JoinWords(std::span<const text::TokenId> tokens, std::span<const float> logprobs,
                            const text::ByteTokens& table, std::vector<size_t>& first_token) {
  std::vector<std::string> raw;
  std::vector<size_t> first;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view bytes = table.bytes(tokens[i]);
    const bool opens = bytes.starts_with(' ') || raw.empty();
    // A dash or a quote that stands alone belongs to the word after it.
    const bool joins = !raw.empty() && !HoldsLetter(raw.back());
    if (opens && !joins) {
      raw.emplace_back(bytes);
      first.push_back(i);
    } else {
      raw.back() += bytes;
    }
  }
  std::vector<Word> words;
  for (size_t w = 0; w < raw.size(); ++w) {
    const size_t end = w + 1 < raw.size() ? first[w + 1] : tokens.size();
    std::string text = Trimmed(raw[w]);
    if (text.empty()) continue;
    if (!HoldsLetter(text) && !words.empty()) {
      words.back().text += text;
      continue;
    }
    float sum = 0;
    for (size_t i = first[w]; i < end; ++i) sum += logprobs[i];
    words.push_back({std::move(text), 0, 0, sum / static_cast<float>(end - first[w])});
    first_token.push_back(first[w]);
  }
  return words;
}

std::vector<Word> TimeWords(std::span<const text::TokenId> tokens, std::span<const float> logprobs,
                            const text::ByteTokens& table, const Attention& attention) {
  std::vector<size_t> first_token;
  std::vector<Word> words = JoinWords(tokens, logprobs, table, first_token);
  const size_t lines = tokens.size() + 1;
  if (words.empty() || attention.audio_rows < 2) return words;
  const std::vector<size_t> begins = Warp(Prepare(attention, lines), lines, attention.audio_rows);
  for (size_t w = 0; w < words.size(); ++w) {
    const size_t after = w + 1 < words.size() ? first_token[w + 1] : tokens.size();
    words[w].start = static_cast<double>(begins[first_token[w]]) * kRowSeconds;
    words[w].end = static_cast<double>(std::max(begins[after], begins[first_token[w]] + 1)) * kRowSeconds;
  }
  return words;
}

void ClampToSpeech(std::vector<Word>& words, std::span<const Span> speech) {
  if (speech.empty()) return;
  double floor = 0;
  for (Word& word : words) {
    // The span that overlaps the word most, or else the nearest.
    const Span* best = &speech.front();
    double most = -std::numeric_limits<double>::infinity();
    for (const Span& span : speech) {
      const double shared = std::min(word.end, span.end) - std::max(word.start, span.start);
      if (shared > most) {
        most = shared;
        best = &span;
      }
    }
    const bool start_in_silence = std::none_of(speech.begin(), speech.end(), [&](const Span& span) {
      return word.start >= span.start && word.start < span.end;
    });
    const bool end_in_silence = std::none_of(speech.begin(), speech.end(), [&](const Span& span) {
      return word.end > span.start && word.end <= span.end;
    });
    if (start_in_silence)
      word.start = best->start > word.start ? best->start : std::max(best->start, best->end - 0.1);
    if (end_in_silence) word.end = best->end;
    word.start = std::max(word.start, floor);
    word.end = std::max(word.end, word.start + kShortestWordS);
    floor = word.end;
  }
}

std::string TextOf(std::span<const Word> words) {
  std::string text;
  for (const Word& word : words) {
    if (!text.empty()) text += ' ';
    text += word.text;
  }
  return text;
}

}  // namespace trunkline::asr
