// Tensors: views over memory that the caller owns, or memory that the runtime owns.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/status.h"
#include "onnx/handle.h"
#include "onnx/runtime.h"

namespace trunkline::onnx {

// The numbers are ONNX's own.
enum class ElementType : int {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
};

// Half-precision numbers are passed as their bits.
struct Half {
  uint16_t bits;
};

template <typename T>
inline constexpr ElementType kElementOf = ElementType::kUndefined;
template <>
inline constexpr ElementType kElementOf<float> = ElementType::kFloat;
template <>
inline constexpr ElementType kElementOf<uint8_t> = ElementType::kUint8;
template <>
inline constexpr ElementType kElementOf<int8_t> = ElementType::kInt8;
template <>
inline constexpr ElementType kElementOf<int16_t> = ElementType::kInt16;
template <>
inline constexpr ElementType kElementOf<int32_t> = ElementType::kInt32;
template <>
inline constexpr ElementType kElementOf<int64_t> = ElementType::kInt64;
template <>
inline constexpr ElementType kElementOf<bool> = ElementType::kBool;
template <>
inline constexpr ElementType kElementOf<Half> = ElementType::kFloat16;
template <>
inline constexpr ElementType kElementOf<double> = ElementType::kDouble;

size_t ElementSize(ElementType type);

// A tensor can be moved and not copied. It must not outlive its Runtime, nor (for a view) the
// memory under it.
class Tensor {
 public:
  // An empty tensor as an output of Session::Run is allocated by the runtime.
  Tensor() = default;

  // A view over `data`, whose size must be exactly that of `shape`. An empty shape is a scalar.
  template <typename T>
  static base::Result<Tensor> View(const Runtime& runtime, std::span<T> data,
                                   std::span<const int64_t> shape) {
    using Element = std::remove_const_t<T>;
    static_assert(kElementOf<Element> != ElementType::kUndefined, "not an element of a tensor");
    return ViewRaw(runtime, kElementOf<Element>, const_cast<Element*>(data.data()), data.size(), shape);
  }

  // Memory owned by the runtime, not cleared.
  static base::Result<Tensor> Allocate(const Runtime& runtime, ElementType type,
                                       std::span<const int64_t> shape);

  explicit operator bool() const { return static_cast<bool>(value_); }
  ElementType type() const;
  std::vector<int64_t> shape() const;
  size_t size() const;

  // The elements on the CPU; empty when the tensor is empty or holds another type.
  template <typename T>
  std::span<T> data() const {
    if (!value_ || type() != kElementOf<std::remove_const_t<T>>) return {};
    return {static_cast<T*>(DataRaw()), size()};
  }

  OrtValue* get() const { return value_.get(); }

 private:
  friend class Session;
  friend class IoBinding;
  friend class DeviceMemory;
  explicit Tensor(Handle<OrtValue> value) : value_(std::move(value)) {}
  static base::Result<Tensor> ViewRaw(const Runtime& runtime, ElementType type, void* data, size_t count,
                                      std::span<const int64_t> shape);
  void* DataRaw() const;

  Handle<OrtValue> value_;
};

}  // namespace trunkline::onnx
