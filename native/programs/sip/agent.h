// The signalling of calls by sofia-sip: what the server orders becomes SIP, what the network says becomes lines. One
// thread. Sound is nobody's here: session descriptions pass through as texts.
#pragma once

#include <sofia-sip/su_wait.h>

#include <memory>
#include <string>
#include <vector>

#include "programs/sip/allowed.h"
#include "programs/sip/json_line.h"
#include "programs/sip/legs.h"

namespace trunkline::sip {

// Where calls come in, and leave by.
struct Listener {
  nua_t* nua = nullptr;
  std::string transport;
  int port = 0;
  // Over TLS: sofia-sip would say `sips:`, which not every telephone can call.
  std::string contact;
};

class Agent {
 public:
  explicit Agent(su_root_t* root) : root_(root) {}

  void Order(const Fields& fields);
  // Ends every call; the program ends after that.
  void Stop();

 private:
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
  void Ended(Leg& leg);

  su_root_t* const root_;
  Allowed allowed_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  Legs legs_;
  unsigned long incoming_ = 0;
  size_t closing_ = 0;  // listeners that are being shut down
};

}  // namespace trunkline::sip
