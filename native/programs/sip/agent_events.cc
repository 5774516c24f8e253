// Events of sofia-sip: each becomes a line, or an answer.
#include <sofia-sip/nua_tag.h>
#include <sofia-sip/sip_header.h>
#include <sofia-sip/sip_status.h>
#include <sofia-sip/sip_tag.h>
#include <sofia-sip/su_tag.h>

#include <cstring>

#include "programs/sip/agent.h"
#include "programs/sip/messages.h"

namespace trunkline::sip {
namespace {

// Repeats the request with the password; returns false when that was done already, or there is none.
bool Challenge(Leg& leg, const sip_t* sip) {
  const msg_auth_t* challenge = ChallengeIn(sip);
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

// The contact that a REGISTER adds: a telephone whose address has changed removes its former one beside it.
const sip_contact_t* ContactOf(const sip_t* sip) {
  for (const sip_contact_t* contact = sip->sip_contact; contact != nullptr; contact = contact->m_next) {
    if (contact->m_expires == nullptr || std::strcmp(contact->m_expires, "0") != 0) return contact;
  }
  return sip->sip_contact;
}

const Listener* ListenerOf(const std::vector<std::unique_ptr<Listener>>& listeners, const nua_t* nua) {
  for (const auto& listener : listeners) {
    if (listener->nua == nua) return listener.get();
  }
  return nullptr;
}

}  // namespace

void Agent::Event(nua_event_t event, int status, const char* phrase, nua_t* nua, nua_handle_t* handle,
                  Leg* leg, const sip_t* sip, tagi_t* tags) {
  switch (event) {
    case nua_i_invite:
      return Invited(nua, handle, leg, sip);
    case nua_i_register:
      return Asked(nua, handle, sip);
    case nua_r_shutdown:
      if (status >= 200 && --closing_ == 0) su_root_break(root_);
      return;
    default:
      break;
  }
  // sofia-sip answers what belongs to no call of ours.
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

// A telephone registers. The server knows the passwords, so it decides.
void Agent::Asked(nua_t* nua, nua_handle_t* handle, const sip_t* sip) {
  sockaddr_storage from{};
  const std::string source = SourceOf(nua, from);
  const Listener* listener = ListenerOf(listeners_, nua);
  if (!registrar_ || source.empty() || sip == nullptr || listener == nullptr || legs_.Full()) {
    nua_respond(handle, SIP_403_FORBIDDEN, NUTAG_WITH_CURRENT(nua), TAG_END());
    nua_handle_destroy(handle);
    return;
  }
  Leg& made = legs_.Add(Leg::Kind::kAsked, "ask-" + std::to_string(++incoming_), handle);
  made.update = msg_ref_create(nua_current_request(nua));
  Line line("register");
  line.Text("id", made.id).Text("source", source).Number("port", PortOf(from));
  line.Text("transport", listener->transport).Text("to", UrlText(UrlOf(sip->sip_to)));
  line.Text("authorization", ChallengeText(sip->sip_authorization));
  if (const sip_contact_t* contact = ContactOf(sip)) {
    line.Text("contact", UrlText(contact->m_url));
    if (contact->m_expires != nullptr) line.Text("contact_expires", contact->m_expires);
  }
  if (sip->sip_expires != nullptr) line.Text("expires", std::to_string(sip->sip_expires->ex_delta));
  line.Send();
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
  if (source.empty() || !allowed_.Includes(reinterpret_cast<const sockaddr*>(&from)) || legs_.Full()) {
    const bool full = legs_.Full();
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
  Leg& made = legs_.Add(Leg::Kind::kIncoming, "in-" + std::to_string(++incoming_), handle);
  if (const Listener* listener = ListenerOf(listeners_, nua)) made.contact = listener->contact;
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
  const msg_auth_t* challenge = ChallengeIn(sip);
  Line line("register_failed");
  line.Text("id", leg.id).Number("status", status).Text("phrase", phrase).Text("sent", leg.sent);
  line.Text("expected", ChallengeText(challenge)).Send();
  leg.challenged = false;
}

// Handles another offer, or a session refresh.
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
  legs_.Forget(leg);
}

}  // namespace trunkline::sip
