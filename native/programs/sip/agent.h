// SIP signalling by sofia-sip: orders of the server become SIP, and events of the network become lines. One
// thread. It handles no media: session descriptions pass through as text.
#pragma once

#include <sofia-sip/su_wait.h>

#include <memory>
#include <string>
#include <vector>

#include "programs/sip/json_line.h"
#include "programs/sip/legs.h"
#include "programs/sip/source_allowlist.h"

namespace trunkline::sip {

// A listening address and transport.
struct Listener {
  nua_t* nua = nullptr;
  std::string transport;
  int port = 0;
  // Over TLS sofia-sip would write `sips:`, which not every telephone can call.
  std::string contact;
};

class Agent {
 public:
  explicit Agent(su_root_t* root) : root_(root) {}

  void Order(const Fields& fields);
  // Ends every call, and then the program.
  void Stop();

 private:
  static void OnEvent(nua_event_t event, int status, char const* phrase, nua_t* nua, nua_magic_t* magic,
                      nua_handle_t* handle, nua_hmagic_t* leg, sip_t const* sip, tagi_t tags[]);

  // Orders of the server.
  void Listen(const Fields& fields);
  void Allow(const Fields& fields);
  void Register(const Fields& fields);
  void Invite(const Fields& fields);
  void Respond(const Fields& fields);
  void HangUp(const Fields& fields);
  void Change(const Fields& fields);
  void Refer(const Fields& fields);
  void Notify(const Fields& fields);

  // An event of the network.
  void Event(nua_event_t event, int status, const char* phrase, nua_t* nua, nua_handle_t* handle, Leg* leg,
             const sip_t* sip, tagi_t* tags);
  void Asked(nua_t* nua, nua_handle_t* handle, const sip_t* sip);
  void Invited(nua_t* nua, nua_handle_t* handle, Leg* leg, const sip_t* sip);
  void Answered(Leg& leg, int status, const char* phrase, const sip_t* sip);
  void Registered(Leg& leg, int status, const char* phrase, const sip_t* sip);
  void Updated(nua_t* nua, nua_handle_t* handle, Leg& leg, const sip_t* sip);
  // Finds the call of ours that the other side's new call replaces (RFC 3891).
  Leg* Replaced(const sip_replaces_t* replaces);
  void Referred(nua_t* nua, nua_handle_t* handle, Leg& leg, const sip_t* sip);
  void State(Leg& leg, tagi_t* tags);
  void Ended(Leg& leg);

  su_root_t* const root_;
  SourceAllowlist allowed_;
  bool registrar_ = false;  // telephones may register
  std::vector<std::unique_ptr<Listener>> listeners_;
  Legs legs_;
  unsigned long incoming_ = 0;
  size_t closing_ = 0;  // listeners that are being shut down
};

}  // namespace trunkline::sip
