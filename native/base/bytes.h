// Views over bytes and little-endian records in them. Every packed layout of the boundary is little-endian.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace trunkline::base {

static_assert(std::endian::native == std::endian::little, "packed layouts are written as they lie in memory");

using ByteView = std::span<const uint8_t>;
using MutableBytes = std::span<uint8_t>;

inline ByteView AsBytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

template <typename T>
ByteView AsBytes(std::span<const T> items) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const uint8_t*>(items.data()), items.size_bytes()};
}

inline std::string_view AsText(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

constexpr size_t AlignUp(size_t value, size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// The caller has checked the bounds.
template <typename T>
T Load(const uint8_t* at) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <typename T>
void Store(uint8_t* at, T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::memcpy(at, &value, sizeof(T));
}

// The values one after the other without padding, as a record of the boundary lays them out.
template <typename... T>
std::array<uint8_t, (sizeof(T) + ...)> Packed(T... values) {
  std::array<uint8_t, (sizeof(T) + ...)> bytes;
  size_t at = 0;
  ((Store(bytes.data() + at, values), at += sizeof(T)), ...);
  return bytes;
}

// Reads records from untrusted bytes. After a read beyond the end every later read gives zero and ok() is
// false, so that the caller checks once, at the end.
class ByteReader {
 public:
  explicit ByteReader(ByteView bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  size_t position() const { return position_; }
  size_t remaining() const { return bytes_.size() - position_; }

  template <typename T>
  T Read() {
    if (!Has(sizeof(T))) return T{};
    T value = Load<T>(bytes_.data() + position_);
    position_ += sizeof(T);
    return value;
  }

  ByteView ReadBytes(size_t count) {
    if (!Has(count)) return {};
    ByteView view = bytes_.subspan(position_, count);
    position_ += count;
    return view;
  }

  void Align(size_t alignment) { ReadBytes(AlignUp(position_, alignment) - position_); }

 private:
  bool Has(size_t count) {
    if (count > remaining()) ok_ = false;
    return ok_;
  }

  ByteView bytes_;
  size_t position_ = 0;
  bool ok_ = true;
};

// Writes records into memory of fixed size. A record that does not fit leaves the memory unchanged and ok()
// false.
class ByteWriter {
 public:
  explicit ByteWriter(MutableBytes bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  size_t position() const { return position_; }
  size_t remaining() const { return bytes_.size() - position_; }

  template <typename T>
  void Write(T value) {
    if (!Has(sizeof(T))) return;
    Store(bytes_.data() + position_, value);
    position_ += sizeof(T);
  }

  void WriteBytes(ByteView view) {
    if (!Has(view.size())) return;
    if (!view.empty()) std::memcpy(bytes_.data() + position_, view.data(), view.size());
    position_ += view.size();
  }

  void Align(size_t alignment) {
    while (ok_ && position_ % alignment != 0) Write<uint8_t>(0);
  }

 private:
  bool Has(size_t count) {
    if (count > remaining()) ok_ = false;
    return ok_;
  }

  MutableBytes bytes_;
  size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace trunkline::base
