#include "programs/sip/agent.h"

#include <sofia-sip/auth_module.h>
#include <sofia-sip/nta_tport.h>
#include <sofia-sip/nua_tag.h>
#include <sofia-sip/sip_status.h>
#include <sofia-sip/sip_tag.h>
#include <sofia-sip/su_tag.h>
#include <sofia-sip/tport_tag.h>

#include <cstring>
#include <utility>

#include "programs/sip/messages.h"

namespace trunkline::sip {
namespace {

constexpr const char* kSdp = "application/sdp";
// Seconds. A vanished peer is noticed within the first (RFC 4028); a peer that asks for less than the second
// gets 422.
constexpr int kSessionSeconds = 1800, kMinSessionSeconds = 90;
// A larger SIP message is dropped.
constexpr unsigned kMaxMessage = 64 * 1024;

using Listeners = std::vector<std::unique_ptr<Listener>>;

Listener* ListenerFor(const Listeners& listeners, const std::string& transport) {
  for (const auto& listener : listeners) {
    if (listener->transport == transport) return listener.get();
  }
  return nullptr;
}

}  // namespace

void Agent::OnEvent(nua_event_t event, int status, char const* phrase, nua_t* nua, nua_magic_t* magic,
                    nua_handle_t* handle, nua_hmagic_t* leg, sip_t const* sip, tagi_t tags[]) {
  static_cast<Agent*>(magic)->Event(event, status, phrase, nua, handle, static_cast<Leg*>(leg), sip, tags);
}

void Agent::Order(const Fields& fields) {
  static const std::map<std::string, void (Agent::*)(const Fields&)> kOrders = {
      {"listen", &Agent::Listen}, {"allow", &Agent::Allow},     {"register", &Agent::Register},
      {"invite", &Agent::Invite}, {"respond", &Agent::Respond}, {"hangup", &Agent::HangUp},
      {"change", &Agent::Change}, {"refer", &Agent::Refer},     {"notify", &Agent::Notify}};
  const auto order = kOrders.find(Get(fields, "do"));
  if (order != kOrders.end())
    (this->*order->second)(fields);
  else if (Get(fields, "do") == "stop")
    Stop();
}

void Agent::Listen(const Fields& fields) {
  const std::string url = Get(fields, "url"), folder = Get(fields, "certificates");
  auto listener = std::make_unique<Listener>();
  listener->transport = Get(fields, "transport");
  listener->port = GetNumber(fields, "port", 5060);
  if (url.starts_with("sips:") && url.find("0.0.0.0") == std::string::npos)
    listener->contact = "<sip" + url.substr(4) + ">";
  listener->nua = nua_create(
      root_, &Agent::OnEvent, this, NUTAG_URL(url.c_str()),
      TAG_IF(!folder.empty(), NUTAG_CERTIFICATE_DIR(folder.c_str())),
      // The called server must present a valid certificate: otherwise anybody on the path could read digests
      // and SRTP keys.
      TAG_IF(!folder.empty(), TPTAG_TLS_VERIFY_POLICY(TPTLS_VERIFY_OUT)), NUTAG_MEDIA_ENABLE(0),
      NUTAG_AUTOANSWER(0), NUTAG_AUTOALERT(0), NUTAG_AUTOACK(1), NUTAG_ENABLEMESSAGE(0),
      NUTAG_APPL_METHOD("UPDATE, REFER, REGISTER"), NUTAG_SUPPORTED("replaces"),
      NUTAG_SESSION_TIMER(static_cast<unsigned>(GetNumber(fields, "session_s", kSessionSeconds))),
      NUTAG_MIN_SE(static_cast<unsigned>(GetNumber(fields, "least_session_s", kMinSessionSeconds))),
      NUTAG_OUTBOUND("no-options-keepalive no-validate"), NTATAG_MAXSIZE(kMaxMessage), NTATAG_UDP_MTU(8192),
      SIPTAG_USER_AGENT_STR("Trunkline"),
      NUTAG_ALLOW("INVITE, ACK, BYE, CANCEL, OPTIONS, UPDATE, PRACK, REFER, NOTIFY, INFO"),
      TAG_IF(registrar_, NUTAG_ALLOW("REGISTER")), TAG_END());
  if (listener->nua == nullptr) {
    Line("failed").Text("what", "listen").Text("url", url).Text("reason", std::strerror(errno)).Send();
    return;
  }
  allowed_.FilterSockets(listener->port, registrar_);
  Line("listening").Text("url", url).Send();
  listeners_.push_back(std::move(listener));
}

void Agent::Allow(const Fields& fields) {
  registrar_ = Get(fields, "registrar") == "on";
  if (!allowed_.Set(Get(fields, "nets"))) {
    Line("failed")
        .Text("what", "allow")
        .Text("reason", "one of the networks is not an address or network")
        .Send();
    return;
  }
  int filtered = 0;
  for (const auto& listener : listeners_) filtered += allowed_.FilterSockets(listener->port, registrar_);
  Line("allowed").Number("sockets", filtered).Send();
}

void Agent::Register(const Fields& fields) {
  const std::string id = Get(fields, "id"), registrar = Get(fields, "registrar"),
                    address = Get(fields, "address");
  if (Leg* before = legs_.Find(Get(fields, "id"))) legs_.Forget(*before);
  Listener* listener = ListenerFor(listeners_, Get(fields, "transport"));
  if (listener == nullptr) {
    Line("register_failed")
        .Text("id", id)
        .Number("status", 0)
        .Text("phrase", "no listener of the trunk's transport")
        .Send();
    return;
  }
  nua_handle_t* handle = nua_handle(listener->nua, nullptr, SIPTAG_TO_STR(address.c_str()), TAG_END());
  Leg& leg = legs_.Add(Leg::Kind::kRegistration, id, handle);
  leg.user = Get(fields, "user");
  leg.password = Get(fields, "password");
  leg.sent = "REGISTER " + registrar + ", To and From " + address;
  nua_register(handle, NUTAG_REGISTRAR(registrar.c_str()),
               TAG_IF(!Get(fields, "proxy").empty(), NUTAG_PROXY(Get(fields, "proxy").c_str())),
               SIPTAG_FROM_STR(address.c_str()), SIPTAG_EXPIRES_STR(Get(fields, "expires").c_str()),
               NUTAG_M_USERNAME(leg.user.c_str()), TAG_END());
}

void Agent::Invite(const Fields& fields) {
  const std::string id = Get(fields, "id"), to = Get(fields, "to"), from = Get(fields, "from"),
                    sdp = Get(fields, "sdp");
  Listener* listener = ListenerFor(listeners_, Get(fields, "transport"));
  if (listener == nullptr || legs_.Find(id) != nullptr || legs_.Full()) {
    const char* why = listener == nullptr ? "no listener of the trunk's transport" : "too many calls";
    Line("ended").Text("id", id).Number("status", 503).Text("phrase", why).Text("by", "us").Send();
    return;
  }
  nua_handle_t* handle = nua_handle(listener->nua, nullptr, NUTAG_URL(to.c_str()), SIPTAG_TO_STR(to.c_str()),
                                    SIPTAG_FROM_STR(from.c_str()), TAG_END());
  Leg& leg = legs_.Add(Leg::Kind::kOutgoing, id, handle);
  leg.user = Get(fields, "user");
  leg.password = Get(fields, "password");
  leg.sent = "INVITE " + to + " from " + from;
  leg.contact = listener->contact;
  nua_invite(handle, TAG_IF(!Get(fields, "proxy").empty(), NUTAG_PROXY(Get(fields, "proxy").c_str())),
             TAG_IF(!leg.user.empty(), NUTAG_M_USERNAME(leg.user.c_str())),
             NUTAG_INVITE_TIMER(static_cast<unsigned>(GetNumber(fields, "ring_s", 60))),
             SIPTAG_CONTENT_TYPE_STR(kSdp), SIPTAG_PAYLOAD_STR(sdp.c_str()),
             TAG_IF(!leg.contact.empty(), SIPTAG_CONTACT_STR(leg.contact.c_str())),
             SIPTAG_HEADER_STR(OrNull(Get(fields, "header"))), TAG_END());
}

void Agent::Respond(const Fields& fields) {
  Leg* leg = legs_.Find(Get(fields, "id"));
  if (leg == nullptr) return;
  const int status = GetNumber(fields, "status", 500);
  const std::string sdp = Get(fields, "sdp"), phrase = Get(fields, "phrase");
  const char* words = phrase.empty() ? sip_status_phrase(status) : phrase.c_str();
  // Without UPDATE a refresh would be an INVITE without an offer of ours, so a peer without session timers
  // gets none.
  const bool unrefreshed = leg->kind == Leg::Kind::kIncoming && !leg->updates && !leg->timers;
  msg_t* update = std::exchange(leg->update, nullptr);
  if (leg->kind == Leg::Kind::kAsked) {
    const std::string challenge = Get(fields, "challenge"), contact = Get(fields, "contact");
    nua_respond(leg->handle, status, words, NUTAG_WITH(update),
                TAG_IF(!challenge.empty(), SIPTAG_WWW_AUTHENTICATE_STR(challenge.c_str())),
                TAG_IF(!contact.empty(), SIPTAG_CONTACT_STR(contact.c_str())), TAG_END());
    msg_destroy(update);
    legs_.Forget(*leg);
    return;
  }
  nua_respond(leg->handle, status, words, TAG_IF(update != nullptr, NUTAG_WITH(update)),
              TAG_IF(unrefreshed, NUTAG_SESSION_TIMER(0)), TAG_IF(leg->updates, NUTAG_UPDATE_REFRESH(1)),
              TAG_IF(!leg->contact.empty(), SIPTAG_CONTACT_STR(leg->contact.c_str())),
              TAG_IF(!sdp.empty(), SIPTAG_CONTENT_TYPE_STR(kSdp)),
              TAG_IF(!sdp.empty(), SIPTAG_PAYLOAD_STR(sdp.c_str())), TAG_END());
  if (update != nullptr) msg_destroy(update);
}

void Agent::HangUp(const Fields& fields) {
  Leg* leg = legs_.Find(Get(fields, "id"));
  if (leg == nullptr) return;
  leg->phrase = "hung up";
  if (leg->kind == Leg::Kind::kRegistration) {
    nua_unregister(leg->handle, TAG_END());
  } else if (leg->up) {
    nua_bye(leg->handle, TAG_END());
  } else if (leg->kind == Leg::Kind::kOutgoing) {
    nua_cancel(leg->handle, TAG_END());
  } else {
    nua_respond(leg->handle, SIP_480_TEMPORARILY_UNAVAILABLE, TAG_END());
  }
}

// A re-INVITE: hold, another codec, or another address for media.
void Agent::Change(const Fields& fields) {
  Leg* leg = legs_.Find(Get(fields, "id"));
  if (leg == nullptr || !leg->up) return;
  nua_invite(leg->handle, SIPTAG_CONTENT_TYPE_STR(kSdp), SIPTAG_PAYLOAD_STR(Get(fields, "sdp").c_str()),
             TAG_IF(!leg->contact.empty(), SIPTAG_CONTACT_STR(leg->contact.c_str())), TAG_END());
}

void Agent::Stop() {
  if (listeners_.empty()) su_root_break(root_);
  closing_ = listeners_.size();
  for (const auto& listener : listeners_) nua_shutdown(listener->nua);
}

}  // namespace trunkline::sip
