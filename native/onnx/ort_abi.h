// The part of ONNX Runtime's C interface that the engine uses, declared here because no package ships its
// header.
//
// The names, the order and the signatures are those of the public C API documentation, so this one file can
// be replaced by `#include <onnxruntime_c_api.h>` where that header is installed. The function table only
// grows: an index never changes its meaning, and version 17 holds every function named below. Unused
// functions are counted and not declared. Only native/onnx includes this file.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

struct OrtEnv;
struct OrtStatus;
struct OrtMemoryInfo;
struct OrtIoBinding;
struct OrtSession;
struct OrtValue;
struct OrtRunOptions;
struct OrtTypeInfo;
struct OrtTensorTypeAndShapeInfo;
struct OrtSessionOptions;
struct OrtAllocator;
struct OrtThreadingOptions;
struct OrtCUDAProviderOptionsV2;

enum OrtErrorCode : int {
  ORT_OK = 0,
  ORT_FAIL = 1,
  ORT_INVALID_ARGUMENT = 2,
  ORT_NO_SUCHFILE = 3,
  ORT_NO_MODEL = 4,
  ORT_ENGINE_ERROR = 5,
  ORT_RUNTIME_EXCEPTION = 6,
  ORT_INVALID_PROTOBUF = 7,
  ORT_MODEL_LOADED = 8,
  ORT_NOT_IMPLEMENTED = 9,
  ORT_INVALID_GRAPH = 10,
  ORT_EP_FAIL = 11,
};

enum OrtLoggingLevel : int {
  ORT_LOGGING_LEVEL_VERBOSE = 0,
  ORT_LOGGING_LEVEL_INFO = 1,
  ORT_LOGGING_LEVEL_WARNING = 2,
  ORT_LOGGING_LEVEL_ERROR = 3,
  ORT_LOGGING_LEVEL_FATAL = 4,
};

enum ONNXTensorElementDataType : int {
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED = 0,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT = 1,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8 = 2,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8 = 3,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16 = 4,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16 = 5,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32 = 6,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 = 7,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING = 8,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL = 9,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 = 10,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE = 11,
};

enum OrtAllocatorType : int { OrtDeviceAllocator = 0, OrtArenaAllocator = 1 };
enum OrtMemType : int { OrtMemTypeDefault = 0 };
enum ExecutionMode : int { ORT_SEQUENTIAL = 0, ORT_PARALLEL = 1 };
enum GraphOptimizationLevel : int { ORT_DISABLE_ALL = 0, ORT_ENABLE_BASIC = 1, ORT_ENABLE_ALL = 99 };

typedef OrtStatus* OrtStatusPtr;
typedef void (*OrtLoggingFunction)(void* param, OrtLoggingLevel severity, const char* category,
                                   const char* log_id, const char* code_location, const char* message);

