#include "onnx/tensor.h"

#include "onnx/abi_call.h"

namespace trunkline::onnx {

using base::Code;
using base::Result;
using base::Status;

namespace {

Result<size_t> CountElements(std::span<const int64_t> shape) {
  size_t count = 1;
  for (int64_t dimension : shape) {
    if (dimension < 0) return Status(Code::kInvalidArgument, "a dimension of a tensor is negative");
    if (__builtin_mul_overflow(count, static_cast<size_t>(dimension), &count)) {
      return Status(Code::kInvalidArgument, "the shape of a tensor is too large");
    }
  }
  return count;
}

Handle<OrtTensorTypeAndShapeInfo> Describe(const Handle<OrtValue>& value) {
  OrtTensorTypeAndShapeInfo* info = nullptr;
  Drop(*value.api(), value.api()->GetTensorTypeAndShape(value.get(), &info));
  return {value.api(), info};
}

}  // namespace

size_t ElementSize(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
    case ElementType::kInt8:
    case ElementType::kBool:
      return 1;
    case ElementType::kUint16:
    case ElementType::kInt16:
    case ElementType::kFloat16:
      return 2;
    case ElementType::kFloat:
    case ElementType::kInt32:
      return 4;
    case ElementType::kInt64:
    case ElementType::kDouble:
      return 8;
    case ElementType::kUndefined:
    case ElementType::kString:
      return 0;
  }
  return 0;
}

Result<Tensor> Tensor::ViewRaw(const Runtime& runtime, ElementType type, void* data, size_t count,
                               std::span<const int64_t> shape) {
  TRUNKLINE_ASSIGN_OR_RETURN(const size_t expected, CountElements(shape));
  if (expected != count) {
    return Status(Code::kInvalidArgument,
                  "a tensor of " + std::to_string(expected) + " elements was given " + std::to_string(count));
  }
  static int64_t nothing = 0;  // the runtime refuses a null pointer even where there is no element
  const OrtApi& api = runtime.api();
  OrtValue* value = nullptr;
  TRUNKLINE_RETURN_IF_FAILED(
      Take(api,
           api.CreateTensorWithDataAsOrtValue(runtime.cpu_memory(), data == nullptr ? &nothing : data,
                                              count * ElementSize(type), shape.data(), shape.size(),
                                              static_cast<ONNXTensorElementDataType>(type), &value),
           Code::kInvalidArgument, "tensor"));
  return Tensor(Handle<OrtValue>(&api, value));
}

Result<Tensor> Tensor::Allocate(const Runtime& runtime, ElementType type, std::span<const int64_t> shape) {
  TRUNKLINE_ASSIGN_OR_RETURN([[maybe_unused]] const size_t count, CountElements(shape));
  if (ElementSize(type) == 0)
    return Status(Code::kInvalidArgument, "a tensor of this type cannot be allocated");
  const OrtApi& api = runtime.api();
  OrtAllocator* allocator = nullptr;
  TRUNKLINE_RETURN_IF_FAILED(
      Take(api, api.GetAllocatorWithDefaultOptions(&allocator), Code::kInternal, "allocator"));
  OrtValue* value = nullptr;
  TRUNKLINE_RETURN_IF_FAILED(
      Take(api,
           api.CreateTensorAsOrtValue(allocator, shape.data(), shape.size(),
                                      static_cast<ONNXTensorElementDataType>(type), &value),
           Code::kOutOfMemory, "tensor"));
  return Tensor(Handle<OrtValue>(&api, value));
}

ElementType Tensor::type() const {
  if (!value_) return ElementType::kUndefined;
  const auto info = Describe(value_);
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  if (info) Drop(*value_.api(), value_.api()->GetTensorElementType(info.get(), &type));
  return static_cast<ElementType>(type);
}

std::vector<int64_t> Tensor::shape() const {
  if (!value_) return {};
  const auto info = Describe(value_);
  size_t rank = 0;
  if (!info) return {};
  Drop(*value_.api(), value_.api()->GetDimensionsCount(info.get(), &rank));
  std::vector<int64_t> dimensions(rank);
  Drop(*value_.api(), value_.api()->GetDimensions(info.get(), dimensions.data(), rank));
  return dimensions;
}

size_t Tensor::size() const {
  if (!value_) return 0;
  const auto info = Describe(value_);
  size_t count = 0;
  if (info) Drop(*value_.api(), value_.api()->GetTensorShapeElementCount(info.get(), &count));
  return count;
}

void* Tensor::DataRaw() const {
  void* data = nullptr;
  Drop(*value_.api(), value_.api()->GetTensorMutableData(value_.get(), &data));
  return data;
}

}  // namespace trunkline::onnx
