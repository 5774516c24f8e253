#include "lanes/rtp/srtp.h"

#ifdef TRUNKLINE_SRTP
#include <srtp2/srtp.h>

#include <array>
#include <cstring>
#include <string>

namespace trunkline::rtp {

using base::Code;
using base::Result;
using base::Status;

namespace {

struct Suite {
  std::string_view name;
  void (*rtp)(srtp_crypto_policy_t*);
  void (*rtcp)(srtp_crypto_policy_t*);
  size_t key;  // bytes, with the salt
};

constexpr size_t kMaxKey = 46;

const std::array<Suite, 4> kSuites = {{
    {"AES_CM_128_HMAC_SHA1_80", srtp_crypto_policy_set_rtp_default, srtp_crypto_policy_set_rtcp_default, 30},
    // RTCP keeps the long tag (RFC 4568, 6.2).
    {"AES_CM_128_HMAC_SHA1_32", srtp_crypto_policy_set_aes_cm_128_hmac_sha1_32,
     srtp_crypto_policy_set_rtcp_default, 30},
    {"AES_256_CM_HMAC_SHA1_80", srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80,
     srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80, 46},
    {"AES_256_CM_HMAC_SHA1_32", srtp_crypto_policy_set_aes_cm_256_hmac_sha1_32,
     srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80, 46},
}};

bool Started() {
  static const bool started = srtp_init() == srtp_err_status_ok;
  return started;
}

struct Close {
  void operator()(srtp_ctx_t* session) const { srtp_dealloc(session); }
};
using Context = std::unique_ptr<srtp_ctx_t, Close>;

class LibSrtpSession final : public SrtpSession {
 public:
  LibSrtpSession(Context session, Direction direction)
      : session_(std::move(session)), direction_(direction) {}

  size_t Rtp(base::MutableBytes room, size_t size) override {
    return Apply(direction_ == Direction::kOut ? srtp_protect : srtp_unprotect, room, size);
  }
  size_t Rtcp(base::MutableBytes room, size_t size) override {
    return Apply(direction_ == Direction::kOut ? srtp_protect_rtcp : srtp_unprotect_rtcp, room, size);
  }

 private:
  using Change = srtp_err_status_t (*)(srtp_t, void*, int*);
  size_t Apply(Change change, base::MutableBytes room, size_t size) {
    if (size > room.size() || (direction_ == Direction::kOut && size + kMaxProtection > room.size()))
      return 0;
    int length = static_cast<int>(size);
    return change(session_.get(), room.data(), &length) == srtp_err_status_ok ? static_cast<size_t>(length)
                                                                              : 0;
  }

  const Context session_;
  const Direction direction_;
};

}  // namespace

bool HasSrtp() {
  return true;
}

Result<std::unique_ptr<SrtpSession>> SrtpSession::Open(std::string_view suite, base::ByteView key,
                                                       Direction direction) {
  for (const Suite& known : kSuites) {
    if (known.name != suite) continue;
    if (key.size() != known.key) {
      return Status(Code::kInvalidArgument, "a key of " + std::string(suite) + " has " +
                                                std::to_string(known.key) + " bytes, not " +
                                                std::to_string(key.size()));
    }
    if (!Started()) return Status(Code::kInternal, "libsrtp2 does not start");
    std::array<uint8_t, kMaxKey> copy;
    std::memcpy(copy.data(), key.data(), key.size());
    srtp_policy_t policy{};
    known.rtp(&policy.rtp);
    known.rtcp(&policy.rtcp);
    policy.ssrc.type = direction == Direction::kOut ? ssrc_any_outbound : ssrc_any_inbound;
    policy.key = copy.data();
    policy.window_size = 256;
    policy.allow_repeat_tx = 0;
    srtp_t made = nullptr;
    const auto status = srtp_create(&made, &policy);
    if (status != srtp_err_status_ok) {
      return Status(Code::kInternal, "libsrtp2 refuses a session: error " + std::to_string(status));
    }
    return std::unique_ptr<SrtpSession>(std::make_unique<LibSrtpSession>(Context(made), direction));
  }
  return Status(Code::kInvalidArgument, "the suite '" + std::string(suite) + "' is not spoken");
}

}  // namespace trunkline::rtp

#else

namespace trunkline::rtp {

bool HasSrtp() {
  return false;
}

base::Result<std::unique_ptr<SrtpSession>> SrtpSession::Open(std::string_view, base::ByteView, Direction) {
  return base::Status(base::Code::kNotReady,
                      "SRTP needs libsrtp2: apt-get install libsrtp2-dev, then node scripts/setup.mjs");
}

}  // namespace trunkline::rtp

#endif
