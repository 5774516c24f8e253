// Validates UTF-8 that comes piece by piece.
#pragma once

#include <cstdint>

namespace trunkline::guard {

class Utf8 {
 public:
  void Take(uint8_t byte) {
    if (left_ > 0) return Continue(byte);
    if (byte < 0x80) return;
    low_ = 0x80;
    high_ = 0xbf;
    if (byte >= 0xc2 && byte <= 0xdf) {
      left_ = 1;
    } else if (byte >= 0xe0 && byte <= 0xef) {
      left_ = 2;
      if (byte == 0xe0) low_ = 0xa0;
      if (byte == 0xed) high_ = 0x9f;
    } else if (byte >= 0xf0 && byte <= 0xf4) {
      left_ = 3;
      if (byte == 0xf0) low_ = 0x90;
      if (byte == 0xf4) high_ = 0x8f;
    } else {
      good_ = false;
    }
  }

  // Returns whether no character is incomplete and every one is allowed.
  bool Whole() const { return good_ && left_ == 0; }

 private:
  void Continue(uint8_t byte) {
    good_ = good_ && byte >= low_ && byte <= high_;
    low_ = 0x80;
    high_ = 0xbf;
    --left_;
  }

  int left_ = 0;
  uint8_t low_ = 0x80;
  uint8_t high_ = 0xbf;
  bool good_ = true;
};

}  // namespace trunkline::guard
