#include "sip/agent.h"

#include <sofia-sip/auth_module.h>
#include <sofia-sip/msg_addr.h>
#include <sofia-sip/msg_header.h>
#include <sofia-sip/nta_tport.h>
#include <sofia-sip/nua_tag.h>
#include <sofia-sip/sip_header.h>
#include <sofia-sip/sip_status.h>
#include <sofia-sip/sip_tag.h>
#include <sofia-sip/su_tag.h>
#include <sofia-sip/tport_tag.h>

#include <cstdlib>
#include <cstring>
#include <utility>

namespace trunkline::sip {
namespace {

constexpr const char* kSdp = "application/sdp";
// Seconds. A peer that vanished is noticed within it (RFC 4028); below the minimum a peer is told 422.
constexpr int kSessionSeconds = 1800, kLeastSessionSeconds = 90;
// A packet of SIP that is larger is nobody's.
constexpr unsigned kMostMessage = 64 * 1024;
// Calls that the network brings at once; TypeScript's own limits come long before.
constexpr size_t kMostLegs = 20'000;

std::string Get(const Fields& fields, const char* key) {
  const auto found = fields.find(key);
  return found == fields.end() ? std::string() : found->second;
}

int GetNumber(const Fields& fields, const char* key, int otherwise) {
  const std::string text = Get(fields, key);
  return text.empty() ? otherwise : std::atoi(text.c_str());
}

const char* OrNull(const std::string& text) {
  return text.empty() ? nullptr : text.c_str();
}

std::string BodyOf(const sip_t* sip) {
  if (sip == nullptr || sip->sip_payload == nullptr || sip->sip_payload->pl_data == nullptr) return {};
  return std::string(sip->sip_payload->pl_data, sip->sip_payload->pl_len);
}

std::string UrlText(const url_t* url) {
  su_home_t home[1] = {SU_HOME_INIT(home)};
  const char* text = url == nullptr ? nullptr : url_as_string(home, url);
  std::string copy = text == nullptr ? "" : text;
  su_home_deinit(home);
  return copy;
}

// user@host of a From or To, as a caller reads it.
const url_t* UrlOf(const sip_addr_t* address) {
  return address == nullptr ? nullptr : address->a_url;
}

std::string SourceOf(nua_t* nua, sockaddr_storage& into) {
  msg_t* message = nua_current_request(nua);
  su_sockaddr_t* from = message == nullptr ? nullptr : msg_addr(message);
  if (from == nullptr) return {};
  std::memcpy(&into, from, sizeof(*from) < sizeof(into) ? sizeof(*from) : sizeof(into));
  char text[SU_ADDRSIZE] = "";
  su_inet_ntop(from->su_family, SU_ADDR(from), text, sizeof(text));
  return text;
}

// What a registrar or proxy asks for, in its own words.
std::string ChallengeText(const msg_auth_t* challenge) {
  if (challenge == nullptr) return {};
  std::string text = challenge->au_scheme == nullptr ? "" : challenge->au_scheme;
  for (const msg_param_t* param = challenge->au_params; param != nullptr && *param != nullptr; ++param) {
    text += text.find(' ') == std::string::npos ? " " : ", ";
    text += *param;
  }
  return text;
}

// What the other side says of its sessions: whether it takes UPDATE, and keeps timers.
void NoteSession(Leg& leg, const sip_t* sip) {
  if (sip == nullptr) return;
  leg.updates = sip->sip_allow != nullptr && SIP_IS_ALLOWED(sip->sip_allow, sip_method_update);
  leg.timers = sip->sip_session_expires != nullptr ||
               (sip->sip_supported != nullptr && sip_has_feature(sip->sip_supported, "timer"));
}

std::string ParamOf(const msg_auth_t* challenge, const char* name) {
  const char* value = challenge == nullptr ? nullptr : msg_params_find(challenge->au_params, name);
  if (value == nullptr) return {};
  std::string text = value;
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return text;
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
  listener->agent = this;
  listener->transport = Get(fields, "transport");
  listener->port = GetNumber(fields, "port", 5060);
  if (url.starts_with("sips:") && url.find("0.0.0.0") == std::string::npos)
    listener->contact = "<sip" + url.substr(4) + ">";
  listener->nua = nua_create(
      root_, &Agent::OnEvent, this, NUTAG_URL(url.c_str()),
      TAG_IF(!folder.empty(), NUTAG_CERTIFICATE_DIR(folder.c_str())),
      // Whom we call proves who they are: else anybody on the way reads digests and the keys of the sound.
      TAG_IF(!folder.empty(), TPTAG_TLS_VERIFY_POLICY(TPTLS_VERIFY_OUT)), NUTAG_MEDIA_ENABLE(0),
      NUTAG_AUTOANSWER(0), NUTAG_AUTOALERT(0), NUTAG_AUTOACK(1), NUTAG_ENABLEMESSAGE(0),
      NUTAG_APPL_METHOD("UPDATE, REFER"), NUTAG_SUPPORTED("replaces"),
      NUTAG_SESSION_TIMER(static_cast<unsigned>(GetNumber(fields, "session_s", kSessionSeconds))),
      NUTAG_MIN_SE(static_cast<unsigned>(GetNumber(fields, "least_session_s", kLeastSessionSeconds))),
      NUTAG_OUTBOUND("no-options-keepalive no-validate"), NTATAG_MAXSIZE(kMostMessage), NTATAG_UDP_MTU(8192),
      SIPTAG_USER_AGENT_STR("Trunkline"),
      NUTAG_ALLOW("INVITE, ACK, BYE, CANCEL, OPTIONS, UPDATE, PRACK, REFER, NOTIFY, INFO"), TAG_END());
  if (listener->nua == nullptr) {
    Line("failed").Text("what", "listen").Text("url", url).Text("reason", std::strerror(errno)).Send();
    return;
  }
  allowed_.FilterSockets(listener->port);
  Line("listening").Text("url", url).Send();
  listeners_.push_back(std::move(listener));
}

void Agent::Allow(const Fields& fields) {
  if (!allowed_.Set(Get(fields, "nets"))) {
    Line("failed").Text("what", "allow").Text("reason", "one of these is no address or network").Send();
    return;
  }
  int filtered = 0;
  for (const auto& listener : listeners_) filtered += allowed_.FilterSockets(listener->port);
  Line("allowed").Number("sockets", filtered).Send();
}

Agent::Listener* Agent::ListenerFor(const std::string& transport) {
  for (const auto& listener : listeners_) {
    if (listener->transport == transport) return listener.get();
  }
  return nullptr;
}

std::string Agent::ContactAt(const nua_t* nua) const {
  for (const auto& listener : listeners_) {
    if (listener->nua == nua) return listener->contact;
  }
  return {};
}

Leg* Agent::Find(const Fields& fields) {
  const auto found = legs_.find(Get(fields, "id"));
  return found == legs_.end() ? nullptr : found->second.get();
}

Leg& Agent::Add(Leg::Kind kind, std::string id, nua_handle_t* handle) {
  auto leg = std::make_unique<Leg>();
  leg->kind = kind;
  leg->id = id;
  leg->handle = handle;
  nua_handle_bind(handle, leg.get());
  return *(legs_[std::move(id)] = std::move(leg));
}

void Agent::Forget(Leg& leg) {
  nua_handle_bind(leg.handle, nullptr);
  nua_handle_destroy(leg.handle);
  if (leg.update != nullptr) msg_destroy(leg.update);
  legs_.erase(std::string(leg.id));
}

void Agent::Register(const Fields& fields) {
  const std::string id = Get(fields, "id"), registrar = Get(fields, "registrar"),
                    address = Get(fields, "address");
  if (Leg* before = Find(fields)) Forget(*before);
  Listener* listener = ListenerFor(Get(fields, "transport"));
  if (listener == nullptr) {
    Line("register_failed")
        .Text("id", id)
        .Number("status", 0)
        .Text("phrase", "no listener of the trunk's transport")
        .Send();
    return;
  }
  nua_handle_t* handle = nua_handle(listener->nua, nullptr, SIPTAG_TO_STR(address.c_str()), TAG_END());
  Leg& leg = Add(Leg::Kind::kRegistration, id, handle);
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
  Listener* listener = ListenerFor(Get(fields, "transport"));
  if (listener == nullptr || legs_.contains(id) || legs_.size() >= kMostLegs) {
    const char* why = listener == nullptr ? "no listener of the trunk's transport" : "too many calls";
    Line("ended").Text("id", id).Number("status", 503).Text("phrase", why).Text("by", "us").Send();
    return;
  }
  nua_handle_t* handle = nua_handle(listener->nua, nullptr, NUTAG_URL(to.c_str()), SIPTAG_TO_STR(to.c_str()),
                                    SIPTAG_FROM_STR(from.c_str()), TAG_END());
  Leg& leg = Add(Leg::Kind::kOutgoing, id, handle);
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
  Leg* leg = Find(fields);
  if (leg == nullptr) return;
  const int status = GetNumber(fields, "status", 500);
  const std::string sdp = Get(fields, "sdp"), phrase = Get(fields, "phrase");
  const char* words = phrase.empty() ? sip_status_phrase(status) : phrase.c_str();
  // Without UPDATE a refresh would be an INVITE without an offer of ours: whoever keeps no timers gets none.
  const bool unrefreshed = leg->kind == Leg::Kind::kIncoming && !leg->updates && !leg->timers;
  msg_t* update = std::exchange(leg->update, nullptr);
  nua_respond(leg->handle, status, words, TAG_IF(update != nullptr, NUTAG_WITH(update)),
              TAG_IF(unrefreshed, NUTAG_SESSION_TIMER(0)), TAG_IF(leg->updates, NUTAG_UPDATE_REFRESH(1)),
              TAG_IF(!leg->contact.empty(), SIPTAG_CONTACT_STR(leg->contact.c_str())),
              TAG_IF(!sdp.empty(), SIPTAG_CONTENT_TYPE_STR(kSdp)),
              TAG_IF(!sdp.empty(), SIPTAG_PAYLOAD_STR(sdp.c_str())), TAG_END());
  if (update != nullptr) msg_destroy(update);
}

void Agent::HangUp(const Fields& fields) {
  Leg* leg = Find(fields);
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

// Hold, another codec, another place for the sound: an INVITE inside the call.
void Agent::Change(const Fields& fields) {
  Leg* leg = Find(fields);
  if (leg == nullptr || !leg->up) return;
  nua_invite(leg->handle, SIPTAG_CONTENT_TYPE_STR(kSdp), SIPTAG_PAYLOAD_STR(Get(fields, "sdp").c_str()),
             TAG_IF(!leg->contact.empty(), SIPTAG_CONTACT_STR(leg->contact.c_str())), TAG_END());
}

void Agent::Refer(const Fields& fields) {
  Leg* leg = Find(fields);
  if (leg == nullptr || !leg->up) return;
  nua_refer(leg->handle, SIPTAG_REFER_TO_STR(Get(fields, "to").c_str()),
            SIPTAG_REFERRED_BY_STR(OrNull(Get(fields, "by"))), TAG_END());
}

void Agent::Stop() {
  if (listeners_.empty()) su_root_break(root_);
  closing_ = listeners_.size();
  for (const auto& listener : listeners_) nua_shutdown(listener->nua);
}

void Agent::Event(nua_event_t event, int status, const char* phrase, nua_t* nua, nua_handle_t* handle,
                  Leg* leg, const sip_t* sip, tagi_t* tags) {
  switch (event) {
    case nua_i_invite:
      return Invited(nua, handle, leg, sip);
    case nua_r_shutdown:
      if (status >= 200 && --closing_ == 0) su_root_break(root_);
      return;
    default:
      break;
  }
  // What belongs to no call of ours is answered by sofia-sip, and forgotten.
  if (leg == nullptr) {
    if (event != nua_i_options && handle != nullptr && event >= nua_i_error && event <= nua_i_method)
      nua_handle_destroy(handle);
    return;
  }
  switch (event) {
    case nua_r_register:
    case nua_r_unregister:
      return Registered(*leg, status, phrase, sip);
    case nua_r_invite:
      return Answered(*leg, status, phrase, sip);
    case nua_i_update:
      return Updated(nua, handle, *leg, sip);
    case nua_r_update:
      if (status >= 300 && leg->phrase.empty())
        leg->phrase = "the session could not be refreshed: " + std::to_string(status);
      return;
    case nua_r_bye:  // by itself, where nobody here has hung up
      if (leg->phrase.empty()) leg->phrase = "the session was not refreshed in time";
      return;
    case nua_i_ack:
      if (leg->offered) Line("ack").Text("id", leg->id).Text("sdp", BodyOf(sip)).Send();
      leg->offered = false;
      return;
    case nua_i_cancel:
      leg->status = 487;
      leg->phrase = "cancelled";
      return;
    case nua_i_bye:
      leg->status = 200;
      leg->phrase = "bye";
      return;
    case nua_i_state:
      return State(*leg, tags);
    case nua_i_refer:
      return Referred(nua, handle, *leg, sip);
    case nua_r_refer:
      if (status >= 200)
        Line("referred").Text("id", leg->id).Number("status", status).Text("phrase", phrase).Send();
      return;
    case nua_i_notify:
      Line("notify").Text("id", leg->id).Text("body", BodyOf(sip)).Send();
      return;
    case nua_i_info:
      Line("info").Text("id", leg->id).Text("body", BodyOf(sip)).Send();
      return;
    default:
      return;
  }
}

void Agent::Invited(nua_t* nua, nua_handle_t* handle, Leg* leg, const sip_t* sip) {
  const std::string sdp = BodyOf(sip);
  if (leg != nullptr) {  // inside a call: hold, another codec, or a refresh
    leg->offered = sdp.empty();
    Line("changed").Text("id", leg->id).Text("sdp", sdp).Send();
    return;
  }
  sockaddr_storage from{};
  const std::string source = SourceOf(nua, from);
  if (source.empty() || !allowed_.Includes(reinterpret_cast<const sockaddr*>(&from)) ||
      legs_.size() >= kMostLegs) {
    const bool full = legs_.size() >= kMostLegs;
    nua_respond(handle, full ? 503 : 403, full ? "Service Unavailable" : "Forbidden", TAG_END());
    nua_handle_destroy(handle);
    return;
  }
  Leg* replaced = nullptr;
  if (sip->sip_replaces != nullptr) {
    replaced = Replaced(sip->sip_replaces);
    if (replaced == nullptr || (sip->sip_replaces->rp_early_only && replaced->up)) {
      const bool gone = replaced == nullptr;
      nua_respond(handle, gone ? 481 : 486, gone ? "Call Does Not Exist" : "Busy Here", TAG_END());
      nua_handle_destroy(handle);
      return;
    }
  }
  Leg& made = Add(Leg::Kind::kIncoming, "in-" + std::to_string(++incoming_), handle);
  made.contact = ContactAt(nua);
  NoteSession(made, sip);
  made.offered = sdp.empty();
  Line line("invite");
  line.Text("id", made.id).Text("source", source).Text("sdp", sdp);
  if (replaced != nullptr) line.Text("replaces", replaced->id);
  line.Text("to", UrlText(sip->sip_request->rq_url)).Text("from", UrlText(UrlOf(sip->sip_from)));
  if (sip->sip_call_id != nullptr) line.Text("call_id", sip->sip_call_id->i_id);
  line.Send();
}

void Agent::Answered(Leg& leg, int status, const char* phrase, const sip_t* sip) {
  if (status == 401 || status == 407) {
    if (Challenge(leg, sip)) return;
  }
  if (status > 100 && status < 200) {
    Line("progress").Text("id", leg.id).Number("status", status).Text("sdp", BodyOf(sip)).Send();
  } else if (status >= 200 && status < 300) {
    const bool again = leg.up;
    leg.up = true;
    if (!again) {
      NoteSession(leg, sip);
      if (leg.updates) nua_set_hparams(leg.handle, NUTAG_UPDATE_REFRESH(1), TAG_END());
    }
    Line(again ? "agreed" : "answered").Text("id", leg.id).Text("sdp", BodyOf(sip)).Send();
  } else if (status >= 300 && leg.up) {
    Line("disagreed").Text("id", leg.id).Number("status", status).Text("phrase", phrase).Send();
  } else if (status >= 300) {
    leg.status = status;
    leg.phrase = phrase == nullptr ? "" : phrase;
  }
}

// Sends it again with the password; false where that has been done already, or there is none.
bool Agent::Challenge(Leg& leg, const sip_t* sip) {
  const msg_auth_t* challenge = sip == nullptr              ? nullptr
                                : sip->sip_www_authenticate ? sip->sip_www_authenticate
                                                            : sip->sip_proxy_authenticate;
  const std::string realm = ParamOf(challenge, "realm"), stale = ParamOf(challenge, "stale");
  if (challenge == nullptr || leg.user.empty() || (leg.challenged && stale != "true")) return false;
  leg.challenged = true;
  leg.sent += "; then with " + std::string(challenge->au_scheme) + " username=\"" + leg.user +
              "\", realm=\"" + realm + "\"";
  const std::string credentials =
      std::string(challenge->au_scheme) + ":\"" + realm + "\":" + leg.user + ":" + leg.password;
  nua_authenticate(leg.handle, NUTAG_AUTH(credentials.c_str()), TAG_END());
  return true;
}

void Agent::Registered(Leg& leg, int status, const char* phrase, const sip_t* sip) {
  if (status < 200) return;
  if ((status == 401 || status == 407) && Challenge(leg, sip)) return;
  if (status < 300) {
    const sip_contact_t* contact = sip == nullptr ? nullptr : sip->sip_contact;
    const char* expires = contact == nullptr ? nullptr : contact->m_expires;
    leg.challenged = false;
    Line("registered").Text("id", leg.id).Text("expires", expires).Send();
    return;
  }
  const msg_auth_t* challenge = sip == nullptr              ? nullptr
                                : sip->sip_www_authenticate ? sip->sip_www_authenticate
                                                            : sip->sip_proxy_authenticate;
  Line line("register_failed");
  line.Text("id", leg.id).Number("status", status).Text("phrase", phrase).Text("sent", leg.sent);
  line.Text("expected", ChallengeText(challenge)).Send();
  leg.challenged = false;
}

// Another offer, or the session goes on.
void Agent::Updated(nua_t* nua, nua_handle_t* handle, Leg& leg, const sip_t* sip) {
  const std::string sdp = BodyOf(sip);
  if (sdp.empty()) {
    nua_respond(handle, SIP_200_OK, NUTAG_WITH_CURRENT(nua), TAG_END());
    return;
  }
  if (leg.update != nullptr) msg_destroy(leg.update);
  leg.update = msg_ref_create(nua_current_request(nua));
  Line("changed").Text("id", leg.id).Text("sdp", sdp).Send();
}

void Agent::State(Leg& leg, tagi_t* tags) {
  int state = nua_callstate_init;
  tl_gets(tags, NUTAG_CALLSTATE_REF(state), TAG_END());
  if (state == nua_callstate_ready && leg.kind == Leg::Kind::kIncoming && !leg.up) {
    leg.up = true;
    Line("confirmed").Text("id", leg.id).Send();
  }
  if (state == nua_callstate_terminated && leg.kind != Leg::Kind::kRegistration) Ended(leg);
}

void Agent::Ended(Leg& leg) {
  if (leg.over) return;
  leg.over = true;
  const bool us = leg.phrase == "hung up";
  const bool them = leg.phrase == "bye" || leg.phrase == "cancelled" || leg.status >= 300;
  Line("ended")
      .Text("id", leg.id)
      .Number("status", leg.status)
      .Text("phrase", leg.phrase)
      .Text("by", us     ? "us"
                  : them ? "them"
                         : "nobody")
      .Send();
  Forget(leg);
}

}  // namespace trunkline::sip
