// Status: how every module reports a failure. No exception crosses a module's entry point.
//
// A code is stable: it crosses to TypeScript as a number, and one table there (src/media/engine/status.ts)
// turns it into an error. Add a code at the end of TRUNKLINE_STATUS_CODES and nowhere else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace trunkline::base {

// X(name, number, text on the wire, meaning)
#define TRUNKLINE_STATUS_CODES(X)                                                                \
  X(kOk, 0, "ok", "done")                                                                        \
  X(kInvalidArgument, 1, "invalid_argument", "an option or a byte count is out of range")        \
  X(kStale, 2, "stale", "the slot has been given to another session, or to none")                \
  X(kFull, 3, "full", "the ring has no room for this frame; it was not taken")                   \
  X(kCapacity, 4, "capacity", "the engine has no room for another lane of this cost")            \
  X(kClosed, 5, "closed", "the lane or the engine is closing and takes no more")                 \
  X(kCancelled, 6, "cancelled", "the work was cancelled")                                        \
  X(kNotFound, 7, "not_found", "a file, a kind or a job with this name does not exist")          \
  X(kBadLibrary, 8, "bad_library", "the inference library cannot be loaded or is not one")       \
  X(kBadVersion, 9, "bad_version", "the library or the file has an unsupported version")         \
  X(kBadModel, 10, "bad_model", "the model cannot be opened, or its inputs are not as expected") \
  X(kInference, 11, "inference", "a model failed while it ran")                                  \
  X(kDevice, 12, "device", "the requested device is not usable")                                 \
  X(kOverflow, 13, "overflow", "the outbox of a lane was not emptied in time")                   \
  X(kBadMessage, 14, "bad_message", "a message that should hold audio does not parse")           \
  X(kBadAudio, 15, "bad_audio", "the bytes are not audio of the format that was announced")      \
  X(kNotReady, 16, "not_ready", "a model or a device that this needs is not loaded")             \
  X(kOutOfMemory, 17, "out_of_memory", "memory ran out")                                         \
  X(kInternal, 18, "internal", "an internal error of the engine")                                \
  X(kNotMedia, 19, "not_media", "the message is well formed and carries no audio for this side")

enum class Code : int32_t {
#define TRUNKLINE_STATUS_ENUM(name, number, text, meaning) name = number,
  TRUNKLINE_STATUS_CODES(TRUNKLINE_STATUS_ENUM)
#undef TRUNKLINE_STATUS_ENUM
};

struct CodeEntry {
  Code code;
  std::string_view name;
  std::string_view meaning;
};

inline constexpr CodeEntry kCodes[] = {
#define TRUNKLINE_STATUS_ENTRY(name, number, text, meaning) {Code::name, text, meaning},
    TRUNKLINE_STATUS_CODES(TRUNKLINE_STATUS_ENTRY)
#undef TRUNKLINE_STATUS_ENTRY
};

// The wire name of a code; "internal" for a number that is not in the table.
std::string_view CodeName(Code code);

// A code with a message for the log. Success has no message and never allocates.
class [[nodiscard]] Status {
 public:
  Status() = default;
  explicit Status(Code code, std::string message = {}) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == Code::kOk; }
  Code code() const { return code_; }
  const std::string& message() const { return message_; }
  // "bad_model: silero.onnx has no input named state"
  std::string ToString() const;

 private:
  Code code_ = Code::kOk;
  std::string message_;
};

inline Status Ok() {
  return {};
}

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::move(value)) {}           // NOLINT: implicit on purpose, for `return value;`
  Result(Status failure) : held_(std::move(failure)) {}  // NOLINT: implicit on purpose, for `return status;`

  bool ok() const { return std::holds_alternative<T>(held_); }
  Status status() const { return ok() ? Status() : std::get<Status>(held_); }

  // Only when ok().
  T& value() & { return std::get<T>(held_); }
  const T& value() const& { return std::get<T>(held_); }
  T&& value() && { return std::get<T>(std::move(held_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Status> held_;
};

}  // namespace trunkline::base

#define TRUNKLINE_RETURN_IF_FAILED(expression)                                               \
  do {                                                                                       \
    if (::trunkline::base::Status trunkline_status = (expression); !trunkline_status.ok()) { \
      return trunkline_status;                                                               \
    }                                                                                        \
  } while (false)

#define TRUNKLINE_CONCAT_INNER(a, b) a##b
#define TRUNKLINE_CONCAT(a, b) TRUNKLINE_CONCAT_INNER(a, b)

// TRUNKLINE_ASSIGN_OR_RETURN(auto session, Session::Open(...)): declares the value or returns the failure.
#define TRUNKLINE_ASSIGN_OR_RETURN(declaration, expression)          \
  auto TRUNKLINE_CONCAT(trunkline_result_, __LINE__) = (expression); \
  if (!TRUNKLINE_CONCAT(trunkline_result_, __LINE__).ok()) {         \
    return TRUNKLINE_CONCAT(trunkline_result_, __LINE__).status();   \
  }                                                                  \
  declaration = std::move(TRUNKLINE_CONCAT(trunkline_result_, __LINE__)).value()
