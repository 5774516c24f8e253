// trunkline-sip: the only program that loads libsofia-sip-ua (LGPL), in a process of its own. It reads orders
// as lines from standard input, writes events as lines to standard output, and ends with its server.
#include <fcntl.h>
#include <signal.h>
#include <sofia-sip/su_log.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "programs/sip/agent.h"

namespace {

// The largest order: a session description and little else.
constexpr size_t kMaxLine = 256 * 1024;

struct Input {
  trunkline::sip::Agent* agent = nullptr;
  std::string rest;
};

int Read(su_root_magic_t*, su_wait_t*, su_wakeup_arg_t* arg) {
  auto& input = *reinterpret_cast<Input*>(arg);
  char bytes[65536];
  const ssize_t size = read(STDIN_FILENO, bytes, sizeof(bytes));
  if (size == 0 || input.rest.size() > kMaxLine) _exit(0);
  if (size < 0) return 0;
  input.rest.append(bytes, static_cast<size_t>(size));
  size_t from = 0;
  for (size_t end; (end = input.rest.find('\n', from)) != std::string::npos; from = end + 1) {
    if (const auto fields = trunkline::sip::ReadLine(std::string_view(input.rest).substr(from, end - from)))
      input.agent->Order(*fields);
  }
  input.rest.erase(0, from);
  return 0;
}

void Log(void*, char const*, va_list) {}

}  // namespace

int main() {
  signal(SIGPIPE, SIG_IGN);
  fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
  su_init();
  su_log_redirect(nullptr, Log, nullptr);
  su_root_t* root = su_root_create(nullptr);
  if (root == nullptr) return 1;
  su_root_threading(root, 0);
  trunkline::sip::Agent agent(root);
  Input input{&agent, {}};
  su_wait_t wait[1];
  if (su_wait_create(wait, STDIN_FILENO, SU_WAIT_IN) != 0) return 1;
  su_root_register(root, wait, Read, reinterpret_cast<su_wakeup_arg_t*>(&input), 0);
  trunkline::sip::Line("started").Send();
  su_root_run(root);
  return 0;
}
