// The lower bound of the cost of a frame through a lane: a listener that does nothing but this
// load, over the engine itself. One thread with epoll reads, unmasks, pushes, drains and sends,
// and sleeps as the product's does: no JavaScript, no other library, no rule of RFC 6455. It
// prints its port, and serves until it or its parent is killed.
//   floor SLOTS
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/engine.h"
#include "engine/records.h"

namespace {

using trunkline::base::ByteView;
using trunkline::engine::Engine;
using trunkline::engine::EngineConfig;
using trunkline::engine::Kinds;
using trunkline::engine::LaneId;

constexpr size_t kBufferBytes = 512 * 1024;
constexpr size_t kDrainBytes = size_t{1} << 20;
constexpr size_t kClientHeader = 8;  // header of a masked frame of 126 to 65,535 bytes
constexpr unsigned kRestMicros = 1000;
constexpr std::string_view kSwitch =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";

[[noreturn]] void Fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

class Floor {
 public:
  explicit Floor(uint32_t slots)
      : wakeup_(eventfd(0, EFD_NONBLOCK)), engine_(ConfigOf(slots), KindsOf(), [this] { Wake(); }) {
    poll_ = epoll_create1(0);
    Watch(wakeup_);
    Listen();
  }

  void Run() {
    for (;;) {
      epoll_event events[1024];
      const int count = epoll_wait(poll_, events, 1024, -1);
      for (int i = 0; i < count; ++i) Serve(events[i].data.fd);
      usleep(kRestMicros);
    }
  }

 private:
  static EngineConfig ConfigOf(uint32_t slots) {
    EngineConfig config;
    config.slots = slots;
    return config;
  }

  static Kinds KindsOf() {
    Kinds kinds;
    kinds.AddLane(trunkline::engine::MakeLoopbackKind());
    return kinds;
  }

  void Wake() const {
    const uint64_t one = 1;
    if (write(wakeup_, &one, sizeof one) < 0) Fail("eventfd");
  }

  void Watch(int fd) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (epoll_ctl(poll_, EPOLL_CTL_ADD, fd, &event) != 0) Fail("epoll_ctl");
  }

  void Listen() {
    listening_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listening_, reinterpret_cast<sockaddr*>(&address), size) != 0) Fail("bind");
    if (listen(listening_, 512) != 0) Fail("listen");
    getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size);
    Watch(listening_);
    std::printf("%d\n", ntohs(address.sin_port));
    std::fflush(stdout);
  }

  void Serve(int fd) {
    if (fd == listening_) {
      Accept();
    } else if (fd == wakeup_) {
      uint64_t count = 0;
      if (read(wakeup_, &count, sizeof count) > 0) Drain();
    } else {
      Receive(fd);
    }
  }

  void Accept() {
    const int fd = accept4(listening_, nullptr, nullptr, SOCK_NONBLOCK);
    if (fd < 0) Fail("accept4");
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    Watch(fd);
  }

  void Receive(int fd) {
    const ssize_t got = recv(fd, buffer_.data(), buffer_.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) {
      close(fd);
      return;
    }
    const auto known = lanes_.find(fd);
    if (known == lanes_.end()) return Open(fd);
    // The load sends whole frames of one size class.
    std::span<uint8_t> rest(buffer_.data(), static_cast<size_t>(got));
    while (rest.size() > kClientHeader) {
      const size_t length = size_t{rest[2]} << 8 | rest[3];
      if (rest.size() < kClientHeader + length) Fail("a frame in pieces");
      const std::span<uint8_t> payload = rest.subspan(kClientHeader, length);
      for (size_t at = 0; at < length; ++at) payload[at] ^= rest[4 + at % 4];
      engine_.Push(known->second, payload);
      rest = rest.subspan(kClientHeader + length);
    }
  }

  void Open(int fd) {
    const auto lane = engine_.Open("loopback", {});
    if (!lane.ok()) Fail("open");
    lanes_.emplace(fd, *lane);
    if (fds_.size() <= lane->slot) fds_.resize(lane->slot + 1);
    fds_[lane->slot] = fd;
    if (send(fd, kSwitch.data(), kSwitch.size(), MSG_NOSIGNAL) < 0) Fail("send");
  }

  void Drain() {
    engine_.ClearWake();
    for (;;) {
      const size_t used = engine_.Drain(drained_);
      if (used == 0) return;
      size_t at = trunkline::engine::kDrainHeader;
      while (at < used) at += Send(&drained_[at]);
    }
  }

  // Sends a record as one frame and returns the bytes of the record. The record's own header
  // leaves space for that of the frame.
  size_t Send(uint8_t* record) {
    uint32_t slot = 0;
    uint32_t size = 0;
    uint16_t type = 0;
    std::memcpy(&slot, record, sizeof slot);
    std::memcpy(&type, record + 8, sizeof type);
    std::memcpy(&size, record + 12, sizeof size);
    const size_t whole = trunkline::engine::kRecordHeader + (size + 7) / 8 * 8;
    if (type != trunkline::engine::kAudioEvent) return whole;
    uint8_t* const frame = record + trunkline::engine::kRecordHeader - 4;
    frame[0] = 0x82;
    frame[1] = 126;
    frame[2] = static_cast<uint8_t>(size >> 8);
    frame[3] = static_cast<uint8_t>(size);
    if (send(fds_[slot], frame, size + 4, MSG_NOSIGNAL) < 0) Fail("send");
    return whole;
  }

  const int wakeup_;
  int poll_ = -1;
  int listening_ = -1;
  std::vector<uint8_t> buffer_ = std::vector<uint8_t>(kBufferBytes);
  std::vector<uint8_t> drained_ = std::vector<uint8_t>(kDrainBytes);
  std::unordered_map<int, LaneId> lanes_;
  std::vector<int> fds_;
  Engine engine_;
};

}  // namespace

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Floor(argc > 1 ? static_cast<uint32_t>(std::atoi(argv[1])) : 8192).Run();
}
