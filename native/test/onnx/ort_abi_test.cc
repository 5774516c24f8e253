// Every index of the table, as the public documentation of the C interface gives it.
#include "onnx/ort_abi.h"

#include <gtest/gtest.h>

namespace {

#define EXPECT_INDEX(function, index) \
  EXPECT_EQ(offsetof(OrtApi, function), (index) * sizeof(void*)) << #function

TEST(OrtAbi, BasicsAndSessions) {
  EXPECT_INDEX(CreateStatus, 0u);
  EXPECT_INDEX(GetErrorCode, 1u);
  EXPECT_INDEX(GetErrorMessage, 2u);
  EXPECT_INDEX(CreateEnv, 3u);
  EXPECT_INDEX(CreateSession, 7u);
  EXPECT_INDEX(CreateSessionFromArray, 8u);
  EXPECT_INDEX(Run, 9u);
  EXPECT_INDEX(CreateSessionOptions, 10u);
  EXPECT_INDEX(SetSessionExecutionMode, 13u);
  EXPECT_INDEX(DisableMemPattern, 17u);
  EXPECT_INDEX(EnableCpuMemArena, 18u);
  EXPECT_INDEX(DisableCpuMemArena, 19u);
  EXPECT_INDEX(SetSessionLogSeverityLevel, 22u);
  EXPECT_INDEX(SetSessionGraphOptimizationLevel, 23u);
  EXPECT_INDEX(SetIntraOpNumThreads, 24u);
  EXPECT_INDEX(SetInterOpNumThreads, 25u);
  EXPECT_INDEX(SessionGetInputCount, 30u);
  EXPECT_INDEX(SessionGetOutputCount, 31u);
  EXPECT_INDEX(SessionGetInputTypeInfo, 33u);
  EXPECT_INDEX(SessionGetOutputTypeInfo, 34u);
  EXPECT_INDEX(SessionGetInputName, 36u);
  EXPECT_INDEX(SessionGetOutputName, 37u);
  EXPECT_INDEX(CreateRunOptions, 39u);
  EXPECT_INDEX(RunOptionsSetTerminate, 46u);
  EXPECT_INDEX(RunOptionsUnsetTerminate, 47u);
}

TEST(OrtAbi, Tensors) {
  EXPECT_INDEX(CreateTensorAsOrtValue, 48u);
  EXPECT_INDEX(CreateTensorWithDataAsOrtValue, 49u);
  EXPECT_INDEX(GetTensorMutableData, 51u);
  EXPECT_INDEX(CastTypeInfoToTensorInfo, 55u);
  EXPECT_INDEX(GetTensorElementType, 60u);
  EXPECT_INDEX(GetDimensionsCount, 61u);
  EXPECT_INDEX(GetDimensions, 62u);
  EXPECT_INDEX(GetTensorShapeElementCount, 64u);
  EXPECT_INDEX(GetTensorTypeAndShape, 65u);
  EXPECT_INDEX(CreateMemoryInfo, 68u);
  EXPECT_INDEX(CreateCpuMemoryInfo, 69u);
  EXPECT_INDEX(AllocatorFree, 76u);
  EXPECT_INDEX(GetAllocatorWithDefaultOptions, 78u);
}

TEST(OrtAbi, Releases) {
  EXPECT_INDEX(ReleaseEnv, 92u);
  EXPECT_INDEX(ReleaseStatus, 93u);
  EXPECT_INDEX(ReleaseMemoryInfo, 94u);
  EXPECT_INDEX(ReleaseSession, 95u);
  EXPECT_INDEX(ReleaseValue, 96u);
  EXPECT_INDEX(ReleaseRunOptions, 97u);
  EXPECT_INDEX(ReleaseTypeInfo, 98u);
  EXPECT_INDEX(ReleaseTensorTypeAndShapeInfo, 99u);
  EXPECT_INDEX(ReleaseSessionOptions, 100u);
  EXPECT_INDEX(ReleaseAllocator, 132u);
}

TEST(OrtAbi, ThreadsBindingsAndProviders) {
  EXPECT_INDEX(CreateEnvWithGlobalThreadPools, 119u);
  EXPECT_INDEX(DisablePerSessionThreads, 120u);
  EXPECT_INDEX(CreateThreadingOptions, 121u);
  EXPECT_INDEX(ReleaseThreadingOptions, 122u);
  EXPECT_INDEX(GetAvailableProviders, 125u);
  EXPECT_INDEX(ReleaseAvailableProviders, 126u);
  EXPECT_INDEX(AddSessionConfigEntry, 130u);
  EXPECT_INDEX(CreateAllocator, 131u);
  EXPECT_INDEX(RunWithBinding, 133u);
  EXPECT_INDEX(CreateIoBinding, 134u);
  EXPECT_INDEX(ReleaseIoBinding, 135u);
  EXPECT_INDEX(BindInput, 136u);
  EXPECT_INDEX(BindOutput, 137u);
  EXPECT_INDEX(BindOutputToDevice, 138u);
  EXPECT_INDEX(GetBoundOutputValues, 140u);
  EXPECT_INDEX(ClearBoundInputs, 141u);
  EXPECT_INDEX(ClearBoundOutputs, 142u);
  EXPECT_INDEX(SetGlobalIntraOpNumThreads, 147u);
  EXPECT_INDEX(SetGlobalSpinControl, 149u);
  EXPECT_INDEX(CreateEnvWithCustomLoggerAndGlobalThreadPools, 151u);
  EXPECT_INDEX(SessionOptionsAppendExecutionProvider_CUDA_V2, 204u);
  EXPECT_INDEX(CreateCUDAProviderOptions, 205u);
  EXPECT_INDEX(UpdateCUDAProviderOptions, 206u);
  EXPECT_INDEX(ReleaseCUDAProviderOptions, 208u);
  EXPECT_INDEX(SessionOptionsAppendExecutionProvider, 216u);
}

}  // namespace
