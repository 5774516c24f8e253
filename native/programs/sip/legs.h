// The program's calls and registrations, by the names that the server gave them.
#pragma once

// The type of the pointer that sofia-sip passes back with each event.
#define NUA_MAGIC_T void
#define NUA_HMAGIC_T void
#include <sofia-sip/msg.h>
#include <sofia-sip/nua.h>

#include <map>
#include <memory>
#include <string>

namespace trunkline::sip {

// A dialog, a registration of ours, or a REGISTER of a telephone that waits for our answer.
struct Leg {
  enum class Kind { kIncoming, kOutgoing, kRegistration, kAsked };
  Kind kind = Kind::kIncoming;
  std::string id;
  nua_handle_t* handle = nullptr;
  std::string user, password;
  std::string contact;      // our Contact; empty: sofia-sip's own
  std::string sent;         // our request, for debugging
  bool challenged = false;  // it was sent again with a password
  bool up = false;          // answered
  bool offered = false;     // our answer to an INVITE without one was an offer
  msg_t* update = nullptr;  // a request that waits for our answer: an UPDATE or a REGISTER
  bool updates = false;     // the other side takes UPDATE: the session is refreshed by it
  bool timers = false;      // it keeps session timers itself
  bool over = false;        // its end was reported
  int status = 0;           // why it ends
  std::string phrase;
};

class Legs {
 public:
  // The most concurrent calls; TypeScript's limits are far lower.
  static constexpr size_t kMax = 20'000;

  bool Full() const { return legs_.size() >= kMax; }
  Leg* Find(const std::string& id);
  Leg& Add(Leg::Kind kind, std::string id, nua_handle_t* handle);
  void Forget(Leg& leg);

 private:
  std::map<std::string, std::unique_ptr<Leg>> legs_;
};

}  // namespace trunkline::sip
