// What orders of the server and messages of SIP say, as texts and numbers.
#pragma once

#include <sys/socket.h>

#include <string>

#include "programs/sip/json_line.h"
#include "programs/sip/legs.h"

namespace trunkline::sip {

// Of an order: empty, or `otherwise`, where it does not say.
std::string Get(const Fields& fields, const char* key);
int GetNumber(const Fields& fields, const char* key, int otherwise);

// How sofia-sip is told that there is nothing.
const char* OrNull(const std::string& text);

std::string BodyOf(const sip_t* sip);
std::string UrlText(const url_t* url);
// user@host of a From or To, as a caller reads it.
const url_t* UrlOf(const sip_addr_t* address);
// Where the request that is being read came from, in words and as an address.
std::string SourceOf(nua_t* nua, sockaddr_storage& into);

// What a registrar or proxy asks for; null: nothing.
const msg_auth_t* ChallengeIn(const sip_t* sip);
// The same in its own words.
std::string ChallengeText(const msg_auth_t* challenge);
std::string ParamOf(const msg_auth_t* challenge, const char* name);

// What the other side says of its sessions: whether it takes UPDATE, and keeps timers.
void NoteSession(Leg& leg, const sip_t* sip);

}  // namespace trunkline::sip
