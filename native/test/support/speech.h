// The recordings that tests read: WAV files of real voices beside the checkout, and how to score words.
#pragma once

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "test/support/files.h"

namespace trunkline::test {

// TRUNKLINE_SPEECH, or the folder beside the checkout.
inline std::string Recording(const std::string& name) {
  return Environment("TRUNKLINE_SPEECH", std::string(TRUNKLINE_ROOT) + "/../shared/speech") + "/" + name;
}

struct Recorded {
  int rate = 0;
  std::vector<float> samples;
};

// PCM16 WAV, its channels averaged; anything else gives no samples.
inline Recorded ReadWav(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto number = [&](size_t at, size_t size) {
    uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, size);
    return value;
  };
  Recorded out;
  size_t channels = 1;
  for (size_t at = 12; at + 8 <= bytes.size();) {
    const std::string name = bytes.substr(at, 4);
    const size_t size = std::min<size_t>(number(at + 4, 4), bytes.size() - at - 8);
    if (name == "fmt ") {
      if (number(at + 8, 2) != 1 || number(at + 22, 2) != 16) return {};
      channels = number(at + 10, 2);
      out.rate = static_cast<int>(number(at + 12, 4));
    } else if (name == "data") {
      for (size_t i = 0; i + 2 * channels <= size; i += 2 * channels) {
        float sum = 0;
        for (size_t c = 0; c < channels; ++c) sum += static_cast<int16_t>(number(at + 8 + i + 2 * c, 2));
        out.samples.push_back(sum / static_cast<float>(channels) / 32768.0f);
      }
    }
    at += 8 + size + size % 2;
  }
  return out;
}

// At another rate by a windowed sinc, slowly and well.
inline std::vector<float> Resampled(const Recorded& recorded, int rate) {
  if (recorded.rate == rate || recorded.rate == 0) return recorded.samples;
  const double ratio = static_cast<double>(recorded.rate) / rate, cut = std::min(1.0, 1.0 / ratio) * 0.95;
  const int margin = static_cast<int>(24 / cut);
  std::vector<float> out(static_cast<size_t>(static_cast<double>(recorded.samples.size()) / ratio));
  for (size_t i = 0; i < out.size(); ++i) {
    const double at = static_cast<double>(i) * ratio;
    double sum = 0;
    for (int k = static_cast<int>(at) - margin; k <= static_cast<int>(at) + margin + 1; ++k) {
      if (k < 0 || static_cast<size_t>(k) >= recorded.samples.size()) continue;
      const double x = at - k, angle = std::numbers::pi * x * cut;
      const double sinc = std::abs(x) < 1e-9 ? 1 : std::sin(angle) / angle;
      const double window = 0.5 + 0.5 * std::cos(std::numbers::pi * x / (margin + 2));
      sum += recorded.samples[static_cast<size_t>(k)] * sinc * window * cut;
    }
    out[i] = static_cast<float>(sum);
  }
  return out;
}

// Lower case, marks of ASCII removed, split at spaces and hyphens.
inline std::vector<std::string> ScoredWords(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(word);
    word.clear();
  };
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ' || c == '-' || c == '\n') {
      end_word();
    } else if (byte >= 0x80 || std::isalnum(byte) || c == '\'') {
      word += static_cast<char>(std::tolower(byte));
    }
  }
  end_word();
  return words;
}

// Substitutions, insertions and deletions that turn one into the other.
inline size_t WordErrors(const std::vector<std::string>& expected, const std::vector<std::string>& heard) {
  std::vector<size_t> row(heard.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= expected.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= heard.size(); ++j) {
      const size_t best =
          std::min({row[j] + 1, row[j - 1] + 1, diagonal + (expected[i - 1] != heard[j - 1])});
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[heard.size()];
}

struct Clip {
  std::string path, language, text;
};

// Lines of the manifest beside the recordings whose text is exact and whose voice is real.
inline std::vector<Clip> Clips(const std::string& prefix, const std::string& language) {
  std::ifstream file(Recording("manifest.jsonl"));
  std::vector<Clip> clips;
  for (std::string line; std::getline(file, line);) {
    const auto field = [&](const std::string& name) {
      const std::string key = "\"" + name + "\": \"";
      const size_t at = line.find(key);
      if (at == std::string::npos) return std::string();
      const size_t first = at + key.size();
      return line.substr(first, line.find('"', first) - first);
    };
    if (!field("path").starts_with(prefix) || field("lang") != language) continue;
    if (field("text_quality") != "exact" || line.find("\"synthetic\": true") != std::string::npos) continue;
    clips.push_back({field("path"), language, field("text")});
  }
  return clips;
}

// Computes the word error rate.
inline double ErrorRate(const std::string& expected, const std::string& heard) {
  const auto words = ScoredWords(expected);
  return static_cast<double>(WordErrors(words, ScoredWords(heard))) / static_cast<double>(words.size());
}

}  // namespace trunkline::test

#define TRUNKLINE_NEED_SPEECH() TRUNKLINE_NEED_FILE(::trunkline::test::Recording("manifest.jsonl"))
