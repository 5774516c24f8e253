#include "onnx/device_memory.h"

#include <functional>
#include <numeric>

#include "onnx/abi_call.h"

namespace trunkline::onnx {

using base::Code;
using base::Result;
using base::Status;

namespace {

size_t CountOf(std::span<const int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), size_t{1},
                         [](size_t count, int64_t size) { return count * static_cast<size_t>(size); });
}

}  // namespace

Result<std::unique_ptr<DeviceMemory>> DeviceMemory::Of(const Session& session) {
  const OrtApi& api = session.runtime().api();
  TRUNKLINE_ASSIGN_OR_RETURN(Handle<OrtMemoryInfo> info, session.MemoryInfo());
  OrtAllocator* raw = nullptr;
  TRUNKLINE_RETURN_IF_FAILED(
      Take(api, api.CreateAllocator(session.get(), info.get(), &raw), Code::kDevice, "device memory"));
  return std::unique_ptr<DeviceMemory>(new DeviceMemory(std::move(info), Handle<OrtAllocator>(&api, raw)));
}

Result<Tensor> DeviceMemory::Allocate(ElementType type, std::span<const int64_t> shape) const {
  const OrtApi& api = *info_.api();
  OrtValue* value = nullptr;
  TRUNKLINE_RETURN_IF_FAILED(
      Take(api,
           api.CreateTensorAsOrtValue(allocator_.get(), shape.data(), shape.size(),
                                      static_cast<ONNXTensorElementDataType>(type), &value),
           Code::kOutOfMemory, "device memory"));
  return Tensor(Handle<OrtValue>(&api, value));
}

Result<Tensor> DeviceMemory::View(const Tensor& of, size_t first, std::span<const int64_t> shape) const {
  const OrtApi& api = *info_.api();
  const size_t size = ElementSize(of.type()), count = CountOf(shape);
  if (first + count > of.size()) {
    return Status(Code::kInvalidArgument, "a view of device memory is outside of its tensor");
  }
  OrtValue* value = nullptr;
  TRUNKLINE_RETURN_IF_FAILED(
      Take(api,
           api.CreateTensorWithDataAsOrtValue(info_.get(), static_cast<uint8_t*>(of.DataRaw()) + first * size,
                                              count * size, shape.data(), shape.size(),
                                              static_cast<ONNXTensorElementDataType>(of.type()), &value),
           Code::kInternal, "a view of device memory"));
  return Tensor(Handle<OrtValue>(&api, value));
}

}  // namespace trunkline::onnx
