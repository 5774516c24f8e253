// The signalling of calls by sofia-sip: what the server orders becomes SIP, what the network says becomes lines. One
// thread. Sound is nobody's here: session descriptions pass through as texts.
#pragma once

// What sofia-sip hands back with each event is ours to name.
#define NUA_MAGIC_T void
#define NUA_HMAGIC_T void
#include <sofia-sip/nua.h>
#include <sofia-sip/su_wait.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sip/allowed.h"
#include "sip/json_line.h"

namespace trunkline::sip {

// A dialog or a registration: what sofia-sip gives back with each of its events.
struct Leg {
  enum class Kind { kIncoming, kOutgoing, kRegistration };
  Kind kind = Kind::kIncoming;
  std::string id;
  nua_handle_t* handle = nullptr;
  std::string user, password;
  std::string contact;      // where we are to be reached; empty: as sofia-sip says
  std::string sent;         // what our request said, for whoever looks for a mistake
  bool challenged = false;  // it was sent again with a password
  bool up = false;          // answered
  bool offered = false;     // our answer to an INVITE without one was an offer
  msg_t* update = nullptr;  // an UPDATE that waits for our answer
  bool updates = false;     // the other side takes UPDATE: the session is refreshed by it
  bool timers = false;      // it keeps session timers itself
  bool over = false;        // its end was told
  int status = 0;           // why it ends
  std::string phrase;
};

class Agent {
 public:
  explicit Agent(su_root_t* root) : root_(root) {}

  void Order(const Fields& fields);
  // Ends every call; the program ends after that.
  void Stop();

 private:
  struct Listener {
    Agent* agent = nullptr;
    nua_t* nua = nullptr;
    std::string transport;
    int port = 0;
    // Over TLS: sofia-sip would say `sips:`, which not every telephone can call.
    std::string contact;
  };

  static void OnEvent(nua_event_t event, int status, char const* phrase, nua_t* nua, nua_magic_t* magic,
                      nua_handle_t* handle, nua_hmagic_t* leg, sip_t const* sip, tagi_t tags[]);

  // Orders.
  void Listen(const Fields& fields);
  void Allow(const Fields& fields);
  void Register(const Fields& fields);
  void Invite(const Fields& fields);
  void Respond(const Fields& fields);
  void HangUp(const Fields& fields);
  void Change(const Fields& fields);
  void Refer(const Fields& fields);
  void Notify(const Fields& fields);

  // What the network says.
  void Event(nua_event_t event, int status, const char* phrase, nua_t* nua, nua_handle_t* handle, Leg* leg,
             const sip_t* sip, tagi_t* tags);
  void Invited(nua_t* nua, nua_handle_t* handle, Leg* leg, const sip_t* sip);
  void Answered(Leg& leg, int status, const char* phrase, const sip_t* sip);
  void Registered(Leg& leg, int status, const char* phrase, const sip_t* sip);
  void Updated(nua_t* nua, nua_handle_t* handle, Leg& leg, const sip_t* sip);
  // Another call of the other side goes on in the place of one that we have (RFC 3891).
  Leg* Replaced(const sip_replaces_t* replaces);
  void Referred(nua_t* nua, nua_handle_t* handle, Leg& leg, const sip_t* sip);
  void State(Leg& leg, tagi_t* tags);
  bool Challenge(Leg& leg, const sip_t* sip);
  void Ended(Leg& leg);

  Listener* ListenerFor(const std::string& transport);
  std::string ContactAt(const nua_t* nua) const;
  Leg* Find(const Fields& fields);
  Leg& Add(Leg::Kind kind, std::string id, nua_handle_t* handle);
  void Forget(Leg& leg);

  su_root_t* const root_;
  Allowed allowed_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::map<std::string, std::unique_ptr<Leg>> legs_;
  unsigned long incoming_ = 0;
  size_t closing_ = 0;  // listeners that are being shut down
};

}  // namespace trunkline::sip
