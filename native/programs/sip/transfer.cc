// Transfers: ours (REFER), the other side's REFER, and calls that replace one of ours.
#include <sofia-sip/msg_header.h>
#include <sofia-sip/nua_tag.h>
#include <sofia-sip/sip_header.h>
#include <sofia-sip/sip_status.h>
#include <sofia-sip/sip_tag.h>
#include <strings.h>

#include <cstdlib>
#include <cstring>

#include "programs/sip/agent.h"

namespace trunkline::sip {
namespace {

constexpr const char* kReplaces = "Replaces:";

// Returns the unescaped Replaces header of `sip:bob@host?Replaces=…`, or nothing without one or with other
// headers, which would put the other side's text into our request.
std::string ReplacesIn(const url_t* url) {
  if (url->url_headers == nullptr) return {};
  su_home_t home[1] = {SU_HOME_INIT(home)};
  const char* headers = url_query_as_header_string(home, url->url_headers);
  std::string text = headers == nullptr ? "" : headers;
  su_home_deinit(home);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (strncasecmp(text.c_str(), kReplaces, std::strlen(kReplaces)) != 0) return {};
  if (text.find_first_of("\r\n") != std::string::npos) return {};
  const size_t value = text.find_first_not_of(" \t", std::strlen(kReplaces));
  return value == std::string::npos ? std::string() : text.substr(value);
}

// Removes headers and parameters.
std::string BareUrl(const url_t* url) {
  std::string text = std::string(url->url_scheme == nullptr ? "sip" : url->url_scheme) + ":";
  if (url->url_user != nullptr) text += std::string(url->url_user) + "@";
  text += url->url_host == nullptr ? "" : url->url_host;
  if (url->url_port != nullptr) text += std::string(":") + url->url_port;
  return text;
}

// Builds `<sip:bob@host?Replaces=…>`, by which the callee takes over the call `other`; empty when that call
// is not up.
std::string InThePlaceOf(const std::string& to, const Leg* other) {
  if (other == nullptr || !other->up) return {};
  su_home_t home[1] = {SU_HOME_INIT(home)};
  sip_replaces_t* replaces = nua_handle_make_replaces(other->handle, home, 0);
  const char* query =
      replaces == nullptr ? nullptr : sip_headers_as_url_query(home, SIPTAG_REPLACES(replaces), TAG_END());
  // Header names are case-insensitive, but not every implementation knows it.
  const char* value = query == nullptr ? nullptr : std::strchr(query, '=');
  const std::string text = value == nullptr ? std::string() : "<" + to + "?Replaces" + value + ">";
  su_home_deinit(home);
  return text;
}

}  // namespace

// `with`: one of our calls, whose other side is called in place of this call.
void Agent::Refer(const Fields& fields) {
  const auto of = [&](const char* name) {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string() : found->second;
  };
  Leg* leg = legs_.Find(of("id"));
  if (leg == nullptr || !leg->up) return;
  const std::string with = of("with"), by = of("by");
  const std::string to = with.empty() ? of("to") : InThePlaceOf(of("to"), legs_.Find(with));
  if (to.empty()) {
    Line("referred")
        .Text("id", leg->id)
        .Number("status", 481)
        .Text("phrase", "the other call is over")
        .Send();
    return;
  }
  nua_refer(leg->handle, SIPTAG_REFER_TO_STR(to.c_str()),
            TAG_IF(!by.empty(), SIPTAG_REFERRED_BY_STR(by.c_str())), TAG_END());
}

Leg* Agent::Replaced(const sip_replaces_t* replaces) {
  for (const auto& listener : listeners_) {
    nua_handle_t* handle = nua_handle_by_replaces(listener->nua, replaces);
    if (handle == nullptr) continue;
    Leg* found = static_cast<Leg*>(nua_handle_magic(handle));
    nua_handle_unref(handle);
    return found;
  }
  return nullptr;
}

void Agent::Referred(nua_t* nua, nua_handle_t* handle, Leg& leg, const sip_t* sip) {
  const url_t* to = sip->sip_refer_to == nullptr ? nullptr : sip->sip_refer_to->r_url;
  const std::string replaces = to == nullptr || !leg.up ? std::string() : ReplacesIn(to);
  if (replaces.empty()) {
    // A caller may not make us call somebody, at somebody else's cost.
    nua_respond(handle, SIP_603_DECLINE, NUTAG_WITH_CURRENT(nua), TAG_END());
    return;
  }
  nua_respond(handle, SIP_202_ACCEPTED, NUTAG_WITH_CURRENT(nua), SIPTAG_EXPIRES_STR("60"), TAG_END());
  Line("refer").Text("id", leg.id).Text("to", BareUrl(to)).Text("replaces", replaces).Send();
}

// Reports the progress of the call that the other side's REFER requested, with a single final notification.
void Agent::Notify(const Fields& fields) {
  const auto id = fields.find("id"), status = fields.find("status");
  if (id == fields.end() || status == fields.end()) return;
  const Leg* found = legs_.Find(id->second);
  if (found == nullptr) return;
  const int code = std::atoi(status->second.c_str());
  const char* phrase = sip_status_phrase(code);
  const std::string fragment =
      "SIP/2.0 " + std::to_string(code) + " " + (phrase == nullptr ? "" : phrase) + "\r\n";
  nua_notify(found->handle, NUTAG_NEWSUB(1), NUTAG_SUBSTATE(nua_substate_terminated),
             SIPTAG_EVENT_STR("refer"), SIPTAG_SUBSCRIPTION_STATE_STR("terminated;reason=noresource"),
             SIPTAG_CONTENT_TYPE_STR("message/sipfrag;version=2.0"), SIPTAG_PAYLOAD_STR(fragment.c_str()),
             TAG_END());
}

}  // namespace trunkline::sip
