// The program trunkline-phonemes, started on first use and restarted when it dies. One request runs at a
// time; an answer takes about 0.1 ms. For one thread; not for the realtime path.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/status.h"

namespace trunkline::text {

struct PhonemeProgram {
  std::string program;  // trunkline-phonemes
  std::string library;  // libespeak-ng.so.1
  std::string data;     // the folder that holds espeak-ng-data
  int timeout_ms = 3000;
};

class PhonemeProcess {
 public:
  explicit PhonemeProcess(PhonemeProgram program);
  ~PhonemeProcess();
  PhonemeProcess(const PhonemeProcess&) = delete;
  PhonemeProcess& operator=(const PhonemeProcess&) = delete;

  // Returns the answer to a request of native/programs/phonemes/main.cc, for as many lines as it holds.
  // kNotFound: no such voice. kNotReady: the program cannot be started, or died twice on this request.
  base::Result<std::vector<std::string>> Pronounce(const std::string& request, size_t lines);

  // 0 while none runs.
  pid_t pid() const { return pid_; }

 private:
  base::Status Start();
  void Stop();
  base::Status Exchange(const std::string& request, std::string& answer);
  bool Write(const void* bytes, size_t size);
  bool Read(void* bytes, size_t size);

  const PhonemeProgram program_;
  pid_t pid_ = 0;
  int socket_ = -1;
};

}  // namespace trunkline::text
