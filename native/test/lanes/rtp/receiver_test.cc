// @requirement WebRTC: The jitter buffer adapts with time-scale modification and packet loss concealment.
// @requirement SIP: RTP handles order, loss, drift, NAT, SRTP, Opus, comfort noise and RTCP.
// The receiver in virtual time: packets come as a network lets them, 10 ms are played at a time.
#include "lanes/rtp/receiver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace trunkline::rtp {
namespace {

constexpr int kRate = 8000;
constexpr size_t kFrame = 160, kPiece = 80;

std::vector<int16_t> Tone(size_t samples, double hertz = 200) {
  std::vector<int16_t> tone(samples);
  for (size_t i = 0; i < samples; ++i) {
    tone[i] =
        static_cast<int16_t>(8000 * std::sin(2 * std::numbers::pi * hertz * static_cast<double>(i) / kRate));
  }
  return tone;
}

double PowerOf(std::span<const int16_t> sound) {
  double power = 0;
  for (const int16_t sample : sound) power += static_cast<double>(sample) * sample;
  return sound.empty() ? 0 : power / static_cast<double>(sound.size());
}

struct Sent {
  double arrival_ms;
  size_t frame;
};

class Scene {
 public:
  explicit Scene(CodecName codec = CodecName::kPcmu, ReceiverOptions options = {})
      : receiver_(kRate, options) {
    Listening::Stream stream;
    stream.payload_type = 0;
    stream.decoder = MakeDecoder(codec, kRate);
    listening_.streams.push_back(std::move(stream));
    listening_.noise_type = 13;
    encoder_ = MakeEncoder(codec, kRate);
    receiver_.Use(&listening_);
  }

  // Frames of `sound`, each when it arrives; those that are not listed are lost. What is played until `end_ms`.
  std::vector<int16_t> Run(std::span<const int16_t> sound, std::vector<Sent> arrivals, double end_ms) {
    std::vector<std::vector<uint8_t>> payloads;
    for (size_t at = 0; at + kFrame <= sound.size(); at += kFrame) {
      std::vector<uint8_t> payload(1400);
      payload.resize(encoder_->Encode(sound.subspan(at, kFrame), payload));
      payloads.push_back(std::move(payload));
    }
    std::sort(arrivals.begin(), arrivals.end(), [](auto a, auto b) { return a.arrival_ms < b.arrival_ms; });
    std::vector<int16_t> played;
    size_t next = 0;
    for (double now = 10; now <= end_ms; now += 10) {
      for (; next < arrivals.size() && arrivals[next].arrival_ms <= now; ++next) {
        const size_t frame = arrivals[next].frame;
        Put(frame, payloads[frame], arrivals[next].arrival_ms);
      }
      std::array<int16_t, kPiece> piece;
      receiver_.Play(now, piece);
      played.insert(played.end(), piece.begin(), piece.end());
    }
    return played;
  }

  void Put(size_t frame, base::ByteView payload, double arrival_ms, uint8_t type = 0) {
    const auto clock = static_cast<uint32_t>(encoder_->clock() / 50);
    receiver_.Take({.header = {.payload_type = type,
                               .sequence = static_cast<uint16_t>(65530 + frame),
                               .timestamp = static_cast<uint32_t>(0xffffff00u + frame * clock)},
                    .payload = payload},
                   arrival_ms);
  }

  Receiver& receiver() { return receiver_; }

