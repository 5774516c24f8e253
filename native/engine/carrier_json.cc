#include "engine/carrier_json.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

#include "engine/base64.h"

namespace trunkline::engine {

using base::Code;

namespace {

constexpr int kMaxDepth = 16;

// Walks a JSON text once. It checks the structure that it walks over, but not every rule of JSON: numbers and
// literals are any run of their characters.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool ok() const { return ok_; }
  bool AtEnd() {
    Space();
    return at_ == text_.size();
  }

  // Calls `member(key)` with the scanner before each member's value; `member` takes the value.
  template <typename Member>
  void Object(Member member) {
    if (!Expect('{')) return;
    if (Take('}')) return;
    do {
      const std::string_view key = String();
      if (!Expect(':')) return;
      member(key);
    } while (ok_ && Take(','));
    Expect('}');
  }

  // Returns the characters between the quotes, escapes unchanged.
  std::string_view String() {
    if (!Expect('"')) return {};
    const size_t start = at_;
    for (;;) {
      const size_t quote = text_.find_first_of("\"\\", at_);
      if (quote == std::string_view::npos) return Fail();
      at_ = quote + 1;
      if (text_[quote] == '"') return text_.substr(start, quote - start);
      if (at_ == text_.size()) return Fail();
      ++at_;
    }
  }

  // A whole number, with or without quotes, since carriers write both. Another value is skipped.
  std::optional<int64_t> WholeNumberOrSkip() {
    Space();
    const size_t start = at_;
    Skip(0);
    std::string_view text = text_.substr(start, at_ - start);
    if (text.size() > 1 && text.front() == '"') text = text.substr(1, text.size() - 2);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!ok_ || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }

  std::string_view StringOrSkip() {
    Space();
    if (at_ < text_.size() && text_[at_] == '"') return String();
    Skip(0);
    return {};
  }

  void Skip(int depth) {
    Space();
    if (at_ == text_.size() || depth > kMaxDepth) {
      Fail();
      return;
    }
    const char first = text_[at_];
    if (first == '"') {
      String();
    } else if (first == '{') {
      Object([&](std::string_view) { Skip(depth + 1); });
    } else if (first == '[') {
      Array(depth);
    } else {
      Scalar();
    }
  }

 private:
  void Array(int depth) {
    Expect('[');
    if (Take(']')) return;
    do {
      Skip(depth + 1);
    } while (ok_ && Take(','));
    Expect(']');
  }

  void Scalar() {
    const size_t start = at_;
    while (at_ < text_.size() && IsScalar(text_[at_])) ++at_;
    if (at_ == start) Fail();
  }

  static bool IsScalar(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' || c == 'E';
  }

  void Space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  bool Take(char wanted) {
    Space();
    if (!ok_ || at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  bool Expect(char wanted) {
    if (!Take(wanted)) Fail();
    return ok_;
  }

  std::string_view Fail() {
    ok_ = false;
    at_ = text_.size();
    return {};
  }

  std::string_view text_;
  size_t at_ = 0;
  bool ok_ = true;
};

// Base64 needs no escape, but "\/" and "\u002b" are valid JSON. Returns the text without escapes, in
// `memory`; empty when an escape stands for a character outside of base64.
std::string_view Unescape(std::string_view text, std::array<char, kMaxCarrierAudio / 3 * 4 + 4>& memory) {
  if (text.find('\\') == std::string_view::npos) return text;
  size_t size = 0;
  for (size_t i = 0; i < text.size() && size < memory.size(); ++i) {
    char c = text[i];
    if (c == '\\') {
      c = text[++i];
      if (c == 'u') {
        unsigned code = 0;
        if (i + 5 > text.size() || std::sscanf(std::string(text.substr(i + 1, 4)).c_str(), "%4x", &code) != 1)
          return "\\";
        c = code < 128 ? static_cast<char>(code) : '\\';
        i += 4;
      } else if (c != '/') {
        return "\\";
      }
    }
    memory[size++] = c;
  }
  return {memory.data(), size};
}

}  // namespace

Code DecodeCarrierMedia(base::ByteView message, base::MutableBytes audio, CarrierMedia& media) {
  media = {};
  std::string_view event, track, payload;
  Scanner scanner(base::AsText(message));
  scanner.Object([&](std::string_view key) {
    if (key == "event") {
      event = scanner.StringOrSkip();
    } else if (key == "media") {
      scanner.Object([&](std::string_view inner) {
        if (inner == "track") {
          track = scanner.StringOrSkip();
        } else if (inner == "payload") {
          payload = scanner.StringOrSkip();
        } else if (inner == "timestamp") {
          media.timestamp_ms = scanner.WholeNumberOrSkip();
        } else {
          scanner.Skip(1);
        }
      });
    } else {
      scanner.Skip(0);
    }
  });
  if (!scanner.ok() || !scanner.AtEnd()) return Code::kBadMessage;
  if (event != "media" || track == "outbound") return Code::kNotMedia;
  std::array<char, kMaxCarrierAudio / 3 * 4 + 4>
      memory;  // is not cleared, because only an escaped payload uses it
  const auto decoded = DecodeBase64(Unescape(payload, memory), audio);
  if (!decoded) return Code::kBadMessage;
  media.size = *decoded;
  return Code::kOk;
}

}  // namespace trunkline::engine
