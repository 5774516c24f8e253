#include "text/phonemes/process.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace trunkline::text {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr uint32_t kLongestAnswer = 1024 * 1024;
constexpr uint32_t kNoVoice = 0xffff'ffff;

std::vector<std::string> SplitLines(const std::string& answer) {
  std::vector<std::string> lines;
  for (size_t from = 0; from < answer.size();) {
    const size_t to = answer.find('\n', from);
    if (to == std::string::npos) break;
    lines.push_back(answer.substr(from, to - from));
    from = to + 1;
  }
  return lines;
}

}  // namespace

PhonemeProcess::PhonemeProcess(PhonemeProgram program) : program_(std::move(program)) {}

PhonemeProcess::~PhonemeProcess() {
  Stop();
}

Result<std::vector<std::string>> PhonemeProcess::Pronounce(const std::string& request, size_t lines) {
  std::string answer;
  Status status = Exchange(request, answer);
  // A process that died, or hung and was stopped, is restarted once: a text that kills it must not do so
  // repeatedly.
  if (status.code() == Code::kClosed) status = Exchange(request, answer);
  if (status.code() == Code::kClosed)
    return Status(Code::kNotReady, "the pronunciation process died twice on a text");
  TRUNKLINE_RETURN_IF_FAILED(status);
  std::vector<std::string> said = SplitLines(answer);
  if (said.size() != lines) return Status(Code::kInternal, "the pronunciation process lost a line");
  return said;
}

// A socket and not two pipes: MSG_NOSIGNAL avoids a SIGPIPE in the server when the process has died.
Status PhonemeProcess::Start() {
  if (access(program_.program.c_str(), X_OK) != 0) {
    return Status(Code::kNotReady, program_.program + " is absent: build the engine again");
  }
  if (access(program_.library.c_str(), R_OK) != 0)
    return Status(Code::kNotReady, program_.library + " is absent");
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Status(Code::kNotReady, std::string("socketpair: ") + std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string program = program_.program, library = program_.library, data = program_.data;
  char* arguments[] = {program.data(), library.data(), data.data(), nullptr};
  // The server's environment holds its secrets, so the process gets none of it.
  char* no_environment[] = {nullptr};
  pid_t pid = 0;
  const int failure = posix_spawn(&pid, program.c_str(), &actions, nullptr, arguments, no_environment);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failure != 0) {
    close(ends[0]);
    return Status(Code::kNotReady, program_.program + ": " + std::strerror(failure));
  }
  pid_ = pid;
  socket_ = ends[0];
  return base::Ok();
}

void PhonemeProcess::Stop() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = 0;
}

// Returns kClosed when the process is gone and another try may help.
Status PhonemeProcess::Exchange(const std::string& request, std::string& answer) {
  if (pid_ == 0) TRUNKLINE_RETURN_IF_FAILED(Start());
  const auto size = static_cast<uint32_t>(request.size());
  uint32_t length = 0;
  if (!Write(&size, sizeof size) || !Write(request.data(), request.size()) || !Read(&length, sizeof length)) {
    Stop();
    return Status(Code::kClosed, "the pronunciation process ended");
  }
  if (length == kNoVoice)
    return Status(Code::kNotFound, "no pronunciation for voice " + request.substr(0, request.find('\n')));
  answer.resize(length > kLongestAnswer ? 0 : length);
  if (length > kLongestAnswer || !Read(answer.data(), length)) {
    Stop();
    return Status(Code::kClosed, "the pronunciation process ended");
  }
  return base::Ok();
}

bool PhonemeProcess::Write(const void* bytes, size_t size) {
  const auto* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t put = send(socket_, at, size, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put;
    size -= static_cast<size_t>(put);
  }
  return true;
}

bool PhonemeProcess::Read(void* bytes, size_t size) {
  auto* at = static_cast<char*>(bytes);
  while (size > 0) {
    pollfd wait{socket_, POLLIN, 0};
    const int ready = poll(&wait, 1, program_.timeout_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t got = recv(socket_, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

}  // namespace trunkline::text
