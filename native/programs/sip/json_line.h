// Lines of JSON between this program and the server: flat objects of texts and numbers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace trunkline::sip {

using Fields = std::map<std::string, std::string>;

// The fields of a flat object, numbers and truth values as they were written. Nothing for any other text.
std::optional<Fields> ReadLine(std::string_view line);

// One line to the server.
class Line {
 public:
  explicit Line(std::string_view event) { Text("event", event); }
  Line& Text(std::string_view key, std::string_view value);
  Line& Number(std::string_view key, long value);
  // Leaves out what is not there.
  Line& Text(std::string_view key, const char* value) {
    return value == nullptr ? *this : Text(key, std::string_view(value));
  }
  // Whole, or not at all: written to standard output.
  void Send();

 private:
  void Key(std::string_view key);
  std::string text_ = "{";
};

}  // namespace trunkline::sip
