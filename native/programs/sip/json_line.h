// Lines of JSON between this program and the server: flat objects of texts and numbers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace trunkline::sip {

using Fields = std::map<std::string, std::string>;

// Returns the fields of a flat object, with numbers and booleans as written, or nothing for any other text.
std::optional<Fields> ReadLine(std::string_view line);

// One line to the server.
class Line {
 public:
  explicit Line(std::string_view event) { Text("event", event); }
  Line& Text(std::string_view key, std::string_view value);
  Line& Number(std::string_view key, long value);
  // Omits a null value.
  Line& Text(std::string_view key, const char* value) {
    return value == nullptr ? *this : Text(key, std::string_view(value));
  }
  // Writes the line to standard output, whole or not at all.
  void Send();

 private:
  void Key(std::string_view key);
  std::string text_ = "{";
};

}  // namespace trunkline::sip
