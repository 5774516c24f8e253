// Options as they cross the boundary: flat, named values, checked by TypeScript, packed into bytes. Native
// re-checks only that the bytes are well formed, and each lane what its own memory safety needs.
//
//   entry   u8 length of the key, the key, u8 type, u32 size, `size` bytes, one after the other without
//   padding
//   types   1 number (f64)   2 text (UTF-8)   3 bytes   4 list of texts (each u32 size, then the bytes)
#pragma once

#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/status.h"

namespace trunkline::engine {

// A view that the bytes must outlive. It never allocates, so it may be read on the realtime path.
class Options {
 public:
  Options() = default;
  // Returns kInvalidArgument unless the bytes are entries from end to end.
  static base::Result<Options> Parse(base::ByteView bytes);

  std::optional<double> Number(std::string_view key) const;
  double Number(std::string_view key, double otherwise) const { return Number(key).value_or(otherwise); }
  bool Flag(std::string_view key, bool otherwise = false) const {
    return Number(key, otherwise ? 1 : 0) != 0;
  }
  // Clamps into [low, high]; returns `otherwise` when the value is absent or not a number.
  int64_t Integer(std::string_view key, int64_t otherwise, int64_t low, int64_t high) const;
  // Returns an empty text when it is absent.
  std::string_view Text(std::string_view key) const;
  base::ByteView Bytes(std::string_view key) const;
  bool Has(std::string_view key) const;

  // Calls `take(std::string_view)` for each text of a list.
  template <typename Take>
  void EachText(std::string_view key, Take take) const {
    base::ByteReader reader(Find(key, kList).value_or(base::ByteView()));
    while (reader.remaining() > 0) {
      const auto text = reader.ReadBytes(reader.Read<uint32_t>());
      if (!reader.ok()) return;
      take(base::AsText(text));
    }
  }

  base::ByteView packed() const { return bytes_; }

 private:
  enum Type : uint8_t { kNumber = 1, kText = 2, kBytes = 3, kList = 4 };
  explicit Options(base::ByteView bytes) : bytes_(bytes) {}
  std::optional<base::ByteView> Find(std::string_view key, Type type) const;

  base::ByteView bytes_;
};

// Packs options; for tests, and for callers without Node.
class OptionsBuilder {
 public:
  OptionsBuilder& Number(std::string_view key, double value);
  OptionsBuilder& Text(std::string_view key, std::string_view value);
  OptionsBuilder& Bytes(std::string_view key, base::ByteView value);
  OptionsBuilder& List(std::string_view key, std::initializer_list<std::string_view> values);
  base::ByteView packed() const { return base::AsBytes(std::string_view(bytes_)); }

 private:
  void Entry(std::string_view key, uint8_t type, std::string_view value);
  std::string bytes_;
};

}  // namespace trunkline::engine