struct OrtApi {
  OrtStatusPtr (*CreateStatus)(OrtErrorCode, const char* message);               // 0
  OrtErrorCode (*GetErrorCode)(const OrtStatus*);                                // 1
  const char* (*GetErrorMessage)(const OrtStatus*);                              // 2
  OrtStatusPtr (*CreateEnv)(OrtLoggingLevel, const char* log_id, OrtEnv** out);  // 3
  void* unused_4[2];                                                             // 4-5
  OrtStatusPtr (*DisableTelemetryEvents)(const OrtEnv*);                         // 6
  OrtStatusPtr (*CreateSession)(const OrtEnv*, const char* path, const OrtSessionOptions*,
                                OrtSession**);  // 7
  OrtStatusPtr (*CreateSessionFromArray)(const OrtEnv*, const void* data, size_t size,
                                         const OrtSessionOptions*,
                                         OrtSession**);  // 8
  OrtStatusPtr (*Run)(OrtSession*, const OrtRunOptions*, const char* const* input_names,
                      const OrtValue* const* inputs, size_t input_count, const char* const* output_names,
                      size_t output_count, OrtValue** outputs);                                      // 9
  OrtStatusPtr (*CreateSessionOptions)(OrtSessionOptions**);                                         // 10
  void* unused_11[2];                                                                                // 11-12
  OrtStatusPtr (*SetSessionExecutionMode)(OrtSessionOptions*, ExecutionMode);                        // 13
  void* unused_14[3];                                                                                // 14-16
  OrtStatusPtr (*DisableMemPattern)(OrtSessionOptions*);                                             // 17
  OrtStatusPtr (*EnableCpuMemArena)(OrtSessionOptions*);                                             // 18
  OrtStatusPtr (*DisableCpuMemArena)(OrtSessionOptions*);                                            // 19
  void* unused_20[2];                                                                                // 20-21
  OrtStatusPtr (*SetSessionLogSeverityLevel)(OrtSessionOptions*, int level);                         // 22
  OrtStatusPtr (*SetSessionGraphOptimizationLevel)(OrtSessionOptions*, GraphOptimizationLevel);      // 23
  OrtStatusPtr (*SetIntraOpNumThreads)(OrtSessionOptions*, int threads);                             // 24
  OrtStatusPtr (*SetInterOpNumThreads)(OrtSessionOptions*, int threads);                             // 25
  void* unused_26[4];                                                                                // 26-29
  OrtStatusPtr (*SessionGetInputCount)(const OrtSession*, size_t* out);                              // 30
  OrtStatusPtr (*SessionGetOutputCount)(const OrtSession*, size_t* out);                             // 31
  void* unused_32[1];                                                                                // 32
  OrtStatusPtr (*SessionGetInputTypeInfo)(const OrtSession*, size_t index, OrtTypeInfo**);           // 33
  OrtStatusPtr (*SessionGetOutputTypeInfo)(const OrtSession*, size_t index, OrtTypeInfo**);          // 34
  void* unused_35[1];                                                                                // 35
  OrtStatusPtr (*SessionGetInputName)(const OrtSession*, size_t index, OrtAllocator*, char** out);   // 36
  OrtStatusPtr (*SessionGetOutputName)(const OrtSession*, size_t index, OrtAllocator*, char** out);  // 37
  void* unused_38[1];                                                                                // 38
  OrtStatusPtr (*CreateRunOptions)(OrtRunOptions**);                                                 // 39
  void* unused_40[6];                                                                                // 40-45
  OrtStatusPtr (*RunOptionsSetTerminate)(OrtRunOptions*);                                            // 46
  OrtStatusPtr (*RunOptionsUnsetTerminate)(OrtRunOptions*);                                          // 47
  OrtStatusPtr (*CreateTensorAsOrtValue)(OrtAllocator*, const int64_t* shape, size_t rank,
                                         ONNXTensorElementDataType, OrtValue**);  // 48
  OrtStatusPtr (*CreateTensorWithDataAsOrtValue)(const OrtMemoryInfo*, void* data, size_t bytes,
                                                 const int64_t* shape, size_t rank, ONNXTensorElementDataType,
                                                 OrtValue**);                                       // 49
  void* unused_50[1];                                                                               // 50
  OrtStatusPtr (*GetTensorMutableData)(OrtValue*, void** out);                                      // 51
  void* unused_52[3];                                                                               // 52-54
  OrtStatusPtr (*CastTypeInfoToTensorInfo)(const OrtTypeInfo*, const OrtTensorTypeAndShapeInfo**);  // 55
  void* unused_56[4];                                                                               // 56-59
  OrtStatusPtr (*GetTensorElementType)(const OrtTensorTypeAndShapeInfo*, ONNXTensorElementDataType*);  // 60
  OrtStatusPtr (*GetDimensionsCount)(const OrtTensorTypeAndShapeInfo*, size_t* out);                   // 61
  OrtStatusPtr (*GetDimensions)(const OrtTensorTypeAndShapeInfo*, int64_t* dims, size_t rank);         // 62
  void* unused_63[1];                                                                                  // 63
  OrtStatusPtr (*GetTensorShapeElementCount)(const OrtTensorTypeAndShapeInfo*, size_t* out);           // 64
  OrtStatusPtr (*GetTensorTypeAndShape)(const OrtValue*, OrtTensorTypeAndShapeInfo**);                 // 65
  void* unused_66[2];  // 66-67
  OrtStatusPtr (*CreateMemoryInfo)(const char* name, OrtAllocatorType, int id, OrtMemType,
                                   OrtMemoryInfo**);                                   // 68
  OrtStatusPtr (*CreateCpuMemoryInfo)(OrtAllocatorType, OrtMemType, OrtMemoryInfo**);  // 69
  void* unused_70[6];                                                                  // 70-75
  OrtStatusPtr (*AllocatorFree)(OrtAllocator*, void*);                                 // 76
  void* unused_77[1];                                                                  // 77
  OrtStatusPtr (*GetAllocatorWithDefaultOptions)(OrtAllocator**);                      // 78
  void* unused_79[13];                                                                 // 79-91
  void (*ReleaseEnv)(OrtEnv*);                                                         // 92
  void (*ReleaseStatus)(OrtStatus*);                                                   // 93
  void (*ReleaseMemoryInfo)(OrtMemoryInfo*);                                           // 94
  void (*ReleaseSession)(OrtSession*);                                                 // 95
  void (*ReleaseValue)(OrtValue*);                                                     // 96
  void (*ReleaseRunOptions)(OrtRunOptions*);                                           // 97
  void (*ReleaseTypeInfo)(OrtTypeInfo*);                                               // 98
  void (*ReleaseTensorTypeAndShapeInfo)(OrtTensorTypeAndShapeInfo*);                   // 99
  void (*ReleaseSessionOptions)(OrtSessionOptions*);                                   // 100
  void* unused_101[18];                                                                // 101-118
  OrtStatusPtr (*CreateEnvWithGlobalThreadPools)(OrtLoggingLevel, const char* log_id,
                                                 const OrtThreadingOptions*, OrtEnv**);           // 119
  OrtStatusPtr (*DisablePerSessionThreads)(OrtSessionOptions*);                                   // 120
  OrtStatusPtr (*CreateThreadingOptions)(OrtThreadingOptions**);                                  // 121
  void (*ReleaseThreadingOptions)(OrtThreadingOptions*);                                          // 122
  void* unused_123[2];                                                                            // 123-124
  OrtStatusPtr (*GetAvailableProviders)(char*** out, int* count);                                 // 125
  OrtStatusPtr (*ReleaseAvailableProviders)(char** providers, int count);                         // 126
  void* unused_127[3];                                                                            // 127-129
  OrtStatusPtr (*AddSessionConfigEntry)(OrtSessionOptions*, const char* key, const char* value);  // 130
  OrtStatusPtr (*CreateAllocator)(const OrtSession*, const OrtMemoryInfo*, OrtAllocator**);       // 131
  void (*ReleaseAllocator)(OrtAllocator*);                                                        // 132
  OrtStatusPtr (*RunWithBinding)(OrtSession*, const OrtRunOptions*, const OrtIoBinding*);         // 133
  OrtStatusPtr (*CreateIoBinding)(OrtSession*, OrtIoBinding**);                                   // 134
  void (*ReleaseIoBinding)(OrtIoBinding*);                                                        // 135
  OrtStatusPtr (*BindInput)(OrtIoBinding*, const char* name, const OrtValue*);                    // 136
  OrtStatusPtr (*BindOutput)(OrtIoBinding*, const char* name, const OrtValue*);                   // 137
  OrtStatusPtr (*BindOutputToDevice)(OrtIoBinding*, const char* name, const OrtMemoryInfo*);      // 138
  void* unused_139[1];                                                                            // 139
  OrtStatusPtr (*GetBoundOutputValues)(const OrtIoBinding*, OrtAllocator*, OrtValue*** out,
                                       size_t* count);                            // 140
  void (*ClearBoundInputs)(OrtIoBinding*);                                        // 141
  void (*ClearBoundOutputs)(OrtIoBinding*);                                       // 142
  void* unused_143[4];                                                            // 143-146
  OrtStatusPtr (*SetGlobalIntraOpNumThreads)(OrtThreadingOptions*, int threads);  // 147
  OrtStatusPtr (*SetGlobalInterOpNumThreads)(OrtThreadingOptions*, int threads);  // 148
  OrtStatusPtr (*SetGlobalSpinControl)(OrtThreadingOptions*, int allow);          // 149
  void* unused_150[1];                                                            // 150
  OrtStatusPtr (*CreateEnvWithCustomLoggerAndGlobalThreadPools)(OrtLoggingFunction, void* param,
                                                                OrtLoggingLevel, const char* log_id,
                                                                const OrtThreadingOptions*,
                                                                OrtEnv**);  // 151
  void* unused_152[52];                                                     // 152-203
  OrtStatusPtr (*SessionOptionsAppendExecutionProvider_CUDA_V2)(OrtSessionOptions*,
                                                                const OrtCUDAProviderOptionsV2*);  // 204
  OrtStatusPtr (*CreateCUDAProviderOptions)(OrtCUDAProviderOptionsV2**);                           // 205
  OrtStatusPtr (*UpdateCUDAProviderOptions)(OrtCUDAProviderOptionsV2*, const char* const* keys,
                                            const char* const* values, size_t count);  // 206
  void* unused_207[1];                                                                 // 207
  void (*ReleaseCUDAProviderOptions)(OrtCUDAProviderOptionsV2*);                       // 208
  void* unused_209[7];                                                                 // 209-215
  OrtStatusPtr (*SessionOptionsAppendExecutionProvider)(OrtSessionOptions*, const char* provider,
                                                        const char* const* keys, const char* const* values,
                                                        size_t count);  // 216
};

struct OrtApiBase {
  const OrtApi* (*GetApi)(uint32_t version);
  const char* (*GetVersionString)();
};

}  // extern "C"

// The oldest table with all of the above; every runtime since 1.17 has it.
inline constexpr uint32_t kOrtApiVersion = 17;
