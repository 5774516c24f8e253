// Names a thread for `top` and `perf`.
#pragma once

#include <pthread.h>

#include <string>

namespace trunkline::engine {

inline void NameThisThread(const std::string& name) {
#if defined(__linux__)
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
#else
  pthread_setname_np(name.c_str());
#endif
}

}  // namespace trunkline::engine
