// A load of WebSocket connections: each sends a binary frame at a steady pace and counts what comes back.
// Prints one JSON object. One thread, epoll, frames masked beforehand, so that the driver is never what is
// measured.
//   load PORT PATH HEADER CONNECTIONS FRAMES_A_SECOND BYTES WARM_SECONDS SECONDS
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using Nanos = int64_t;

Nanos Now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct Options {
  int port;
  std::string path, header;
  int connections, rate, bytes, warm, seconds;
};

struct Peer {
  int fd = -1;
  Nanos next = 0;
  std::vector<uint8_t> unsent;
  std::vector<uint8_t> pending;  // bytes of a frame that is not whole yet
};

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "load: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

int Connect(const Options& options) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) Fail("socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(options.port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) Fail("connect");
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const std::string request = "GET " + options.path +
                              " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                              "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                              options.header + "\r\n\r\n";
  if (send(fd, request.data(), request.size(), MSG_NOSIGNAL) < 0) Fail("send");
  std::string head;
  char byte = 0;
  while (head.find("\r\n\r\n") == std::string::npos) {
    if (recv(fd, &byte, 1, 0) != 1) Fail("handshake");
    head += byte;
  }
  if (head.compare(0, 12, "HTTP/1.1 101") != 0) {
    std::fprintf(stderr, "load: refused: %s\n", head.c_str());
    std::exit(1);
  }
  return fd;
}

class Load {
 public:
  explicit Load(const Options& options) : options_(options), peers_(options.connections) {
    poll_ = epoll_create1(0);
    frame_.push_back(0x82);
    if (options.bytes > 125) {
      frame_.push_back(0x80 | 126);
      frame_.push_back(static_cast<uint8_t>(options.bytes >> 8));
      frame_.push_back(static_cast<uint8_t>(options.bytes));
    } else {
      frame_.push_back(static_cast<uint8_t>(0x80 | options.bytes));
    }
    frame_.insert(frame_.end(), {0, 0, 0, 0});  // a mask of zeros: the payload can be written as it is
    payload_at_ = frame_.size();
    frame_.resize(payload_at_ + options.bytes, 0x55);
    for (int i = 0; i < options.connections; ++i) {
      peers_[i].fd = Connect(options);
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u32 = static_cast<uint32_t>(i);
      epoll_ctl(poll_, EPOLL_CTL_ADD, peers_[i].fd, &event);
    }
  }

  void Run() {
    const Nanos period = 1'000'000'000 / options_.rate;
    const Nanos begin = Now() + 50'000'000;
    for (int i = 0; i < options_.connections; ++i) peers_[i].next = begin + period * i / options_.connections;
    from_ = begin + Nanos{options_.warm} * 1'000'000'000;
    to_ = from_ + Nanos{options_.seconds} * 1'000'000'000;
    std::printf("{\"ready\":true}\n");
    std::fflush(stdout);
    bool notified = false;
    for (Nanos now = Now(); now < to_ + 300'000'000; now = Now()) {
      if (!notified && now >= from_) {
        std::printf("{\"measuring\":true}\n");
        std::fflush(stdout);
        notified = true;
      }
      if (!ended_ && now >= to_) {
        std::printf("{\"measured\":true}\n");
        std::fflush(stdout);
        ended_ = true;
      }
      if (now < to_) SendDue(now, period);
      Receive();
    }
    Print();
  }

 private:
  void SendDue(Nanos now, Nanos period) {
    const size_t count = peers_.size();
    for (size_t tried = 0; tried < count; ++tried) {
      Peer& peer = peers_[turn_];
      if (peer.next > now) return;
      Send(peer, now);
      peer.next += period;
      turn_ = (turn_ + 1) % count;
    }
  }

