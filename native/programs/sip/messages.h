// Converts between the server's orders and SIP messages.
#pragma once

#include <sys/socket.h>

#include <string>

#include "programs/sip/json_line.h"
#include "programs/sip/legs.h"

namespace trunkline::sip {

// Returns a field of an order, or `otherwise` when it is absent.
std::string Get(const Fields& fields, const char* key);
int GetNumber(const Fields& fields, const char* key, int otherwise);

// Returns null for an empty text, as sofia-sip expects it.
const char* OrNull(const std::string& text);

std::string BodyOf(const sip_t* sip);
std::string UrlText(const url_t* url);
// user@host of a From or To.
const url_t* UrlOf(const sip_addr_t* address);
// The source of the current request, as text and as an address.
std::string SourceOf(nua_t* nua, sockaddr_storage& into);
int PortOf(const sockaddr_storage& from);

// The challenge of a registrar or proxy, or null.
const msg_auth_t* ChallengeIn(const sip_t* sip);
// The challenge as text.
std::string ChallengeText(const msg_auth_t* challenge);
std::string ParamOf(const msg_auth_t* challenge, const char* name);

// Records whether the other side accepts UPDATE and supports session timers.
void NoteSession(Leg& leg, const sip_t* sip);

}  // namespace trunkline::sip
