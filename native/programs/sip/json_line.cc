#include "programs/sip/json_line.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace trunkline::sip {
namespace {

// Reads one flat object, character by character; `ok` becomes false at the first unexpected one.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::optional<Fields> Object() {
    Fields fields;
    Expect('{');
    if (!Take('}')) {
      do {
        const std::string key = String();
        Expect(':');
        fields[key] = Value();
      } while (ok_ && Take(','));
      Expect('}');
    }
    Space();
    if (!ok_ || at_ != text_.size()) return std::nullopt;
    return fields;
  }

 private:
  void Space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  bool Take(char wanted) {
    Space();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void Expect(char wanted) { ok_ = Take(wanted) && ok_; }

  std::string Value() {
    Space();
    if (at_ < text_.size() && text_[at_] == '"') return String();
    const size_t from = at_;
    while (at_ < text_.size() &&
           std::string_view("+-.0123456789abcdefghijklmnopqrstuvwxyzE").find(text_[at_]) !=
               std::string_view::npos) {
      ++at_;
    }
    ok_ = ok_ && at_ > from;
    return std::string(text_.substr(from, at_ - from));
  }

  std::string String() {
    std::string value;
    Expect('"');
    while (ok_ && at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\')
        value += text_[at_++];
      else
        Escape(value);
    }
    Expect('"');
    return value;
  }

  void Escape(std::string& value) {
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    if (++at_ >= text_.size()) {
      ok_ = false;
    } else if (const size_t known = kNames.find(text_[at_]); known != std::string_view::npos) {
      value += kMeanings[known];
      ++at_;
    } else if (text_[at_] == 'u' && at_ + 5 <= text_.size()) {
      Encode(static_cast<unsigned>(std::strtoul(std::string(text_.substr(at_ + 1, 4)).c_str(), nullptr, 16)),
             value);
      at_ += 5;
    } else {
      ok_ = false;
    }
  }

  static void Encode(unsigned code, std::string& value) {
    if (code < 0x80) {
      value += static_cast<char>(code);
    } else if (code < 0x800) {
      value += static_cast<char>(0xc0 | code >> 6);
      value += static_cast<char>(0x80 | (code & 0x3f));
    } else {
      value += static_cast<char>(0xe0 | code >> 12);
      value += static_cast<char>(0x80 | (code >> 6 & 0x3f));
      value += static_cast<char>(0x80 | (code & 0x3f));
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  bool ok_ = true;
};

void Quote(std::string_view value, std::string& out) {
  out += '"';
  for (const char character : value) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += character;
    } else if (byte < 0x20 || byte >= 0x7f) {
      // Escapes byte by byte: SIP is Latin-1 or UTF-8 as its sender likes, and the server need not guess.
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", byte);
      out += escaped;
    } else {
      out += character;
    }
  }
  out += '"';
}

}  // namespace

std::optional<Fields> ReadLine(std::string_view line) {
  return Reader(line).Object();
}

void Line::Key(std::string_view key) {
  if (text_.size() > 1) text_ += ',';
  Quote(key, text_);
  text_ += ':';
}

Line& Line::Text(std::string_view key, std::string_view value) {
  Key(key);
  Quote(value, text_);
  return *this;
}

Line& Line::Number(std::string_view key, long value) {
  Key(key);
  text_ += std::to_string(value);
  return *this;
}

void Line::Send() {
  text_ += "}\n";
  for (std::string_view left = text_; !left.empty();) {
    const ssize_t written = write(STDOUT_FILENO, left.data(), left.size());
    if (written <= 0) std::exit(1);  // the server is gone: so are its calls
    left.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace trunkline::sip
