#include "programs/sip/messages.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sofia-sip/msg_addr.h>
#include <sofia-sip/msg_header.h>
#include <sofia-sip/sip_header.h>

#include <cstdlib>
#include <cstring>

namespace trunkline::sip {

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

int PortOf(const sockaddr_storage& from) {
  return ntohs(from.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(from).sin6_port
                                          : reinterpret_cast<const sockaddr_in&>(from).sin_port);
}

std::string ChallengeText(const msg_auth_t* challenge) {
  if (challenge == nullptr) return {};
  std::string text = challenge->au_scheme == nullptr ? "" : challenge->au_scheme;
  for (const msg_param_t* param = challenge->au_params; param != nullptr && *param != nullptr; ++param) {
    text += text.find(' ') == std::string::npos ? " " : ", ";
    text += *param;
  }
  return text;
}

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

const msg_auth_t* ChallengeIn(const sip_t* sip) {
  if (sip == nullptr) return nullptr;
  return sip->sip_www_authenticate ? sip->sip_www_authenticate : sip->sip_proxy_authenticate;
}

}  // namespace trunkline::sip
