// The program trunkline-phonemes, started when it is first needed and again whenever it dies. One request
// runs at a time; an answer takes about 0.1 ms. Thread-safe; not for the realtime path.
#pragma once

#include <sys/types.h>

#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
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

  // IPA for each line, in the library's spelling; `tie` joins diphthongs and affricates by '^'. kNotFound: no
  // such voice. kNotReady: the program cannot be started, or died twice on this request.
  base::Result<std::vector<std::string>> Pronounce(std::string_view voice, bool tie,
                                                   const std::vector<std::string>& lines);

  // The process that runs now; 0 when none does. For tests of its death.
  pid_t pid() const;

 private:
  struct Cached {
    std::string key;
    std::vector<std::string> lines;
  };

  base::Status Start();
  void Stop();
  base::Status Exchange(const std::string& request, std::string& answer);
  bool Write(const void* bytes, size_t size);
  bool Read(void* bytes, size_t size);
  const std::vector<std::string>* Find(const std::string& key);
  void Remember(const std::string& key, const std::vector<std::string>& lines);

  const PhonemeProgram program_;
  mutable std::mutex mutex_;
  pid_t pid_ = 0;
  int socket_ = -1;
  std::list<Cached> recent_;  // the latest used first
  std::map<std::string, std::list<Cached>::iterator, std::less<>> cache_;
};

}  // namespace trunkline::text