  void Send(Peer& peer, Nanos due) {
    if (peer.fd < 0) return;
    const Nanos at = Now();
    std::memcpy(frame_.data() + payload_at_, &at, sizeof at);
    (void)due;
    if (at >= from_ && at < to_) ++sent_;
    if (!peer.unsent.empty()) {
      peer.unsent.insert(peer.unsent.end(), frame_.begin(), frame_.end());
      Flush(peer);
      return;
    }
    const ssize_t took = send(peer.fd, frame_.data(), frame_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    const size_t done = took > 0 ? static_cast<size_t>(took) : 0;
    if (done < frame_.size()) peer.unsent.assign(frame_.begin() + static_cast<long>(done), frame_.end());
  }

  void Flush(Peer& peer) {
    const ssize_t took = send(peer.fd, peer.unsent.data(), peer.unsent.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (took > 0) peer.unsent.erase(peer.unsent.begin(), peer.unsent.begin() + took);
  }

  void Receive() {
    epoll_event events[256];
    const int count = epoll_wait(poll_, events, 256, 0);
    if (count == 0) usleep(100);
    for (int i = 0; i < count; ++i) {
      Peer& peer = peers_[events[i].data.u32];
      uint8_t bytes[64 * 1024];
      const ssize_t got = recv(peer.fd, bytes, sizeof bytes, MSG_DONTWAIT);
      if (got > 0) Take(peer, bytes, static_cast<size_t>(got));
      if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        epoll_ctl(poll_, EPOLL_CTL_DEL, peer.fd, nullptr);
        close(peer.fd);
        peer.fd = -1;
        ++lost_;
      }
    }
  }

  void Take(Peer& peer, const uint8_t* bytes, size_t size) {
    if (peer.pending.empty()) {
      const size_t used = Parse(bytes, size);
      peer.pending.assign(bytes + used, bytes + size);
      return;
    }
    peer.pending.insert(peer.pending.end(), bytes, bytes + size);
    const size_t used = Parse(peer.pending.data(), peer.pending.size());
    peer.pending.erase(peer.pending.begin(), peer.pending.begin() + static_cast<long>(used));
  }

  size_t Parse(const uint8_t* bytes, size_t size) {
    size_t at = 0;
    for (;;) {
      if (size - at < 2) return at;
      size_t length = bytes[at + 1] & 0x7f;
      size_t head = 2;
      if (length == 126) {
        if (size - at < 4) return at;
        length = static_cast<size_t>(bytes[at + 2]) << 8 | bytes[at + 3];
        head = 4;
      }
      if (size - at < head + length) return at;
      if ((bytes[at] & 0x0f) == 2 && length == static_cast<size_t>(options_.bytes)) Echoed(bytes + at + head);
      at += head + length;
    }
  }

  void Echoed(const uint8_t* payload) {
    Nanos at = 0;
    std::memcpy(&at, payload, sizeof at);
    if (at < from_ || at >= to_) return;
    ++received_;
    delays_.push_back(static_cast<float>(static_cast<double>(Now() - at) / 1e6));
  }

  void Print() {
    std::sort(delays_.begin(), delays_.end());
    const auto share = [&](double part) {
      return delays_.empty() ? -1.0F
                             : delays_[static_cast<size_t>(part * static_cast<double>(delays_.size() - 1))];
    };
    std::printf("{\"sent\":%llu,\"received\":%llu,\"lost\":%d,\"p50\":%.3f,\"p99\":%.3f,\"p999\":%.3f}\n",
                static_cast<unsigned long long>(sent_), static_cast<unsigned long long>(received_), lost_,
                static_cast<double>(share(0.5)), static_cast<double>(share(0.99)),
                static_cast<double>(share(0.999)));
  }

  const Options options_;
  std::vector<Peer> peers_;
  std::vector<uint8_t> frame_;
  size_t payload_at_ = 0;
  size_t turn_ = 0;
  int poll_ = -1;
  int lost_ = 0;
  bool ended_ = false;
  Nanos from_ = 0, to_ = 0;
  uint64_t sent_ = 0, received_ = 0;
  std::vector<float> delays_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 9) {
    std::fprintf(stderr,
                 "usage: load PORT PATH HEADER CONNECTIONS FRAMES_A_SECOND BYTES WARM_SECONDS SECONDS\n");
    return 2;
  }
  Options options{std::atoi(argv[1]),
                  argv[2],
                  argv[3],
                  std::atoi(argv[4]),
                  std::atoi(argv[5]),
                  std::atoi(argv[6]),
                  std::atoi(argv[7]),
                  std::atoi(argv[8])};
  Load(options).Run();
  return 0;
}
