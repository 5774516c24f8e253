#include "programs/sip/legs.h"

#include <utility>

namespace trunkline::sip {

Leg* Legs::Find(const std::string& id) {
  const auto found = legs_.find(id);
  return found == legs_.end() ? nullptr : found->second.get();
}

Leg& Legs::Add(Leg::Kind kind, std::string id, nua_handle_t* handle) {
  auto leg = std::make_unique<Leg>();
  leg->kind = kind;
  leg->id = id;
  leg->handle = handle;
  nua_handle_bind(handle, leg.get());
  return *(legs_[std::move(id)] = std::move(leg));
}

void Legs::Forget(Leg& leg) {
  nua_handle_bind(leg.handle, nullptr);
  nua_handle_destroy(leg.handle);
  if (leg.update != nullptr) msg_destroy(leg.update);
  legs_.erase(std::string(leg.id));
}

}  // namespace trunkline::sip