 private:
  Listening listening_;
  std::unique_ptr<Encoder> encoder_;
  Receiver receiver_;
};

std::vector<Sent> Even(size_t frames, double delay_ms = 5) {
  std::vector<Sent> sent;
  for (size_t i = 0; i < frames; ++i) sent.push_back({delay_ms + 20.0 * static_cast<double>(i + 1), i});
  return sent;
}

std::vector<Sent> Without(std::vector<Sent> sent, std::initializer_list<size_t> lost) {
  std::erase_if(
      sent, [&](const Sent& one) { return std::find(lost.begin(), lost.end(), one.frame) != lost.end(); });
  return sent;
}

// Returns the offset of the best match of `sound` in what was played.
size_t OffsetOf(std::span<const int16_t> sound, std::span<const int16_t> played) {
  double best = -1;
  size_t offset = 0;
  const size_t length = std::min<size_t>(800, sound.size());
  for (size_t at = 0; at + length <= played.size() && at < 4000; ++at) {
    double product = 0, energy = 1;
    for (size_t i = 0; i < length; ++i) {
      product += static_cast<double>(sound[i]) * played[at + i];
      energy += static_cast<double>(played[at + i]) * played[at + i];
    }
    const double similarity = product <= 0 ? 0 : product * product / energy;
    if (similarity <= best) continue;
    best = similarity;
    offset = at;
  }
  return offset;
}

TEST(Receiver, AnEvenStreamIsPlayedToTheSampleAndSoon) {
  Scene scene;
  std::vector<int16_t> noise(8000 * 4);
  std::mt19937 chance(1);
  for (auto& sample : noise) sample = static_cast<int16_t>(chance() % 16000) - 8000;
  const auto played = scene.Run(noise, Even(200), 4000);
  const size_t offset = OffsetOf(noise, played);
  // A packet's 20 ms, 5 ms of way, and a wait of less than 40 ms.
  EXPECT_LE(offset, 65u * 8);
  size_t same = 0;
  for (size_t i = 0; i < 8000; ++i) same += std::abs(noise[i] - played[i + offset]) < 600 ? 1 : 0;
  EXPECT_GT(same, 7900u) << "G.711 alone changes a sample, by a little";
  EXPECT_EQ(scene.receiver().counts().concealed, 0);
  EXPECT_EQ(scene.receiver().reception().lost(), 0);
  EXPECT_LT(scene.receiver().waited_ms(), 45);
}

TEST(Receiver, WhatIsLostIsConcealedWhereAPlainGapWouldBeSilent) {
  const auto tone = Tone(8000 * 2);
  const auto lost = Without(Even(100), {30, 50, 70});
  Scene conceals, plain(CodecName::kPcmu, {.conceals = false});
  const auto good = conceals.Run(tone, lost, 2000), bad = plain.Run(tone, lost, 2000);
  const auto quietest = [](const std::vector<int16_t>& played) {
    double least = 1e12;
    for (size_t at = 4000; at + kPiece <= 14000; at += kPiece) {
      least = std::min(least, PowerOf(std::span<const int16_t>(played).subspan(at, kPiece)));
    }
    return least;
  };
  EXPECT_LT(quietest(bad), 1000);
  EXPECT_GT(quietest(good), 8000.0 * 8000 / 2 * 0.5);
  EXPECT_EQ(conceals.receiver().reception().lost(), 3);
  EXPECT_NEAR(conceals.receiver().counts().concealed, 60, 1);
}

TEST(Receiver, WhatComesOutOfOrderOrTwiceIsPlayedOnceInItsPlace) {
  const auto tone = Tone(8000 * 2);
  auto sent = Even(100);
  std::swap(sent[40].arrival_ms, sent[41].arrival_ms);
  sent.push_back({sent[60].arrival_ms + 1, 60});
  Scene scene;
  scene.Run(tone, sent, 2000);
  EXPECT_EQ(scene.receiver().counts().twice, 1u);
  EXPECT_EQ(scene.receiver().reception().reordered(), 1u);
  EXPECT_EQ(scene.receiver().reception().lost(), 0);
  EXPECT_LE(scene.receiver().counts().concealed, 20);
}

TEST(Receiver, TheWaitGrowsWithAnUnevenNetworkAndShrinksAgain) {
  const size_t frames = 2200;
  const auto tone = Tone(kFrame * frames);
  std::mt19937 chance(7);
  auto sent = Even(frames);
  for (size_t i = 500; i < 1000; ++i) sent[i].arrival_ms += static_cast<double>(chance() % 80);
  Scene scene;
  double calm = 0, uneven = 0;
  // In one run, looked at on its way.
  auto& receiver = scene.receiver();
  std::vector<Sent> first(sent.begin(), sent.begin() + 500), second(sent.begin(), sent.begin() + 1000);
  {
    Scene look;
    look.Run(tone, first, 9900);
    calm = look.receiver().waited_ms();
  }
  {
    Scene look;
    look.Run(tone, second, 19900);
    uneven = look.receiver().waited_ms();
    const double late_share = static_cast<double>(look.receiver().counts().late) / 1000;
    EXPECT_LT(late_share, 0.05);
  }
  scene.Run(tone, sent, 44000);
  EXPECT_LT(calm, 45);
  EXPECT_GT(uneven, 60);
  EXPECT_LT(uneven, 140);
  EXPECT_LT(receiver.waited_ms(), uneven - 20) << "time was taken out";
  EXPECT_GT(receiver.counts().shortened, 20);
  EXPECT_GT(receiver.counts().lengthened + receiver.counts().concealed, 20);
}

TEST(Receiver, ASenderWhoseClockRunsFastIsFollowed) {
  const size_t frames = 3000;
  const auto tone = Tone(kFrame * frames);
  std::vector<Sent> sent;
  for (size_t i = 0; i < frames; ++i) sent.push_back({5 + 20.0 * 0.999 * static_cast<double>(i + 1), i});
  Scene scene;
  scene.Run(tone, sent, 59900);
  EXPECT_LT(scene.receiver().waited_ms(), 60) << "without following it were 60 ms longer in the end";
  EXPECT_LT(scene.receiver().counts().concealed, 100);
}

TEST(Receiver, ASilentSenderIsNotConcealed) {
  Scene scene;
  const auto tone = Tone(kFrame * 10);
  const std::vector<uint8_t> noise = {50};
  std::vector<uint8_t> payload(kFrame, 0x80);
  for (size_t i = 0; i < 20; ++i) scene.Put(i, payload, 20.0 * static_cast<double>(i + 1));
  scene.Put(20, noise, 420, 13);
  std::array<int16_t, kPiece> piece;
  std::vector<int16_t> last;
  for (double now = 10; now < 2000; now += 10) {
    scene.receiver().Play(now, piece);
    if (now > 1000) last.insert(last.end(), piece.begin(), piece.end());
  }
  EXPECT_LE(scene.receiver().counts().concealed, 20);
  const double dbfs = 10 * std::log10(PowerOf(last) / (32768.0 * 32768.0));
  EXPECT_NEAR(dbfs, -50, 3) << "as loud as the sender said";
}

TEST(Receiver, ASenderThatBeginsAnewIsHeardAgain) {
  Scene scene;
  std::vector<uint8_t> payload(kFrame, 0x80);
  std::array<int16_t, kPiece> piece;
  double now = 0;
  for (size_t i = 2000; i < 2050; ++i) {
    now += 20;
    scene.Put(i, payload, now);
    scene.receiver().Play(now, piece);
    scene.receiver().Play(now + 10, piece);
  }
  const double before = scene.receiver().counts().played;
  for (size_t i = 0; i < 100; ++i) {
    now += 20;
    scene.Put(i, payload, now);
    scene.receiver().Play(now, piece);
    scene.receiver().Play(now + 10, piece);
  }
  EXPECT_GT(scene.receiver().counts().played - before, 1000);
}

TEST(Receiver, AnyPacketsAreSurvived) {
  std::mt19937 chance(3);
  Scene scene;
  std::vector<uint8_t> payload(1400);
  std::array<int16_t, kPiece> piece;
  for (int i = 0; i < 20000; ++i) {
    for (auto& byte : payload) byte = static_cast<uint8_t>(chance());
    Packet packet{.header = {.payload_type = static_cast<uint8_t>(chance() % 3 == 0 ? 13 : 0),
                             .sequence = static_cast<uint16_t>(chance() % 7 == 0 ? chance() : i),
                             .timestamp = static_cast<uint32_t>(chance() % 5 == 0 ? chance() : i * 160)},
                  .payload = base::ByteView(payload).first(chance() % payload.size())};
    scene.receiver().Take(packet, i * 5.0);
    if (i % 2 == 0) scene.receiver().Play(i * 5.0, piece);
  }
  SUCCEED();
}

// @requirement WebRTC: Opus runs both ways with FEC and DTX.
TEST(Receiver, OpusConcealsAndRecoversByItself) {
  if (!HasOpus()) GTEST_SKIP() << "this build has no libopus: apt-get install libopus-dev";
  Scene scene(CodecName::kOpus);
  const auto tone = Tone(8000 * 2);
  const auto played = scene.Run(tone, Without(Even(100), {30, 50, 51, 70}), 2000);
  EXPECT_GT(PowerOf(std::span<const int16_t>(played).subspan(4000, 8000)), 8000.0 * 8000 / 2 * 0.6);
  EXPECT_EQ(scene.receiver().reception().lost(), 4);
  EXPECT_GT(scene.receiver().counts().recovered, 0u) << "a lost frame out of the one behind it";
}

// Silence that is not sent has no sequence numbers: one packet announces it, and one every 400 ms continues
// it.
TEST(Receiver, SilenceThatOpusDoesNotSendIsNoLoss) {
  if (!HasOpus()) GTEST_SKIP() << "this build has no libopus: apt-get install libopus-dev";
  const auto encoder = MakeEncoder(CodecName::kOpus, kRate, {.inband_fec = true, .dtx = true});
  Listening listening;
  Listening::Stream stream;
  stream.payload_type = 96;
  stream.decoder = MakeDecoder(CodecName::kOpus, kRate);
  listening.streams.push_back(std::move(stream));
  Receiver receiver(kRate);
  receiver.Use(&listening);
  auto sound = Tone(8000 * 5);
  std::fill(sound.begin() + 8000, sound.begin() + 32000, int16_t{0});
  std::array<int16_t, kPiece> piece;
  std::vector<uint8_t> payload(1400);
  uint16_t number = 65500;
  bool silent = false;
  size_t sent = 0;
  double loudest_in_pause = 0, last = 0;
  for (size_t frame = 0; frame < 250; ++frame) {
    const double now = 5 + 20.0 * static_cast<double>(frame + 1);
    payload.resize(1400);
    payload.resize(encoder->Encode(std::span<const int16_t>(sound).subspan(frame * kFrame, kFrame), payload));
    const bool pause = encoder->Pauses(payload);
    if (!pause || !silent) {
      ++sent;
      receiver.Take({.header = {.payload_type = 96,
                                .sequence = number++,
                                .timestamp = static_cast<uint32_t>(0xffff0000u + frame * 960)},
                     .payload = payload},
                    now);
    }
    silent = pause;
    for (const double at : {now, now + 10}) {
      receiver.Play(at, piece);
      if (frame > 100 && frame < 195) loudest_in_pause = std::max(loudest_in_pause, PowerOf(piece));
      last = PowerOf(piece);
    }
  }
  EXPECT_LT(sent, 150u) << "of 250 packets";
  EXPECT_EQ(receiver.reception().lost(), 0);
  EXPECT_LT(receiver.counts().concealed, 60);
  EXPECT_LT(loudest_in_pause, 100.0 * 100);
  EXPECT_GT(last, 8000.0 * 8000 / 2 * 0.5);
  EXPECT_GT(receiver.waited_ms(), 10) << "sound behind the pause waits like all other";
}

}  // namespace
}  // namespace trunkline::rtp
